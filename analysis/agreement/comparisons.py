"""
Agreements compared on the same texts: is a method nearer to this one or to that one, and is it so
in this model more than in that one?
"""

from itertools import combinations
from typing import Any, Callable, Dict, List, Sequence, Tuple

import numpy
import pandas

from analysis.agreement.agreements import Agreement
from analysis.agreement.pairs import ATTENTION, SEPARATOR
from analysis.estimate import estimates, number
from analysis.statistics.paired import (
    difference_columns,
    paired_across_models,
    paired_in_one_model,
)
from analysis.statistics.significance import ALPHA, SignFlips, holm

Compared = Tuple[Agreement, Agreement]
# Rows of the extracts for people.
MOST_SHOWN = 30
# The columns of the difference between two places.
PLACES = "difference of places"


def paired_methods(agreed: Sequence[Agreement], flips: SignFlips) -> pandas.DataFrame:
    """
    In each model, every two pairs that have a method in common: which of the two other methods is
    nearer to it? `p Holm` counts the comparisons of the same model by the same measure.
    """
    tables = []
    for one in _families(agreed, lambda agreement: (agreement.model.name, agreement.measure.name)):
        compared = [(a, b) for a, b in combinations(one, 2) if set(a.pair) & set(b.pair)]
        rows = [
            {
                "model": a.model.name,
                "measure": a.measure.name,
                "first pair": str(a.pair),
                "second pair": str(b.pair),
            }
            for a, b in compared
        ]
        tables.append(_family(rows, compared, paired_in_one_model, flips))
    return _joined(tables)


def paired_models(agreed: Sequence[Agreement], flips: SignFlips) -> pandas.DataFrame:
    """
    Every two models, for each pair of methods. `p Holm` counts the comparisons by the same measure.
    """
    tables = []
    for one in _families(agreed, lambda agreement: agreement.measure.name):
        compared = [
            (a, b)
            for a, b in combinations(one, 2)
            if a.pair == b.pair and a.model.name != b.model.name
        ]
        rows = [
            {
                "measure": a.measure.name,
                "pair": str(a.pair),
                "first model": a.model.name,
                "second model": b.model.name,
            }
            for a, b in compared
        ]
        tables.append(_family(rows, compared, paired_across_models, flips))
    return _joined(tables)


def shown_comparisons(table: pandas.DataFrame) -> pandas.DataFrame:
    """
    The largest differences, largest first, and of attention's pairs if there are some: what others
    are nearer to is in the csv. A column that always says the same is left out.
    """
    if "first pair" in table:
        about_attention = table["first pair"].map(_has_attention)
        about_attention &= table["second pair"].map(_has_attention)
        table = table[about_attention] if about_attention.any() else table
    largest = table["difference"].abs().sort_values(ascending=False, kind="stable").index
    table = table.loc[largest[:MOST_SHOWN]].reset_index(drop=True)
    names = [
        name
        for name in table.columns[: table.columns.get_loc("first mean")]
        if name not in ("model", "measure") or table[name].nunique() > 1
    ]
    shown = table[[*names, "first mean", "second mean"]].copy()
    shown["difference [95 %]"] = estimates(table, mean="difference")
    if table[PLACES].notna().any():
        shown[f"{PLACES} [95 %]"] = estimates(table, PLACES)
    shown["p"] = table["p"].map(_p)
    shown["p Holm"] = table["p Holm"].map(_p)
    shown["differ"] = numpy.where(_differ(table), "yes", "no")
    shown["texts"] = table["texts"]
    return shown


def _has_attention(pair: str) -> bool:
    return ATTENTION in pair.split(SEPARATOR)


def _differ(table: pandas.DataFrame) -> pandas.Series:
    """By the texts, whatever seeds had been drawn, and not for their ties alone."""
    above, below = table["low"] > 0, table["high"] < 0
    known = table[PLACES].notna()
    above &= ~known | (table[f"{PLACES} low"] > 0)
    below &= ~known | (table[f"{PLACES} high"] < 0)
    return (above | below) & (table["p Holm"] <= ALPHA)


def _p(value: float) -> str:
    return "< 0.001" if value < 0.001 else number(value)


def _families(
    agreed: Sequence[Agreement], key: Callable[[Agreement], Any]
) -> List[List[Agreement]]:
    grouped: Dict[Any, List[Agreement]] = {}
    for agreement in agreed:
        grouped.setdefault(key(agreement), []).append(agreement)
    return list(grouped.values())


def _family(
    rows: List[Dict[str, Any]],
    compared: Sequence[Compared],
    test: Callable[[numpy.ndarray, numpy.ndarray, SignFlips], Dict[str, numpy.ndarray]],
    flips: SignFlips,
) -> pandas.DataFrame:
    """The numbers beside the names; seeds of the models compared may differ in number."""
    table = pandas.DataFrame(rows)
    if table.empty:
        return table
    shapes = [tuple(len(one.model.files) for one in pair) for pair in compared]
    parts = []
    for shape in dict.fromkeys(shapes):
        places = [place for place, other in enumerate(shapes) if other == shape]
        first, second = (
            numpy.array([compared[place][side].observed.value for place in places])
            for side in (0, 1)
        )
        parts.append(pandas.DataFrame(test(first, second, flips), index=places))
    table = table.join(pandas.concat(parts).sort_index())
    in_one_model = test is paired_in_one_model
    table = table.join(
        pandas.DataFrame([_place_difference(*two, in_one_model) for two in compared])
    )
    table["p Holm"] = holm(table["p"].to_numpy())
    return table


def _place_difference(a: Agreement, b: Agreement, in_one_model: bool) -> Dict[str, float]:
    """Of their places between chance and ceiling, on the texts that both have a value for."""
    known = [~numpy.isnan(one.observed.value).all(axis=0) for one in (a, b)]
    both = known[0] & known[1]
    return difference_columns(PLACES, a.place(both), b.place(both), in_one_model)


def _joined(tables: Sequence[pandas.DataFrame]) -> pandas.DataFrame:
    filled = [table for table in tables if not table.empty]
    return pandas.concat(filled, ignore_index=True) if filled else pandas.DataFrame()
