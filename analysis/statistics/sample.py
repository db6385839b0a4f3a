"""What a measure gave for each text, under each seed of a model; and the numbers that stand for it in a table."""

from collections import Counter
from dataclasses import dataclass
from typing import Any, Dict, List, Optional, Sequence

import numpy

from analysis.measures.measure import Values
from analysis.statistics.intervals import intervals, mean_of_known, texts_with_values
from analysis.statistics.significance import share_significant


@dataclass(frozen=True)
class Sample:
    """
    value : NaN where it is undefined, or the text is not in the sample.
    undefined : why it is undefined; "" where it is not, or the text is not in the sample.
    p_value : where the measure has one.

    All have the shape (seeds, texts).
    """

    value: numpy.ndarray
    undefined: numpy.ndarray
    p_value: Optional[numpy.ndarray] = None

    @classmethod
    def of(cls, seeds: Sequence[Values]) -> "Sample":
        """From the values of each seed, all of the same texts in the same order."""
        with_p = all(values.p_value is not None for values in seeds)
        return cls(
            value=numpy.array([values.value for values in seeds]),
            undefined=numpy.array([values.undefined for values in seeds], dtype=object),
            p_value=numpy.array([values.p_value for values in seeds]) if with_p else None,
        )

    def where(self, member: numpy.ndarray) -> "Sample":
        """
        Only the texts of a group. A text may be in it under one seed and not under another, as
        seeds predict different classes. Shape of `member`: (seeds, texts)
        """
        return Sample(
            value=numpy.where(member, self.value, numpy.nan),
            undefined=numpy.where(member, self.undefined, ""),
            p_value=None if self.p_value is None else numpy.where(member, self.p_value, numpy.nan),
        )

    @property
    def reasons(self) -> Dict[str, int]:
        """How many values are undefined for each reason, the most frequent first."""
        return dict(Counter(self.undefined[self.undefined != ""].tolist()).most_common())


def summary(sample: Sample) -> Dict[str, Any]:
    """Of one sample."""
    return summaries([sample])[0]


def summaries(samples: Sequence[Sample]) -> List[Dict[str, Any]]:
    """
    Of samples of the same seeds and texts. `n` counts values, so a text counts once a seed that has
    a value for it; `low` and `high` are the interval of the mean, and `interval over` says over
    what; `seed std` is that of the seeds' means.
    """
    if not samples:
        return []
    means = intervals(numpy.array([sample.value for sample in samples]))
    return [_row(*row) for row in zip(samples, zip(means.low, means.high), means.over, strict=True)]


def _row(sample: Sample, interval: Sequence[float], over: str) -> Dict[str, Any]:
    reasons = sample.reasons
    return {
        "n": int((~numpy.isnan(sample.value)).sum()),
        "texts": int(texts_with_values(sample.value)),
        "undefined": sum(reasons.values()),
        "reasons": "; ".join(f"{reason}: {times}" for reason, times in reasons.items()),
        **located(sample.value, interval),
        "interval over": over,
        "seed std": seed_std(sample.value),
        **significance(sample.p_value),
    }


def located(values: numpy.ndarray, interval: Sequence[float]) -> Dict[str, float]:
    """Mean, its interval, standard deviation (of a sample) and median of all that are not NaN."""
    known = values[~numpy.isnan(values)]
    return {
        "mean": float(known.mean()) if len(known) else numpy.nan,
        "low": float(interval[0]),
        "high": float(interval[1]),
        "std": float(known.std(ddof=1)) if len(known) > 1 else numpy.nan,
        "median": float(numpy.median(known)) if len(known) else numpy.nan,
    }


def significance(p_values: Optional[numpy.ndarray]) -> Dict[str, float]:
    """The share of significant texts, before and after correction for their number."""
    if p_values is None:
        return {"significant": numpy.nan, "significant BH": numpy.nan}
    return {
        "significant": share_significant(p_values),
        "significant BH": share_significant(p_values, corrected=True),
    }


def seed_std(values: numpy.ndarray) -> float:
    """How far apart the seeds' means are; NaN for a single seed. Shape: (seeds, texts)"""
    means = mean_of_known(values, axis=1)
    means = means[~numpy.isnan(means)]
    return float(means.std(ddof=1)) if len(means) > 1 else numpy.nan
