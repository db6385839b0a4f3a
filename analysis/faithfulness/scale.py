"""
Where methods stand between chance and the best possible: (method - random) / (search - random), the
mean of what a method gains over the mean of what could be gained, with intervals over texts and seeds.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy

from analysis.faithfulness.files import FaithfulnessFile, FaithfulnessMeasure
from analysis.models import Model
from analysis.statistics.intervals import Intervals, intervals
from analysis.statistics.samples import placed
from analysis.statistics.significance import SignFlips, paired_in_one_model
from attention_explain.files.faithfulness import RANDOM, SEARCH, TIED


@dataclass(frozen=True)
class Measured:
    """
    One measure of all methods of a model.

    values : by method, the ends of the scale among them if it has one; NaN where undefined.
        Shape: (seeds, texts)
    higher_is_better : whether a large value speaks for a method.
    """

    measure: FaithfulnessMeasure
    values: dict[str, numpy.ndarray]
    higher_is_better: bool

    @property
    def methods(self) -> list[str]:
        """Those that were judged."""
        return [name for name in self.values if name not in (RANDOM, SEARCH)]

    @property
    def has_scale(self) -> bool:
        """Whether both ends are there, and apart."""
        return {RANDOM, SEARCH} <= set(self.values) and bool(numpy.nansum(self.could_gain) != 0)

    @property
    def could_gain(self) -> numpy.ndarray:
        """What the best order has over random ones. Shape: (seeds, texts)"""
        return self.values[SEARCH] - self.values[RANDOM]

    def stacked(self, methods: Sequence[str]) -> numpy.ndarray:
        """Shape: (methods, seeds, texts)"""
        return numpy.array([self.values[method] for method in methods])

    def means(self, methods: Sequence[str]) -> Intervals:
        """Of the values themselves."""
        return intervals(self.stacked(methods))

    def places(self, methods: Sequence[str]) -> Intervals:
        """On the scale: 0 is chance, 1 the best possible."""
        return intervals(placed(self.stacked(methods), self.values[RANDOM], self.values[SEARCH]))

    def apart(
        self, first: Sequence[str], second: Sequence[str], flips: SignFlips = SignFlips()
    ) -> dict[str, numpy.ndarray]:
        """
        How far the places of two methods are apart, first less second, on the texts that both have;
        with the p-value of the sign-flip test on the values of the same texts.
        """
        firsts, seconds = self.stacked(first), self.stacked(second)
        more = firsts - seconds
        both = ~numpy.isnan(more)
        estimates = intervals(placed(more, numpy.zeros_like(more), self.could_gain))
        tested = paired_in_one_model(firsts, seconds, flips)
        return {
            "difference": estimates.mean,
            **estimates.columns(),
            "p": tested["p"],
            "texts": both.any(axis=1).sum(axis=1),
        }


@cache
def measured(model: Model) -> list[Measured]:
    """
    All measures of a model, from the files of its seeds, in the order of the first. Several tables and
    figures are made of them: they are put together once.
    """
    first: FaithfulnessFile = model.files[0]
    places = {text: place for place, text in enumerate(first.ids)}
    return [
        Measured(
            measure,
            _values(model.files, measure, list(dict.fromkeys(rows["method"].tolist())), places),
            True if measure.name == TIED else first.higher_is_better(measure.name),
        )
        for measure, rows in first.by_measure.items()
    ]


def _values(
    files: Sequence[FaithfulnessFile],
    measure: FaithfulnessMeasure,
    methods: Sequence[str],
    places: dict[str, int],
) -> dict[str, numpy.ndarray]:
    """By method, of each text; NaN where there is none. Shape: (seeds, texts)"""
    values = numpy.full((len(methods), len(files), len(places)), numpy.nan)
    numbers = {method: number for number, method in enumerate(methods)}
    for seed, file in enumerate(files):
        rows = file.by_measure.get(measure)
        if rows is None:
            continue
        known = rows["value"].to_numpy(dtype=float, na_value=numpy.nan)
        of_methods = numpy.array([numbers.get(name, -1) for name in rows["method"].tolist()])
        of_texts = numpy.array([places[text] for text in rows["id"].tolist()])
        # Another seed may have been judged by other methods, too.
        wanted = of_methods >= 0
        values[of_methods[wanted], seed, of_texts[wanted]] = known[wanted]
    return dict(zip(methods, values, strict=True))


def shares_tied(of_model: Sequence[Measured]) -> dict[str, float]:
    """By method: the mean share of tokens whose rank is also another's."""
    tied = next((each for each in of_model if each.measure.name == TIED), None)
    if tied is None:
        return {}
    return dict(zip(tied.methods, tied.means(tied.methods).mean.tolist()))


def rows_of(each: Measured) -> list[dict[str, Any]]:
    """One row per method, the ends of the scale last: mean value, score on the scale, and how many texts."""
    methods = [*each.methods, *(end for end in (RANDOM, SEARCH) if end in each.values)]
    means = each.means(methods)
    scale = each.places(methods) if each.has_scale else None
    rows = []
    for place, method in enumerate(methods):
        known = ~numpy.isnan(each.values[method])
        row = {
            "measure": each.measure.name,
            "erasure": each.measure.erasure,
            "k": each.measure.k,
            "method": method,
            "mean": means.mean[place],
            "low": means.low[place],
            "high": means.high[place],
        }
        for name in ("mean", "low", "high"):
            column = "score" if name == "mean" else f"score {name}"
            row[column] = numpy.nan if scale is None else getattr(scale, name)[place]
        rows.append(
            {**row, "interval over": means.over[place], "texts": int(known.any(axis=0).sum())}
        )
    return rows
