"""
Wiegreffe & Pinter 2019, Figure 5: how far adversaries of rising lambda move attention and output,
beside what another seed, no attention, and an adversary for each text do.
"""

from typing import Any, Dict, List, Optional, Sequence, Tuple

import pandas

from analysis.agreement.agreement_table import OVERALL
from analysis.errors import AnalysisError
from analysis.figures.plane import Plane, Points, planes
from analysis.output import Output
from analysis.papers.shared.adversary_rows import (
    DOUBLED_TVD,
    METRICS,
    NO_ADVERSARY,
    adversary_rows,
)
from analysis.papers.shared.divergence import BOUND, Divergence
from analysis.papers.shared.families import ModelFamily, families
from analysis.papers.shared.study_files import StudyFiles
from analysis.papers.wiegreffe_pinter.adversaries import published_curve
from analysis.papers.wiegreffe_pinter.plane_numbers import (
    FEWER,
    add_curves,
    add_marks,
    moved_by_adversaries,
    moved_by_fewer,
    moved_by_others,
)
from analysis.statistics.intervals import ABOUT_INTERVALS

NAME = "wiegreffe-pinter-plane"
CURVES = {False: "adversaries", True: "frozen adversaries"}
ACROSS, UP = "attention moved (JSD, nats)", "output moved (TVD)"
FIGURE_NOTE = (
    "At each adversary its lambda; those that are held against fewer bases than the others are not joined, and stand in the table alone. "
    f"Lines at the points: interval of the mean. {ABOUT_INTERVALS} "
    "Published values of TVD are doubled, as the published code halves the distance once "
    "more. The dotted line is the largest JSD there can be."
)


def plane(study: StudyFiles, output: Output) -> Optional[str]:
    """
    Adds a figure a model, or one of what runs report, and both tables of its numbers; gives a
    sentence on adversaries that are left out, if any are.
    """
    attacked, left_out = families(study)
    attacked = [family for family in attacked if family.adversaries]
    for family in attacked:
        output.figure(
            f"{NAME}-{family.key}",
            planes(_panels(family), ACROSS, UP, BOUND),
            "Mean distance of attention and of output from the base, for adversaries of different "
            f"lambda and for other models, overall and by the base's class. {family.described}.",
            FIGURE_NOTE,
        )
    reported = _reported(study)
    if reported:
        output.figure(
            f"{NAME}-runs",
            planes(reported, ACROSS, UP, BOUND),
            "Mean distance of attention and of output from the base, as the training runs of "
            f"adversaries report it. {', '.join(panel.title for panel in reported)}.",
            FIGURE_NOTE,
        )
    if not attacked and not reported:
        raise AnalysisError(left_out or NO_ADVERSARY)
    add_marks(attacked, output)
    add_curves(attacked, output)
    return left_out


def _panels(family: ModelFamily) -> List[Plane]:
    moved, others = moved_by_adversaries(family), moved_by_others(family)
    fewer = moved_by_fewer(family)
    others.update({FEWER: fewer} if fewer else {})
    theirs = published_curve(family.base.model.corpus, family.name)
    return [
        Plane(
            title=name if name == OVERALL else f"predicted {name}",
            curves={
                CURVES[frozen]: _points(
                    [one.of_class(name) for _, one in steps], [lambda_ for lambda_, _ in steps]
                )
                for frozen, steps in moved.items()
            },
            marks={
                title: _points([one.of_class(name) for one in several])
                for title, several in others.items()
            },
            published={"published (TVD doubled)": _table_points(theirs, "published ")}
            if name == OVERALL and len(theirs)
            else {},
        )
        for name in (OVERALL, *sorted({str(one) for one in family.base.table["predicted"]}))
    ]


def _points(moved: Sequence[Divergence], lambdas: Sequence[float] = ()) -> Points:
    rows = [one.rows() for one in moved]
    return Points(
        across=[row["jsd"] for row in rows],
        up=[row["tvd"] for row in rows],
        across_intervals=[_interval(row, "jsd") for row in rows],
        up_intervals=[_interval(row, "tvd") for row in rows],
        labels=[f"{lambda_:g}" for lambda_ in lambdas],
    )


def _interval(row: Dict[str, Any], name: str) -> Tuple[float, float]:
    return row[f"{name} low"], row[f"{name} high"]


def _table_points(table: pandas.DataFrame, prefix: str = "") -> Points:
    """Without intervals, in the order of lambda."""
    labels = [] if prefix else [f"{value:g}" for value in table["lambda"]]
    tvd = DOUBLED_TVD if prefix else "tvd"
    return Points(table[f"{prefix}jsd"].tolist(), table[tvd].tolist(), labels=labels)


def _reported(study: StudyFiles) -> List[Plane]:
    """Of runs whose texts are not known."""
    try:
        table, _ = adversary_rows(study)
    except AnalysisError:
        return []
    table = table[table["from"] == METRICS]
    return [
        Plane(
            title=f"{corpus}, {model}",
            curves={
                CURVES[frozen]: _table_points(steps) for frozen, steps in rows.groupby("frozen")
            },
        )
        for (corpus, model), rows in table.groupby(["corpus", "model"], sort=False)
    ]
