"""
Wiegreffe & Pinter 2019, Figure 5: how far adversaries of rising lambda move attention and output,
beside what another seed, no attention, and an adversary for each text do.
"""

from typing import Any, Dict, Iterator, List, Optional, Sequence, Tuple

import numpy
import pandas

from analysis.agreement.agreement_table import OVERALL
from analysis.errors import AnalysisError
from analysis.estimate import interval_column
from analysis.figures.plane import Plane, Points, planes
from analysis.output import Output
from analysis.papers.shared.adversary_rows import METRICS, NO_ADVERSARY, adversary_rows
from analysis.papers.shared.divergence import BOUND, Divergence, divergence, per_instance
from analysis.papers.shared.families import Family, families
from analysis.papers.shared.study_files import Study
from analysis.papers.wiegreffe_pinter.adversaries import published_curve
from analysis.papers.wiegreffe_pinter.convexity import LEAST_POINTS, summarised_curve
from analysis.statistics.intervals import ABOUT_INTERVALS

NAME = "wiegreffe-pinter-plane"
CURVES = {False: "adversaries", True: "frozen adversaries"}
SEEDS = "other seeds"
ACROSS, UP = "attention moved (JSD)", "output moved (TVD)"
FIGURE_NOTE = (
    f"At each adversary its lambda. Lines at the points: interval of the mean. {ABOUT_INTERVALS} "
    "Published values of TVD are doubled, as the published code halves the distance once "
    "more. The dotted line is the largest JSD there can be."
)


def plane(study: Study, output: Output) -> Optional[str]:
    """
    Adds a figure a base, or one of what runs report, and both tables of its numbers; gives a
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
    _beside(attacked, output)
    _shape(attacked, output)
    return left_out


def _beside(attacked: Sequence[Family], output: Output) -> None:
    """The marks in numbers: what tells whether an adversary's distance is large."""
    rows = [
        {**row, **moved.where(member).rows(), "seeds": len(moved.tvd.value), "n": int(member.sum())}
        for family in attacked
        for title, moved in _one_by_one(family)
        for row, member in _by_class(family, other=title)
    ]
    if not rows:
        return
    table = pandas.DataFrame(rows)
    shown = table[table["predicted"] == OVERALL]
    for name in ("tvd", "jsd"):
        shown = shown.assign(**{f"{name}, interval": interval_column(shown, name)})
    columns = [
        "corpus",
        "model",
        "other",
        "tvd",
        "tvd, interval",
        "jsd",
        "jsd, interval",
        "seeds",
        "n",
    ]
    output.table(
        "wiegreffe-pinter-beside",
        table,
        "What the adversaries' distances are to be held against: the mean distance of output and of "
        f"attention from the base. {'; '.join(family.described for family in attacked)}.",
        "TVD: half the sum of absolute differences. Adversary for each text: Jain & Wallace's, the "
        f"furthest attention found that keeps the output. {ABOUT_INTERVALS} The csv has each class, "
        "too.",
        shown[columns],
    )


def _one_by_one(family: Family) -> Iterator[Tuple[str, Divergence]]:
    """All other seeds together, then each, then the rest of what is held against the curve."""
    if len(family.seeds) > 1:
        yield f"all {len(family.seeds)} other seeds", divergence(family.base, family.seeds)
    for title, several in _others(family).items():
        if title == SEEDS:
            for file, moved in zip(family.seeds, several, strict=True):
                yield f"seed {file.model.seed}", moved
        else:
            yield from ((title, moved) for moved in several)


