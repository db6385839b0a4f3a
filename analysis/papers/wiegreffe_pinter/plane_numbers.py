"""
Wiegreffe & Pinter 2019, Figure 5 in numbers: how far adversaries, other seeds, no attention and an
adversary for each text are from the base, and the shape of the adversaries' curve.
"""

from typing import Any, Dict, Iterator, List, Sequence, Tuple

import pandas

from analysis.agreement.agreement_table import OVERALL
from analysis.models import Model
from analysis.output import Output
from analysis.papers.shared.divergence import Divergence, divergence, per_instance
from analysis.papers.shared.families import ModelFamily
from analysis.papers.wiegreffe_pinter.convexity import LEAST_POINTS, summarised_curve
from analysis.statistics.intervals import ABOUT_INTERVALS
from analysis.written import interval_column

SEEDS = "other seeds"
FEWER = "adversaries of fewer bases"


def add_marks(attacked: Sequence[ModelFamily], output: Output) -> None:
    """The marks in numbers: what tells whether an adversary's distance is large."""
    rows = [
        {
            **_about(family, other=title, predicted=name),
            **moved.of_class(name).rows(),
            "seeds": len(moved.predicted),
            "n": _texts(moved, name),
        }
        for family in attacked
        for title, moved in _one_by_one(family)
        for name in (OVERALL, *moved.classes)
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
    others = family.other_seeds
    if len(others) > 1:
        yield f"all {len(others)} other seeds", divergence(others)
    for title, several in moved_by_others(family).items():
        if title == SEEDS:
            for (base, file), moved in zip(others, several, strict=True):
                of = f", base {base.model.seed}" if len(family.bases) > 1 else ""
                yield f"seed {file.model.seed}{of}", moved
        else:
            yield from ((title, moved) for moved in several)


def add_curves(attacked: Sequence[ModelFamily], output: Output) -> None:
    """The curves in numbers, of those that have enough points."""
    rows = [
        {
            **_about(family, frozen=frozen, predicted=name),
            "adversaries": len(steps),
            **summarised_curve(
                [one.of_class(name) for _, one in steps],
                [
                    [one.of_class(name) for one in curve]
                    for curve in curves_of_bases(family, frozen)
                ],
            ),
            "n": max(_texts(one, name) for _, one in steps),
        }
        for family in attacked
        for frozen, steps in moved_by_adversaries(family).items()
        if len(steps) >= LEAST_POINTS
        for name in (OVERALL, *steps[0][1].classes)
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
        "Mean TVD: the area, not scaled, over its width. Intervals (95 %): bootstrap over texts; where three bases or more "
        "have a curve each, of the lambdas that all of them have, also over the bases (Student's); else of the "
        "adversaries as they were trained.",
        shown[columns],
    )


def _about(family: ModelFamily, **about: Any) -> Dict[str, Any]:
    """How a row begins."""
    model = {"corpus": family.base.model.corpus, "model": family.name, "protocol": family.protocol}
    return {**model, **about}


def _texts(moved: Divergence, predicted: str) -> int:
    """Of which a base says the class."""
    return int(moved.member(predicted).any(axis=0).sum())


def moved_by_adversaries(family: ModelFamily) -> Dict[bool, List[Tuple[float, Divergence]]]:
    """
    Lambdas and distances, of the adversaries that are frozen and of those that are not: of each kind those that
    are held against the most bases, since a curve through others would go from base to base.
    """
    by_kind = {}
    for frozen in (False, True):
        steps = [
            (model.config.adversary.lambda_, divergence(family.pairs(model)))
            for model in _by_bases(family, frozen)[0]
        ]
        by_kind.update({frozen: steps} if steps else {})
    return by_kind


def moved_by_fewer(family: ModelFamily) -> List[Divergence]:
    """Of the others, one by one."""
    return [
        divergence(family.pairs(model))
        for frozen in (False, True)
        for model in _by_bases(family, frozen)[1]
    ]


def _by_bases(family: ModelFamily, frozen: bool) -> Tuple[List[Model], List[Model]]:
    """The adversaries that are held against the most bases, and those that are held against fewer."""
    alike = family.adversaries_of(frozen)
    most = max((len(family.pairs(model)) for model in alike), default=0)
    with_most = [model for model in alike if len(family.pairs(model)) == most]
    return with_most, [model for model in alike if model not in with_most]


def curves_of_bases(family: ModelFamily, frozen: bool) -> List[List[Divergence]]:
    """Of each base its own adversaries, those that all bases have; none where these are too few for a curve."""
    steps = [
        {base.path: (base, file) for base, file in family.pairs(model)}
        for model in family.adversaries_of(frozen)
    ]
    common = [pairs for pairs in steps if len(pairs) == len(family.bases)]
    if len(common) < LEAST_POINTS:
        return []
    return [[divergence([pairs[base.path]]) for pairs in common] for base in family.bases]


def moved_by_others(family: ModelFamily) -> Dict[str, List[Divergence]]:
    """What is held against the curve, as far as there is any."""
    others: Dict[str, List[Divergence]] = {}
    if family.other_seeds:
        others[SEEDS] = [divergence([pair]) for pair in family.other_seeds]
    if family.uniform is not None:
        others["uniform"] = [divergence(family.pairs(family.uniform))]
    for_each = per_instance(family)
    if for_each is not None:
        others["adversary for each text"] = [for_each]
    return others
