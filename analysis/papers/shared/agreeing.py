"""
How a paper's columns agree: rows by predicted class, panels for densities; and agreements compared
on the same texts.
"""

from itertools import chain, combinations
from typing import Any, Dict, List, Sequence, Tuple

import numpy
import pandas

from analysis.agreement.agreement_table import OVERALL, agreement_table, groups
from analysis.agreement.agreements import Agreement, Pair, Signs, agreements
from analysis.figures.densities import DensityPanel
from analysis.measures import Measure
from analysis.model_config import PLAIN
from analysis.models import Model, check_same_texts
from analysis.output import Output
from analysis.papers.shared.paper import Method
from analysis.papers.shared.published import about
from analysis.papers.shared.study_files import described
from analysis.statistics.intervals import ABOUT_INTERVALS
from analysis.statistics.samples import DRAWS
from analysis.statistics.significance import difference_columns
from analysis.written import interval_column
from attention_explain.errors import InputError

Methods = Tuple[Method, Method]
KENDALL = "kendall"
DIFFERENCE, OF_SCALED = "difference", "scaled difference"
DIFFERENCES_NOTE = (
    "First less second, text by text. Scaled: 0 for chance, 1 for the best that ties allow. "
    f"{ABOUT_INTERVALS} They are not corrected for the number of comparisons."
)


def agreed(
    model: Model, pairs: Sequence[Methods], measures: Sequence[str] = (KENDALL,)
) -> List[Agreement]:
    """Of one model: for each measure and pair the agreement of every text, and of the controls."""
    return _agreements(model, pairs, measures, DRAWS)


def agreed_by_each(
    models: Sequence[Model], pairs: Sequence[Methods]
) -> Tuple[List[Agreement], pandas.DataFrame]:
    """Kendall's tau of all models: the agreements, and their rows under each other."""
    of_models = [agreed(model, pairs) for model in models]
    table = pandas.concat([rows_of(one, pairs) for one in of_models], ignore_index=True)
    return list(chain.from_iterable(of_models)), table


def rows_of(of_model: Sequence[Agreement], pairs: Sequence[Methods]) -> pandas.DataFrame:
    """
    From the agreements of one model: a row for each and each predicted class, and one for all
    texts, with the columns of `about` and the papers' names of both methods.
    """
    titles = {method.name: method.title for pair in pairs for method in pair}
    table = agreement_table(of_model, by="predicted")
    return table.assign(
        **about(of_model[0].model),
        scores=table["first"].map(titles),
        importance=table["second"].map(titles),
        predicted=table["group"],
    )


def class_panels(model: Model, pairs: Sequence[Methods]) -> List[DensityPanel]:
    """
    Panels of Kendall's tau in one model: one for each pair, in it a series for each predicted
    class, and the first of the pair against random scores for control.
    """
    classes = groups(model, "predicted")
    del classes[OVERALL]
    return [
        DensityPanel(
            title=titled(pair),
            series={
                f"predicted {name}": one.observed.value[member] for name, member in classes.items()
            },
            control=one.controls["random"].value.ravel(),
        )
        for pair, one in zip(pairs, _agreements(model, pairs, (KENDALL,), 1), strict=True)
    ]


def pair_panel(
    model: Model, title: str, pairs: Sequence[Methods], measure: str = KENDALL
) -> DensityPanel:
    """
    A panel of a measure in one model, over all texts: a series for each pair, and the first of them
    against random scores for control.
    """
    of_pairs = _agreements(model, pairs, (measure,), 1)
    return DensityPanel(
        title=title,
        series={
            titled(pair): one.observed.value.ravel()
            for pair, one in zip(pairs, of_pairs, strict=True)
        },
        control=of_pairs[0].controls["random"].value.ravel(),
    )


def agreement_values(model: Model, pair: Methods) -> Agreement:
    """Kendall's tau of each text of a model, and of one draw of the controls."""
    return _agreements(model, [pair], (KENDALL,), 1)[0]


def titled(pair: Methods) -> str:
    """What figures call a pair."""
    return f"{pair[0].title}, {pair[1].title}"


def _agreements(
    model: Model, pairs: Sequence[Methods], measures: Sequence[str], draws: int
) -> List[Agreement]:
    names = [Pair(first.name, second.name) for first, second in pairs]
    # The papers compare what their methods give, and those methods have the options for it.
    return agreements(
        model, names, [Measure.named(name) for name in measures], draws, signs=Signs.GIVEN
    )


def add_differences(output: Output, name: str, compared: Sequence[Agreement]) -> None:
    """
    A table `name` of what can be compared on the same texts, if anything can: two pairs of methods
    in one model, or one pair in two models that differ in encoder, scorer or projection alone.
    """
    rows = [_difference(*two) for two in combinations(compared, 2) if _alike(*two)]
    table = pandas.DataFrame([row for row in rows if not numpy.isnan(row[DIFFERENCE])])
    if table.empty:
        return
    models = list({id(one.model): one.model for one in compared}.values())
    shown = table[["corpus", "first model", "second model", "first pair", "second pair", "measure"]]
    for difference in (DIFFERENCE, OF_SCALED):
        ends = interval_column(table, difference)
        shown = shown.assign(**{difference: table[difference], f"{difference}, interval": ends})
    output.table(
        name,
        table,
        f"Which agreement is the larger? Differences on the same texts. {described(models)}.",
        DIFFERENCES_NOTE,
        shown,
    )


def _difference(first: Agreement, second: Agreement) -> Dict[str, Any]:
    one_model = first.model is second.model
    return {
        "corpus": first.model.config.corpus,
        "measure": first.measure.name,
        "first model": first.model.name,
        "first pair": str(first.pair),
        "second model": second.model.name,
        "second pair": str(second.pair),
        **difference_columns(DIFFERENCE, first.observed.value, second.observed.value, one_model),
        **difference_columns(OF_SCALED, first.scaled(), second.scaled(), one_model),
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
    except InputError:
        return False
    return True
