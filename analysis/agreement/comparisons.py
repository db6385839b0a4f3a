"""
Agreements compared on the same texts: is a method nearer to this one or to that one, is it so in
this model more than in that one, and do methods agree with each other better than with attention?
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import combinations
from typing import Any

import numpy
import pandas

from analysis.agreement.agreements import ATTENTION, SEPARATOR, SIGNED, Agreement
from analysis.statistics.intervals import mean_of_known
from analysis.statistics.significance import (
    ALPHA,
    SignFlips,
    difference_columns,
    holm,
    paired_across_models,
    paired_in_one_model,
)
from analysis.written import estimates, number

Compared = tuple[Agreement, Agreement]
# Rows of the extracts for people.
MOST_SHOWN = 30
# The columns of the difference between two scaled agreements.
SCALED = "scaled difference"
# The column of how far methods agree better with each other than with attention.
LESS = "others less attention"
# What is no saliency method for inputs.
OTHERS = ("random", "rationale", "gradient-hidden", "leave-one-out-hidden", "input-to-hidden")
# Begins the names of attention in other forms: of a layer, rolled out, times gradients.
OF_ATTENTION = f"{ATTENTION}-"
# Methods that agree by more than that are one.
SAME = 0.95


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
    """Every two models, for each pair of methods; `p Holm` counts the comparisons by a measure."""
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
    """The largest differences, of attention's pairs if any; without constant columns."""
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
    if table[SCALED].notna().any():
        shown[f"{SCALED} [95 %]"] = estimates(table, SCALED)
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
    known = table[SCALED].notna()
    above &= ~known | (table[f"{SCALED} low"] > 0)
    below &= ~known | (table[f"{SCALED} high"] < 0)
    return (above | below) & (table["p Holm"] <= ALPHA)


def _p(value: float) -> str:
    return "< 0.001" if value < 0.001 else number(value)


def _families(
    agreed: Sequence[Agreement], key: Callable[[Agreement], Any]
) -> list[list[Agreement]]:
    grouped: dict[Any, list[Agreement]] = {}
    for agreement in agreed:
        grouped.setdefault(key(agreement), []).append(agreement)
    return list(grouped.values())


def _family(
    rows: list[dict[str, Any]],
    compared: Sequence[Compared],
    test: Callable[[numpy.ndarray, numpy.ndarray, SignFlips], dict[str, numpy.ndarray]],
    flips: SignFlips,
) -> pandas.DataFrame:
    """The numbers next to the names; seeds of the models compared may differ in number."""
    table = pandas.DataFrame(rows)
    if table.empty:
        return table
    shapes = [tuple(len(one.model.files) for one in pair) for pair in compared]
    parts = []
    for shape in dict.fromkeys(shapes):
        positions = [position for position, other in enumerate(shapes) if other == shape]
        first, second = (
            numpy.array([compared[position][side].observed.value for position in positions])
            for side in (0, 1)
        )
        parts.append(pandas.DataFrame(test(first, second, flips), index=positions))
    table = table.join(pandas.concat(parts).sort_index())
    in_one_model = test is paired_in_one_model
    table = table.join(
        pandas.DataFrame([_scaled_difference(*two, in_one_model) for two in compared])
    )
    table["p Holm"] = holm(table["p"].to_numpy())
    return table


def _scaled_difference(a: Agreement, b: Agreement, in_one_model: bool) -> dict[str, float]:
    """The difference of their scaled agreement, on the texts that both have a value for."""
    known = [~numpy.isnan(one.observed.value).all(axis=0) for one in (a, b)]
    both = known[0] & known[1]
    return difference_columns(SCALED, a.scaled(both), b.scaled(both), in_one_model)


def _joined(tables: Sequence[pandas.DataFrame]) -> pandas.DataFrame:
    filled = [table for table in tables if not table.empty]
    return pandas.concat(filled, ignore_index=True) if filled else pandas.DataFrame()


def tells_apart(pair: Iterable[str]) -> bool:
    """Whether both are saliency methods, or one of them attention itself; other forms of it are neither."""
    return not any(name in OTHERS or name.startswith(OF_ATTENTION) for name in pair)


def repeated(means: Mapping[tuple[str, str], float]) -> set[str]:
    """Of methods that agree as if they were one, by the mean agreement of each pair: all but the first."""
    return {second for (first, second), mean in means.items() if first != ATTENTION and mean > SAME}


def attention_apart(agreed: Sequence[Agreement]) -> pandas.DataFrame:
    """
    One row per model and measure that has both kinds of pairs, and scaled values of all: the mean scaled agreement of the
    pairs of other methods less that of attention's, methods that are one counted once.
    """
    grouped: dict[tuple, list[Agreement]] = {}
    for one in agreed:
        if tells_apart(one.pair):
            grouped.setdefault((one.model.name, one.measure.name), []).append(one)
    rows = [_apart(several) for several in grouped.values()]
    return pandas.DataFrame([row for row in rows if row is not None])


def _apart(agreed: Sequence[Agreement]) -> dict[str, Any] | None:
    again = repeated({one.pair: float(mean_of_known(one.observed.value, (0, 1))) for one in agreed})
    agreed = [one for one in agreed if not again & set(one.pair)]
    of_attention = [one for one in agreed if ATTENTION in one.pair]
    among = [one for one in agreed if ATTENTION not in one.pair]
    # Attention is unsigned: other pairs by their signs too would be more than it can have.
    among = [one for one in among if one.compared != SIGNED] or among
    if not of_attention or not among:
        return None
    ours, theirs = (_averaged([one.scaled() for one in part]) for part in (of_attention, among))
    less = difference_columns(LESS, theirs, ours, one_model=True)
    if numpy.isnan(less[LESS]):
        return None
    return {
        "corpus": agreed[0].model.config.corpus,
        "model": agreed[0].model.name,
        "measure": agreed[0].measure.name,
        "pairs of attention": len(of_attention),
        "pairs of others": len(among),
        "of attention": float(ours.mean()),
        "of others": float(theirs.mean()),
        **less,
    }


def _averaged(several: Sequence[numpy.ndarray]) -> numpy.ndarray:
    """
    Values whose mean is the average of the means, however many values each has: a value that is
    missing moves its mean by nothing. Shape of each: (seeds, texts)
    """
    values = numpy.array(several)
    means = mean_of_known(values, (1, 2))[:, None, None]
    known = ~numpy.isnan(values)
    share = known.mean(axis=(1, 2), keepdims=True)
    with numpy.errstate(divide="ignore", invalid="ignore"):
        moves = numpy.where(known, (values - means) / share, 0.0)
    return (means + moves).mean(axis=0)
