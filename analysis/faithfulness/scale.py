"""
Faithfulness scores by one measure: (method - random) / (search - random), a ratio of means, with intervals
over texts and seeds. 0 = random order, 1 = best order found.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy

from analysis.models import Model
from analysis.statistics.intervals import Intervals, intervals
from analysis.statistics.samples import rescale
from analysis.statistics.significance import SignFlips, paired_in_one_model
from analysis.text_files import FaithfulnessFile, FaithfulnessMeasure
from attention_explain.files.faithfulness import CONTROLS, RANDOM, SEARCH, TIED


@dataclass(frozen=True)
class Measured:
    """
    The values of one measure for all methods of a model.

    values : by method, the ends of the scale among them if it has one; NaN where undefined.
        Shape: (seeds, texts)
    higher_is_better : whether a larger value is better.
    """

    measure: FaithfulnessMeasure
    values: dict[str, numpy.ndarray]
    higher_is_better: bool

    @property
    def methods(self) -> list[str]:
        """The methods without the ends of the scale and the reference."""
        return [name for name in self.values if name not in CONTROLS]

    @property
    def has_scale(self) -> bool:
        """Whether it has both ends, and they differ."""
        return {RANDOM, SEARCH} <= set(self.values) and bool(numpy.nansum(self.could_gain) != 0)

    @property
    def could_gain(self) -> numpy.ndarray:
        """How far the best order is from random ones. Shape: (seeds, texts)"""
        return self.values[SEARCH] - self.values[RANDOM]

    def stacked(self, methods: Sequence[str]) -> numpy.ndarray:
        """Shape: (methods, seeds, texts)"""
        return numpy.array([self.values[method] for method in methods])

    def means(self, methods: Sequence[str]) -> Intervals:
        """Of the values themselves."""
        return intervals(self.stacked(methods))

    def scores(self, methods: Sequence[str]) -> Intervals:
        """0 = random order, 1 = best order found."""
        return intervals(rescale(self.stacked(methods), self.values[RANDOM], self.values[SEARCH]))

    def apart(
        self, first: Sequence[str], second: Sequence[str], flips: SignFlips = SignFlips()
    ) -> dict[str, numpy.ndarray]:
        """
        The difference of the scores of two methods, first less second, on the texts that both have;
        with the p-value of the sign-flip test on the values of the same texts.
        """
        firsts, seconds = self.stacked(first), self.stacked(second)
        more = firsts - seconds
        both = ~numpy.isnan(more)
        estimates = intervals(rescale(more, numpy.zeros_like(more), self.could_gain))
        tested = paired_in_one_model(firsts, seconds, flips)
        return {
            "difference": estimates.mean,
            **estimates.columns(),
            "p": tested["p"],
            "texts": both.any(axis=1).sum(axis=1),
        }


@cache
def measured(model: Model[FaithfulnessFile]) -> list[Measured]:
    """All measures of a model over its seeds; cached, because several tables use them."""
    first = model.files[0]
    positions = {text: position for position, text in enumerate(first.ids)}
    return [
        Measured(
            measure,
            _values(model.files, measure, list(dict.fromkeys(rows["method"].tolist())), positions),
            True if measure.name == TIED else first.higher_is_better(measure.name),
        )
        for measure, rows in first.by_measure.items()
    ]


def _values(
    files: Sequence[FaithfulnessFile],
    measure: FaithfulnessMeasure,
    methods: Sequence[str],
    positions: dict[str, int],
) -> dict[str, numpy.ndarray]:
    """By method, of each text; NaN where there is none. Shape: (seeds, texts)"""
    values = numpy.full((len(methods), len(files), len(positions)), numpy.nan)
    numbers = {method: number for number, method in enumerate(methods)}
    for seed, file in enumerate(files):
        rows = file.by_measure.get(measure)
        if rows is None:
            continue
        known = rows["value"].to_numpy(dtype=float, na_value=numpy.nan)
        of_methods = numpy.array([numbers.get(name, -1) for name in rows["method"].tolist()])
        of_texts = numpy.array([positions[text] for text in rows["id"].tolist()])
        # The file of another seed may have more methods.
        wanted = of_methods >= 0
        values[of_methods[wanted], seed, of_texts[wanted]] = known[wanted]
    return dict(zip(methods, values, strict=True))


def shares_tied(of_model: Sequence[Measured]) -> dict[str, float]:
    """The mean fraction of tokens with tied scores, by method."""
    tied = next((each for each in of_model if each.measure.name == TIED), None)
    if tied is None:
        return {}
    return dict(zip(tied.methods, tied.means(tied.methods).mean.tolist()))


def rows_of(each: Measured) -> list[dict[str, Any]]:
    """One row per method, the ends of the scale last: mean value, score, and number of texts."""
    methods = [*each.methods, *(end for end in (RANDOM, SEARCH) if end in each.values)]
    means = each.means(methods)
    scale = each.scores(methods) if each.has_scale else None
    rows = []
    for index, method in enumerate(methods):
        known = ~numpy.isnan(each.values[method])
        row = {
            "measure": each.measure.name,
            "erasure": each.measure.removal,
            "k": each.measure.k,
            "method": method,
            "mean": means.mean[index],
            "low": means.low[index],
            "high": means.high[index],
        }
        for name in ("mean", "low", "high"):
            column = "score" if name == "mean" else f"score {name}"
            row[column] = numpy.nan if scale is None else getattr(scale, name)[index]
        rows.append(
            {**row, "interval over": means.over[index], "texts": int(known.any(axis=0).sum())}
        )
    return rows
