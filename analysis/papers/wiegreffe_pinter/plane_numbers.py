"""
Wiegreffe & Pinter 2019, Figure 5 in numbers: how far adversaries, other seeds, no attention and an
adversary for each text are from the base, and the shape of the adversaries' curve.
"""

from typing import Any, Dict, Iterator, List, Sequence, Tuple

import numpy
import pandas

from analysis.agreement.agreement_table import OVERALL
from analysis.output import Output
from analysis.papers.shared.divergence import Divergence, divergence, per_instance
from analysis.papers.shared.families import ModelFamily
from analysis.papers.wiegreffe_pinter.convexity import LEAST_POINTS, summarised_curve
from analysis.statistics.intervals import ABOUT_INTERVALS
from analysis.written import interval_column

SEEDS = "other seeds"


def add_marks(attacked: Sequence[ModelFamily], output: Output) -> None:
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


def _one_by_one(family: ModelFamily) -> Iterator[Tuple[str, Divergence]]:
    """All other seeds together, then each, then the rest of what is held against the curve."""
    if len(family.seeds) > 1:
        yield f"all {len(family.seeds)} other seeds", divergence(family.base, family.seeds)
    for title, several in moved_by_others(family).items():
        if title == SEEDS:
            for file, moved in zip(family.seeds, several, strict=True):
                yield f"seed {file.model.seed}", moved
        else:
            yield from ((title, moved) for moved in several)


def add_curves(attacked: Sequence[ModelFamily], output: Output) -> None:
    """The curves in numbers, of those that have enough points."""
    rows = [
        {
            **row,
            "adversaries": len(steps),
            **summarised_curve([one.where(member) for _, one in steps]),
            "n": int(member.sum()),
        }
        for family in attacked
        for frozen, steps in moved_by_adversaries(family).items()
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


def _by_class(family: ModelFamily, **about: Any) -> Iterator[Tuple[Dict[str, Any], numpy.ndarray]]:
    """How the row of each class begins, and which texts it is of. Shape of the latter: (texts,)"""
    model = {"corpus": family.base.model.corpus, "model": family.name, "protocol": family.protocol}
    for name, member in classes(family).items():
        yield {**model, **about, "predicted": name}, member


def classes(family: ModelFamily) -> Dict[str, numpy.ndarray]:
    """By the base's decision. Shape of each: (texts,)"""
    predicted = family.base.table["predicted"]
    members = {OVERALL: numpy.ones(len(predicted), dtype=bool)}
    for name in sorted(predicted.unique()):
        members[str(name)] = (predicted == name).to_numpy(bool)
    return members


def moved_by_adversaries(family: ModelFamily) -> Dict[bool, List[Tuple[float, Divergence]]]:
    """Lambdas and distances, of the adversaries that are frozen and of those that are not."""
    by_kind: Dict[bool, List[Tuple[float, Divergence]]] = {}
    for model in family.adversaries:
        adversary = model.config.adversary
        moved = divergence(family.base, model.files)
        by_kind.setdefault(adversary.frozen, []).append((adversary.lambda_, moved))
    return by_kind


def moved_by_others(family: ModelFamily) -> Dict[str, List[Divergence]]:
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
