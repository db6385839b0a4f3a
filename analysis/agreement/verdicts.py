"""What the numbers say about chance, in words."""

from typing import List, Sequence

import pandas

from analysis.agreement.groups import OVERALL
from analysis.agreement.pairs import ATTENTION, Pair
from analysis.formats import cell
from analysis.measures.measure import Measure
from analysis.statistics.corrections import ALPHA

MOST_NAMED = 5


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


def verdicts(table: pandas.DataFrame, measures: Sequence[Measure]) -> List[str]:
    """A sentence or two for each model and measure."""
    overall = table[table["group"] == OVERALL]
    return [
        _verdict(rows, measure)
        for measure in measures
        for _, rows in overall[overall["measure"] == measure.name].groupby("model", sort=False)
    ]


def _verdict(rows: pandas.DataFrame, measure: Measure) -> str:
    first = rows.iloc[0]
    undefined = rows["mean"].isna()
    defined = rows[~undefined]
    chance = defined[no_better_than_chance(defined, measure)]
    seeds = f", {first['seeds']} seeds" if first["seeds"] > 1 else ""
    opening = f"{first['model']} on {first['corpus']} ({measure.name}, {_texts(rows)}{seeds}): "
    if defined.empty:
        return opening + "no pair of methods has a value."
    sentences = [_about_chance(defined, chance) + "."]
    if undefined.any():
        sentences.append(f"{_named(rows[undefined])} has no value on any text.")
    if len(defined) > 1:
        best = defined.loc[
            defined["mean"].idxmin() if measure.distance else defined["mean"].idxmax()
        ]
        sentences.append(f"The closest are {_with_numbers(best)}.")
    return opening + " ".join(sentences)


def _about_chance(defined: pandas.DataFrame, chance: pandas.DataFrame) -> str:
    if len(defined) == 1:
        better = "better" if chance.empty else "no better"
        return f"{_with_numbers(defined.iloc[0])} agree {better} than chance"
    if chance.empty:
        return f"all {len(defined)} pairs of methods agree better than chance"
    which = len(defined) - len(chance) or "none"
    better = f"{which} of {len(defined)} pairs of methods agree better than chance"
    return better if which == "none" else f"{better}; not so {_named(chance)}"


def _named(rows: pandas.DataFrame) -> str:
    """Attention's pairs first; many are counted and not named."""
    about_attention = (rows["first"] == ATTENTION) | (rows["second"] == ATTENTION)
    ordered = pandas.concat([rows[about_attention], rows[~about_attention]])
    names = [str(Pair(*pair)) for pair in zip(ordered["first"], ordered["second"])]
    more = len(names) - MOST_NAMED
    if more > 1:
        return f"{', '.join(names[:MOST_NAMED])} and {more} more"
    return " and ".join(filter(None, [", ".join(names[:-1]), names[-1]]))


def _with_numbers(row: pandas.Series) -> str:
    interval = f"[{cell(row['low'])}, {cell(row['high'])}]"
    chance = f"chance {cell(row['permuted mean'])}"
    return f"{Pair(row['first'], row['second'])} ({cell(row['mean'])} {interval}, {chance})"


def _texts(rows: pandas.DataFrame) -> str:
    most = int(rows["texts"].max())
    return f"{most} text{'' if most == 1 else 's'}"
