"""The numbers that stand for a sample in a table."""

from typing import Any, Dict, List, Optional, Sequence

import numpy

from analysis.statistics.corrections import share_significant
from analysis.statistics.intervals import intervals
from analysis.statistics.known import mean_of_known, texts_with_values
from analysis.statistics.sample import Sample


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
    found = intervals(numpy.array([sample.value for sample in samples]))
    return [_row(*row) for row in zip(samples, zip(found.low, found.high), found.over, strict=True)]


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
