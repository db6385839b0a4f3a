"""
Agreements of a paper's table compared on the same texts: of two pairs of methods in one model, and
of one pair in two models that differ in their encoder, their scorer or their projection alone.
"""

from itertools import combinations
from typing import Any, Dict, Sequence

import numpy
import pandas

from analysis.agreement.agreements import Agreement
from analysis.agreement.same_texts import check_same_texts
from analysis.errors import AnalysisError
from analysis.output import Output
from analysis.papers.shared.published import intervals
from analysis.papers.shared.study_files import described
from analysis.roles import PLAIN
from analysis.seeds import Model
from analysis.statistics.intervals import ABOUT_INTERVALS
from analysis.statistics.paired import difference_columns

DIFFERENCE, OF_PLACES = "difference", "difference of places"
NOTE = (
    "First less second, text by text. Places: from chance (0) to the best that ties allow (1). "
    f"{ABOUT_INTERVALS} They are not corrected for the number of comparisons."
)


def add_differences(output: Output, name: str, found: Sequence[Agreement]) -> None:
    """A table, if anything can be compared."""
    rows = [_row(*pair) for pair in combinations(found, 2) if _alike(*pair)]
    table = pandas.DataFrame([row for row in rows if not numpy.isnan(row[DIFFERENCE])])
    if table.empty:
        return
    models = list({id(one.model): one.model for one in found}.values())
    shown = table[["corpus", "first model", "second model", "first pair", "second pair", "measure"]]
    for difference in (DIFFERENCE, OF_PLACES):
        ends = intervals(table, f"{difference} low", f"{difference} high")
        shown = shown.assign(**{difference: table[difference], f"{difference}, interval": ends})
    output.table(
        name,
        table,
        f"Which agreement is the larger? Differences on the same texts. {described(models)}.",
        NOTE,
        shown,
    )


def _row(first: Agreement, second: Agreement) -> Dict[str, Any]:
    one_model = first.model is second.model
    return {
        "corpus": first.model.config.corpus,
        "measure": first.measure.name,
        "first model": first.model.name,
        "first pair": str(first.pair),
        "second model": second.model.name,
        "second pair": str(second.pair),
        **difference_columns(DIFFERENCE, first.observed.value, second.observed.value, one_model),
        **difference_columns(OF_PLACES, first.place(), second.place(), one_model),
    }


def _alike(first: Agreement, second: Agreement) -> bool:
    if first.measure.name != second.measure.name:
        return False
    if first.model is second.model:
        return bool(set(first.pair) & set(second.pair))
    return first.pair == second.pair and _one_apart(first.model, second.model)


def _one_apart(first: Model, second: Model) -> bool:
    one, other = first.config, second.config
    if not one.role == other.role == PLAIN:
        return False
    names = ("encoder", "attention", "projection")
    apart = [name for name in names if getattr(one, name) != getattr(other, name)]
    return len(apart) == 1 and _same_texts(first, second)


def _same_texts(first: Model, second: Model) -> bool:
    try:
        check_same_texts([first.files[0], second.files[0]])
    except AnalysisError:
        return False
    return True
