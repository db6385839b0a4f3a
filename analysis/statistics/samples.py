"""
Samples: what a measure gave for each text, under each seed of a model, and the numbers that stand for
it in a table; and controls, samples drawn by chance: what an agreement would be if the second column
had nothing to do with the first, and where it lies between chance and its ceiling.

`random` puts noise in place of the second column; `permuted` shuffles it within each text, which
keeps its ties and its zeros. Ties also bound what a measure can reach: against attention that
leaves most tokens at 0, the best scores there are may have a tau of 0.2.

The random numbers of a token depend on its text's id, not on which other texts are in the file or
in what order; all texts get theirs at once.
"""

import hashlib
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy
from scipy.stats import t

from analysis.measures.measure import Values
from analysis.measures.scores import Scores
from analysis.statistics.intervals import intervals, mean_of_known, texts_with_values
from analysis.statistics.significance import share_significant

# Draws a text: enough that they add little to what decides whether a difference from chance counts.
# Its variance is that of the texts' own values, and of as many draws as this of each of them.
DRAWS = 20
# Of SplitMix64.
GOLDEN = numpy.uint64(0x9E3779B97F4A7C15)
# Less room than that between chance and ceiling is none.
LEAST_ROOM = 1e-9
# Where values of a measure without bounds can be.
ANYWHERE = (-numpy.inf, numpy.inf)
# For captions.
ABOUT_SCALED = "ceiling: the best mean that the same scores could have in any order, as ties bound it; scaled: the mean, rescaled to 0 for the permuted control and 1 for the ceiling."


@dataclass(frozen=True)
class Sample:
    """
    value : NaN where it is undefined, or the text is not in the sample.
    undefined : why it is undefined; "" where it is not, or the text is not in the sample.
    p_value : where the measure has one.
    between : the least and the largest that a value can be; no interval ends beyond.

    All but the last have the shape (seeds, texts).
    """

    value: numpy.ndarray
    undefined: numpy.ndarray
    p_value: numpy.ndarray | None = None
    between: tuple[float, float] = ANYWHERE

    @classmethod
    def of(cls, seeds: Sequence[Values], between: tuple[float, float] = ANYWHERE) -> "Sample":
        """From the values of each seed, all of the same texts in the same order."""
        with_p = all(values.p_value is not None for values in seeds)
        return cls(
            value=numpy.array([values.value for values in seeds]),
            undefined=numpy.array([values.undefined for values in seeds], dtype=object),
            p_value=numpy.array([values.p_value for values in seeds]) if with_p else None,
            between=between,
        )

    def where(self, member: numpy.ndarray) -> "Sample":
        """Only the texts of a group, which may differ by seed. Shape of `member`: (seeds, texts)"""
        return replace(
            self,
            value=numpy.where(member, self.value, numpy.nan),
            undefined=numpy.where(member, self.undefined, ""),
            p_value=None if self.p_value is None else numpy.where(member, self.p_value, numpy.nan),
        )

    @property
    def reasons(self) -> dict[str, int]:
        """How many values are undefined for each reason, the most frequent first."""
        return dict(Counter(self.undefined[self.undefined != ""].tolist()).most_common())


def summary(sample: Sample) -> dict[str, Any]:
    """Of one sample."""
    return summaries([sample])[0]


def summaries(samples: Sequence[Sample]) -> list[dict[str, Any]]:
    """
    Of samples of the same seeds and texts. `n` counts values, so a text counts once a seed that has
    a value for it; `low` and `high` are the interval of the mean, and `interval over` says over
    what; `seed std` is that of the seeds' means.
    """
    if not samples:
        return []
    means = intervals(numpy.array([sample.value for sample in samples]))
    ends = zip(means.low, means.high)
    return [_row(*row) for row in zip(samples, ends, means.over, means.df, strict=True)]


def _row(sample: Sample, interval: Sequence[float], over: str, df: float) -> dict[str, Any]:
    reasons = sample.reasons
    return {
        "n": int((~numpy.isnan(sample.value)).sum()),
        "texts": int(texts_with_values(sample.value)),
        "undefined": sum(reasons.values()),
        "reasons": "; ".join(f"{reason}: {times}" for reason, times in reasons.items()),
        **located(sample.value, numpy.clip(interval, *sample.between)),
        "interval over": over,
        "df": float(df),
        "seed std": seed_std(sample.value),
        **significance(sample.p_value),
    }


def located(values: numpy.ndarray, interval: Sequence[float] | numpy.ndarray) -> dict[str, float]:
    """Mean, its interval, standard deviation (of a sample) and median of all that are not NaN."""
    known = values[~numpy.isnan(values)]
    return {
        "mean": float(known.mean()) if len(known) else numpy.nan,
        "low": float(interval[0]),
        "high": float(interval[1]),
        "std": float(known.std(ddof=1)) if len(known) > 1 else numpy.nan,
        "median": float(numpy.median(known)) if len(known) else numpy.nan,
    }


def significance(p_values: numpy.ndarray | None) -> dict[str, float]:
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


def random_scores(like: Scores, keys: numpy.ndarray, *stream: Any) -> Scores:
    """Noise from 0 to 1 for the tokens of `like`."""
    values = uniform(like, keys, "random", *stream)
    return Scores(values=values, offsets=like.offsets, known=like.known)


