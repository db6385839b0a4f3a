"""How a paper's columns agree: rows by predicted class, and panels for densities."""

from typing import List, Sequence, Tuple

import pandas

from analysis.agreement.agreements import Agreement, agreements
from analysis.agreement.groups import OVERALL, groups
from analysis.agreement.pairs import Pair
from analysis.agreement.signs import Signs
from analysis.agreement.tables import agreement_table
from analysis.figures.densities import Panel
from analysis.measures import Measure
from analysis.papers.shared.methods import Method
from analysis.papers.shared.published import about
from analysis.seeds import Model
from analysis.statistics.controls import DRAWS

Methods = Tuple[Method, Method]
KENDALL = "kendall"


def agreement_rows(
    model: Model, pairs: Sequence[Methods], measures: Sequence[str] = (KENDALL,)
) -> pandas.DataFrame:
    """A row a measure, pair and predicted class, and one for all texts; chance beside it."""
    return rows_of(agreed(model, pairs, measures), pairs)


def agreed(
    model: Model, pairs: Sequence[Methods], measures: Sequence[str] = (KENDALL,)
) -> List[Agreement]:
    """What the rows are made of."""
    return _agreements(model, pairs, measures, DRAWS)


def rows_of(found: Sequence[Agreement], pairs: Sequence[Methods]) -> pandas.DataFrame:
    """Of one model."""
    titles = {method.name: method.title for pair in pairs for method in pair}
    table = agreement_table(found, by="predicted")
    return table.assign(
        **about(found[0].model),
        scores=table["first"].map(titles),
        importance=table["second"].map(titles),
        predicted=table["group"],
    )


def class_panels(model: Model, pairs: Sequence[Methods]) -> List[Panel]:
    """Of Kendall's tau: a panel a pair, a series a predicted class, random scores for control."""
    classes = groups(model, "predicted")
    del classes[OVERALL]
    return [
        Panel(
            title=titled(pair),
            series={
                f"predicted {name}": one.observed.value[member] for name, member in classes.items()
            },
            control=one.controls["random"].value.ravel(),
        )
        for pair, one in zip(pairs, _agreements(model, pairs, (KENDALL,), 1), strict=True)
    ]


def pair_panel(model: Model, title: str, pairs: Sequence[Methods]) -> Panel:
    """Of Kendall's tau of all texts: a series a pair; random scores in the first for control."""
    found = _agreements(model, pairs, (KENDALL,), 1)
    return Panel(
        title=title,
        series={
            titled(pair): one.observed.value.ravel() for pair, one in zip(pairs, found, strict=True)
        },
        control=found[0].controls["random"].value.ravel(),
    )


def agreement_values(model: Model, pair: Methods) -> Agreement:
    """Kendall's tau of each text, and of one draw of the controls."""
    return _agreements(model, [pair], (KENDALL,), 1)[0]


def titled(pair: Methods) -> str:
    return f"{pair[0].title}, {pair[1].title}"


def _agreements(
    model: Model, pairs: Sequence[Methods], measures: Sequence[str], draws: int
) -> List[Agreement]:
    names = [Pair(first.name, second.name) for first, second in pairs]
    # The papers compare what their methods give, and those methods have the options for it.
    return agreements(
        model, names, [Measure.named(name) for name in measures], draws, signs=Signs.GIVEN
    )
