"""What the numbers say about chance, in words."""

from collections.abc import Mapping, Sequence
from typing import Any

import pandas

from analysis.agreement.agreement_table import OVERALL
from analysis.agreement.agreements import ATTENTION, CONTROL, UNSIGNED, Pair
from analysis.formats import cell
from analysis.measures.measure import Measure
from analysis.performance import NOTHING
from analysis.statistics.significance import ALPHA
from analysis.written import Estimate

MOST_NAMED = 6
# A ceiling that is no further from 1 is 1.
REACHABLE = 0.005


def no_better_than_chance(table: pandas.DataFrame, measure: Measure) -> pandas.Series:
    """
    Compared with the permuted control, which has the same scores in another order. Better is what
    has the interval of the difference wholly on the better side of 0, and a p-value that is
    significant after correction for the number of pairs: of many pairs, some intervals leave out 0
    by chance.
    """
    if measure.distance:
        better = table["above permuted high"] < 0
    else:
        better = table["above permuted low"] > 0
    return ~(better & (table["above permuted p Holm"] <= ALPHA))


def findings(table: pandas.DataFrame, measures: Sequence[Measure]) -> list[str]:
    """A sentence or two for each model, by the first of the measures: the table has the others."""
    overall = table[table["group"] == OVERALL]
    of_first = overall[overall["measure"] == measures[0].name]
    return [_finding(rows, measures[0]) for _, rows in of_first.groupby("model", sort=False)]


def _finding(rows: pandas.DataFrame, measure: Measure) -> str:
    first = rows.iloc[0]
    seeds = f", {first['seeds']} seeds" if first["seeds"] > 1 else ""
    opening = f"{first['model']} on {first['corpus']} ({measure.name}, {_texts(rows)}{seeds}): "
    if first[NOTHING]:
        return f"{opening}{NOTHING}: {first[NOTHING]}."
    rows = _without_control(rows)
    undefined = rows["mean"].isna()
    defined = rows[~undefined].assign(better=lambda table: ~no_better_than_chance(table, measure))
    if defined.empty:
        return opening + f"no pair of methods has a value ({_why(rows)})."
    of_attention = _about(defined, ATTENTION)
    sentences = []
    if of_attention.any():
        sentences.append(_about_attention(defined[of_attention]))
    if not of_attention.all():
        which = "other " if of_attention.any() else ""
        sentences.append(_about_pairs(defined[~of_attention], which))
    if undefined.any():
        without = rows[undefined]
        sentences.append(f"{_listed(_pairs(without))} has no value on any text ({_why(without)}).")
    if len(defined) > 1:
        sentences.append(f"The closest are {_with_numbers(_closest(defined, measure))}.")
    return opening + " ".join(sentences)


def _closest(rows: pandas.DataFrame, measure: Measure) -> pandas.Series:
    """By scaled agreement, if all have it: ties hold the means of some pairs down more than others'."""
    if rows["scaled"].notna().all():
        return rows.loc[rows["scaled"].idxmax()]
    means = rows["mean"]
    return rows.loc[means.idxmin() if measure.distance else means.idxmax()]


def _why(rows: pandas.DataFrame) -> str:
    """The reasons of rows without a value, each once, without how often it holds."""
    reasons = "; ".join(rows["reasons"]).split("; ")
    return ", ".join(dict.fromkeys(reason.rpartition(": ")[0] for reason in reasons))


def _without_control(rows: pandas.DataFrame) -> pandas.DataFrame:
    """A method that is random is there to agree with nothing: worth a row, but no finding."""
    rest = rows[~_about(rows, CONTROL)]
    return rows if rest.empty else rest


def _about(rows: pandas.DataFrame, method: str) -> pandas.Series:
    return (rows["first"] == method) | (rows["second"] == method)


def _about_attention(rows: pandas.DataFrame) -> str:
    partners = rows["first"].where(rows["first"] != ATTENTION, rows["second"])
    numbers = [cell(row["mean"]) + _of_ceiling(row) for row in rows.to_dict("records")]
    named = partners + " (" + pandas.Series(numbers, index=rows.index) + ")"
    agrees, does_not = named[rows["better"]].tolist(), named[~rows["better"]].tolist()
    if not does_not:
        return f"attention agrees better than chance with {_listed(agrees)}."
    if not agrees:
        return f"attention agrees no better than chance with {_listed(does_not)}."
    return (
        f"attention agrees better than chance with {_listed(agrees)}, but not with "
        f"{_listed(does_not)}."
    )


def _about_pairs(rows: pandas.DataFrame, which: str) -> str:
    if len(rows) == 1:
        better = "better" if rows["better"].all() else "no better"
        return f"{_with_numbers(rows.iloc[0])} agree {better} than chance."
    count = {len(rows): "all", 0: "none"}.get(rows["better"].sum(), str(rows["better"].sum()))
    sentence = f"Of {len(rows)} {which}pairs {count} agree better than chance"
    rest = _pairs(rows[~rows["better"]])
    return f"{sentence}; not so {_listed(rest)}." if 0 < len(rest) < len(rows) else f"{sentence}."


def _pairs(rows: pandas.DataFrame) -> list[str]:
    return [str(Pair(*pair)) for pair in zip(rows["first"], rows["second"])]


def _listed(names: Sequence[str]) -> str:
    """Many are counted and not named."""
    more = len(names) - MOST_NAMED
    if more > 1:
        return f"{', '.join(names[:MOST_NAMED])} and {more} more"
    return " and ".join(filter(None, [", ".join(names[:-1]), names[-1]]))


def _with_numbers(row: pandas.Series) -> str:
    chance = f"chance {cell(row['permuted mean'])}"
    pair = Pair(row["first"], row["second"])
    compared = "" if row["compared"] == UNSIGNED else f", {row['compared']}"
    return f"{pair} ({Estimate.of(row)}{_of_ceiling(row)}{compared}, {chance})"


def _of_ceiling(row: Mapping[str, Any]) -> str:
    """What a mean has to be read with: the best that it could be; the table has the rest."""
    return f" of {cell(row['ceiling'])}" if abs(row["ceiling"] - 1) > REACHABLE else ""


def _texts(rows: pandas.DataFrame) -> str:
    most = int(rows["texts"].max())
    return f"{most} text{'' if most == 1 else 's'}"