def permuted(scores: Scores, keys: numpy.ndarray, *stream: Any) -> Scores:
    """Each text's own scores, in random order."""
    order = numpy.argsort(scores.texts + uniform(scores, keys, "permuted", *stream))
    return Scores(values=scores.values[order], offsets=scores.offsets, known=scores.known)


@dataclass(frozen=True)
class Control:
    """
    A sample drawn several times with chance in place of the second column.
    Shape of both: (draws, seeds, texts)

    mean : what chance gives any text on average over all draws there could be, where that is known.
    """

    value: numpy.ndarray
    p_value: numpy.ndarray | None = None
    mean: float | None = None

    def where(self, member: numpy.ndarray) -> "Control":
        """Only the texts of a group, as in `Sample.where`. Shape of `member`: (seeds, texts)"""
        return Control(
            value=numpy.where(member, self.value, numpy.nan),
            p_value=None if self.p_value is None else numpy.where(member, self.p_value, numpy.nan),
            mean=self.mean,
        )

    @property
    def expected(self) -> numpy.ndarray:
        """The mean of chance over its draws, or its known value. Shape: (seeds, texts)"""
        drawn = mean_of_known(self.value, axis=0)
        return drawn if self.mean is None else numpy.where(numpy.isnan(drawn), numpy.nan, self.mean)

    def summary(self, level: float = 0.95) -> dict[str, float]:
        """
        `low` and `high` are the chance band: where the mean over these very texts falls in 95 of
        100 cases if the second column is drawn once more. The draws of a text say what its value
        is on average and how much it varies; however many there are, the band is no narrower than
        a single draw varies.
        """
        band = chance_band(self.value, level, self.mean)
        numbers = {**located(self.value, band), **significance(self.p_value)}
        drawn = not numpy.isnan(numbers["mean"])
        return {**numbers, "mean": self.mean} if drawn and self.mean is not None else numbers


def chance_band(
    values: numpy.ndarray, level: float = 0.95, middle: float | None = None
) -> numpy.ndarray:
    """
    A sum over many independent texts is near normal; its variance is the sum of theirs. The middle,
    unless it is known, is a mean of few draws and has an error of its own.
    Shape: (draws, seeds, texts) -> (2,)
    """
    mean = mean_of_known(values, axis=0)
    known = (~numpy.isnan(values)).sum(axis=0)
    squares = numpy.nansum((values - mean) ** 2, axis=0)
    drawn_often = known > 1
    if not drawn_often.any():
        return numpy.full(2, numpy.nan)
    freedom = known[drawn_often] - 1
    variance = (squares[drawn_often] / freedom).mean()
    texts = known > 0
    of_middle = (1 / known[texts]).mean() if middle is None else 0.0
    error = numpy.sqrt(variance / texts.sum() * (1 + of_middle))
    middle = numpy.nanmean(values) if middle is None else middle
    return middle + t.ppf([(1 - level) / 2, (1 + level) / 2], freedom.sum()) * error


def rescale(value: numpy.ndarray, chance: numpy.ndarray, ceiling: numpy.ndarray) -> numpy.ndarray:
    """
    One number per text whose mean is the scaled mean, (value - chance) / (ceiling - chance): 0 at
    chance, 1 at the ceiling. A ratio of means, not a mean of ratios, which a text with hardly any
    room would decide. Each number is the ratio and what the text adds to its error, to first order
    (Taylor linearisation), so intervals and tests of means serve for the scaled mean as well.
    Shape of all: (..., seeds, texts)
    """
    above, room = value - chance, ceiling - chance
    unknown = numpy.isnan(above) | numpy.isnan(room)
    above, room = (numpy.where(unknown, numpy.nan, numbers) for numbers in (above, room))
    mean_above, mean_room = (
        mean_of_known(numbers, (-2, -1))[..., None, None] for numbers in (above, room)
    )
    with numpy.errstate(divide="ignore", invalid="ignore"):
        scaled = numpy.where(numpy.abs(mean_room) > LEAST_ROOM, mean_above / mean_room, numpy.nan)
        return scaled + (above - scaled * room) / mean_room


def text_keys(ids: Sequence[str]) -> numpy.ndarray:
    """One number per text. Shape: (texts,)"""
    return numpy.array([_hash(str(name)) for name in ids], dtype=numpy.uint64)


def uniform(scores: Scores, keys: numpy.ndarray, *stream: Any) -> numpy.ndarray:
    """
    A number from 0 to 1 for each token that has a score; others in each `stream`, which is named
    by whatever tells it from the rest. Shape: (tokens of all texts,)
    """
    starts = _mixed(keys ^ numpy.uint64(_hash(repr(stream))))
    position = numpy.arange(len(scores.values)) - numpy.repeat(scores.offsets[:-1], scores.lengths)
    numbers = _mixed(numpy.repeat(starts, scores.lengths) + position.astype(numpy.uint64) * GOLDEN)
    return (numbers >> numpy.uint64(11)) * 2.0**-53


def _mixed(numbers: numpy.ndarray) -> numpy.ndarray:
    """SplitMix64 (Steele, Lea & Flood 2014): counters in, random bits out."""
    numbers = numbers + GOLDEN
    numbers = (numbers ^ (numbers >> numpy.uint64(30))) * numpy.uint64(0xBF58476D1CE4E5B9)
    numbers = (numbers ^ (numbers >> numpy.uint64(27))) * numpy.uint64(0x94D049BB133111EB)
    return numbers ^ (numbers >> numpy.uint64(31))


def _hash(text: str) -> int:
    digest = hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return int.from_bytes(digest, "little")
