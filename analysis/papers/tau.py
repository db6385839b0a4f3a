"""Kendall's tau between columns: rows of a table by predicted class, and densities."""

from typing import Any, Dict, List, Optional, Sequence

import pandas

from analysis.figures.densities import Panel
from analysis.papers.comparison import about
from analysis.papers.study import OVERALL, Methods, agreement, by_class, groups
from analysis.seeds import Model

KENDALL = "kendall"


def tau_rows(
    models: Sequence[Model], pairs: Sequence[Methods], wanted: Optional[Sequence[str]] = None
) -> pandas.DataFrame:
    """A row a model, pair and group of texts; all groups unless some are wanted."""
    rows: List[Dict[str, Any]] = []
    for model in models:
        found = agreement(model, pairs, KENDALL, draws=0)
        for (first, second), one in zip(pairs, found, strict=True):
            rows += [
                {
                    **about(model),
                    "scores": first.title,
                    "importance": second.title,
                    "predicted": group,
                    **summary,
                }
                for group, summary in by_class(model, one.observed).items()
                if wanted is None or group in wanted
            ]
    return pandas.DataFrame(rows)


def class_panels(model: Model, pairs: Sequence[Methods]) -> List[Panel]:
    """A panel a pair, a series a predicted class, random scores for control."""
    classes = {name: member for name, member in groups(model).items() if name != OVERALL}
    return [
        Panel(
            title=titled(pair),
            series={
                f"predicted {name}": one.observed.value[member] for name, member in classes.items()
            },
            control=one.controls["random"].value.ravel(),
        )
        for pair, one in zip(pairs, agreement(model, pairs, KENDALL, draws=1), strict=True)
    ]


def pair_panel(model: Model, title: str, pairs: Sequence[Methods]) -> Panel:
    """All texts, a series a pair; for control, random scores in the first pair."""
    found = agreement(model, pairs, KENDALL, draws=1)
    return Panel(
        title=title,
        series={
            titled(pair): one.observed.value.ravel() for pair, one in zip(pairs, found, strict=True)
        },
        control=found[0].controls["random"].value.ravel(),
    )


def titled(pair: Methods) -> str:
    return f"{pair[0].title}, {pair[1].title}"