def _shape(attacked: Sequence[Family], output: Output) -> None:
    """The curves in numbers, of those that have enough points."""
    rows = [
        {
            **row,
            "adversaries": len(steps),
            **summarised_curve([one.where(member) for _, one in steps]),
            "n": int(member.sum()),
        }
        for family in attacked
        for frozen, steps in _moved(family).items()
        if len(steps) >= LEAST_POINTS
        for row, member in _by_class(family, frozen=frozen)
    ]
    if not rows:
        return
    table = pandas.DataFrame(rows)
    shown = table.assign(frozen=table["frozen"].map({True: "yes", False: "no"}))
    for name in ("convexity", "mean tvd"):
        shown[f"{name}, interval"] = interval_column(table, name)
    columns = ["corpus", "model", "frozen", "predicted", "adversaries", "convexity"]
    columns += ["convexity, interval", "mean tvd", "mean tvd, interval", "n"]
    output.table(
        "wiegreffe-pinter-convexity",
        table,
        "The curve of adversaries in numbers: how far attention moves before outputs do. "
        f"{'; '.join(family.described for family in attacked)}.",
        "Convexity: 1 - 2 A, with A the area under the curve of TVD over JSD through the means of "
        "the adversaries, both axes scaled from the point with the smallest JSD to the one with "
        "the largest. 0: on the chord between them; near 1: attention moves nearly all the way "
        "before the output does; below 0: the output moves first. A dash: the curve does not rise, or too many draws of it do not. "
        "Mean TVD: the area, not scaled, over its width. Intervals (95 %): "
        "bootstrap over texts, of the adversaries as they were trained.",
        shown[columns],
    )


def _panels(family: Family) -> List[Plane]:
    moved, others = _moved(family), _others(family)
    theirs = published_curve(family.base.model.corpus, family.name)
    return [
        Plane(
            title=name if name == OVERALL else f"predicted {name}",
            curves={
                CURVES[frozen]: _points(
                    [one.where(member) for _, one in steps], [lambda_ for lambda_, _ in steps]
                )
                for frozen, steps in moved.items()
            },
            marks={
                title: _points([one.where(member) for one in several])
                for title, several in others.items()
            },
            published={"published (TVD doubled)": _table_points(theirs, "published ")}
            if name == OVERALL and len(theirs)
            else {},
        )
        for name, member in _classes(family).items()
    ]


def _by_class(family: Family, **about: Any) -> Iterator[Tuple[Dict[str, Any], numpy.ndarray]]:
    """How the row of each class begins, and which texts it is of. Shape of the latter: (texts,)"""
    model = {"corpus": family.base.model.corpus, "model": family.name}
    for name, member in _classes(family).items():
        yield {**model, **about, "predicted": name}, member


def _classes(family: Family) -> Dict[str, numpy.ndarray]:
    """By the base's decision. Shape of each: (texts,)"""
    predicted = family.base.table["predicted"]
    members = {OVERALL: numpy.ones(len(predicted), dtype=bool)}
    for name in sorted(predicted.unique()):
        members[str(name)] = (predicted == name).to_numpy(bool)
    return members


def _moved(family: Family) -> Dict[bool, List[Tuple[float, Divergence]]]:
    """Lambdas and distances, of the adversaries that are frozen and of those that are not."""
    by_kind: Dict[bool, List[Tuple[float, Divergence]]] = {}
    for model in family.adversaries:
        adversary = model.config.adversary
        moved = divergence(family.base, model.files)
        by_kind.setdefault(adversary.frozen, []).append((adversary.lambda_, moved))
    return by_kind


def _others(family: Family) -> Dict[str, List[Divergence]]:
    """What is held against the curve, as far as there is any."""
    others: Dict[str, List[Divergence]] = {}
    if family.seeds:
        others[SEEDS] = [divergence(family.base, [file]) for file in family.seeds]
    if family.uniform is not None:
        others["uniform"] = [divergence(family.base, family.uniform.files)]
    for_each = per_instance(family)
    if for_each is not None:
        others["adversary for each text"] = [for_each]
    return others


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
    return Points(table[f"{prefix}jsd"].tolist(), table[f"{prefix}tvd"].tolist(), labels=labels)


def _reported(study: Study) -> List[Plane]:
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
