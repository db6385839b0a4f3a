"""Whether agreement on the top k is more than chance, in a sentence made from the numbers."""

from typing import Dict

import pandas

from analysis.formats import cell

MEASURES = {"as-published": "Scored as published", "fagin": "scored as Fagin et al. define it"}


def places(table: pandas.DataFrame) -> pandas.Series:
    """
    From columns `low`, `high`, `chance low` and `chance high`: `above` or `below` where the
    interval of the mean and the chance band have nothing in common, `inside` where they overlap.
    Rows that lack an end have no place and are left out.
    """
    table = table.dropna(subset=["low", "high", "chance low", "chance high"])
    place = pandas.Series("inside", index=table.index)
    place[table["low"] > table["chance high"]] = "above"
    place[table["high"] < table["chance low"]] = "below"
    return place


def beside_chance(table: pandas.DataFrame) -> str:
    """
    A sentence on how the agreements of these rows stand to chance: of those with k = non-zero
    weights, the paper's headline, if any model has zeros; else of all.
    """
    headline = table[table["k"] == "non-zero"]
    rows = headline if len(headline) else table
    where = "at k = non-zero" if len(headline) else "on the top k"
    parts = [
        f"{words}, agreement {where} is {_counted(rows[rows['measure'] == measure])}"
        for measure, words in MEASURES.items()
    ]
    return f"{'; '.join(parts)}.{_published(rows)}"


def _counted(rows: pandas.DataFrame) -> str:
    """`inside the chance band in 3 of 8 comparisons and below it in 5 (mean .8, chance .8)`"""
    place_of = places(rows)
    count: Dict[str, int] = place_of.value_counts().to_dict()
    if not count:
        return "without an interval to hold against chance"
    rows = rows.loc[place_of.index]
    numbers = (
        f"(mean {cell(rows['mean'].mean())}, random scores {cell(rows['random mean'].mean())})"
    )
    total = len(rows)
    if len(count) == 1:
        (place,) = count
        comparisons = f"all {total} comparisons" if total > 1 else "the only comparison"
        return f"{place} the chance band in {comparisons} {numbers}"
    first, *others = (place for place in ("above", "inside", "below") if place in count)
    rest = " and ".join(f"{place} it in {count[place]}" for place in others)
    return f"{first} the chance band in {count[first]} of {total} comparisons, {rest} {numbers}"


def _published(rows: pandas.DataFrame) -> str:
    """How the published values stand to the band of these models."""
    known = rows[rows["published"].notna()]
    if known.empty:
        return ""
    above = int((known["published"] > known["chance high"]).sum())
    lie = "lie" if above > 1 else "lies"
    return f" Of {len(known)} published values {above or 'none'} {lie} above that band."
