"""
Wiegreffe & Pinter 2019, Figure 5 in numbers: the distances of adversaries, other seeds, uniform attention and the
adversary per text from the base, and the shape of the curve of adversaries.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy
import pandas

from analysis.agreement.agreement_table import OVERALL
from analysis.models import Model
from analysis.output import Output
from analysis.papers.shared.divergence import Divergence, divergence, per_instance
from analysis.papers.shared.families import ModelFamily, settings_of
from analysis.papers.shared.published import with_intervals
from analysis.statistics.intervals import ABOUT_INTERVALS, LEAST_SEEDS, student_interval

# Numbers in one block of a product: 64 MB.
BLOCK = 1 << 23


@dataclass(frozen=True)
class Bootstrap:
    """
    Bootstrap over texts. The same seed draws the same texts in every call, so columns of one set of texts can be compared
    draw by draw.

    level : the level of the percentile intervals.
    """

    draws: int = 2000
    seed: int = 0
    level: float = 0.95

    def means(self, values: numpy.ndarray) -> numpy.ndarray:
        """
        The mean of each column in each draw of texts, without NaN values; NaN for draws without values.
        Shape: (columns, seeds, texts) -> (draws, columns)
        """
        counts = (~numpy.isnan(values)).sum(axis=1).T.astype(float)
        totals = numpy.nansum(values, axis=1).T
        drawn = [
            (weights @ totals, weights @ counts) for weights in self._text_weights(len(totals))
        ]
        total, count = (numpy.concatenate(parts) for parts in zip(*drawn, strict=True))
        return numpy.divide(total, count, out=numpy.full_like(total, numpy.nan), where=count > 0)

    def between(self, draws: numpy.ndarray) -> numpy.ndarray:
        """The percentiles that contain `level` of the draws with a value. Shape: (draws,) -> (2,)"""
        tail = (1 - self.level) / 2
        known = draws[~numpy.isnan(draws)]
        if not len(known):
            return numpy.full(2, numpy.nan)
        return numpy.quantile(known, [tail, 1 - tail])

    def _text_weights(self, texts: int) -> Iterator[numpy.ndarray]:
        """Counts of each text in each draw, in blocks. Shape: (draws of the block, texts)"""
        generator = numpy.random.default_rng([self.seed, 0])
        height = max(1, BLOCK // max(1, texts))
        for start in range(0, self.draws, height):
            yield times_taken(generator, min(height, self.draws - start), texts)


def times_taken(generator: numpy.random.Generator, draws: int, size: int) -> numpy.ndarray:
    """Counts of each of `size` items in samples of `size` with replacement. Shape: (draws, size)"""
    taken = generator.integers(size, size=(draws, size))
    positions = taken + size * numpy.arange(draws)[:, None]
    return (
        numpy.bincount(positions.ravel(), minlength=draws * size).reshape(draws, size).astype(float)
    )


# Two points make only a chord.
LEAST_POINTS = 3
# The share of draws that may be undefined.
MOST_UNDEFINED = 0.05


def convexity(jsd: numpy.ndarray, tvd: numpy.ndarray) -> numpy.ndarray:
    """
    1 - 2 A, where A is the area under the curve through the points sorted by JSD, with both axes scaled so that the first
    point is (0, 0) and the last (1, 1). 0: on the chord; near 1: attention moves nearly everywhere at no cost; below 0:
    the cost comes first. NaN unless the last point exceeds the first on both axes. Shape: (..., points) -> (...)
    """
    jsd, tvd = _ordered(jsd, tvd)
    width, height = (axis[..., -1] - axis[..., 0] for axis in (jsd, tvd))
    rises = (width > 0) & (height > 0)
    area = numpy.trapezoid(tvd - tvd[..., :1], jsd, axis=-1)
    scale = numpy.where(rises, width * height, 1.0)
    return numpy.where(rises, 1 - 2 * area / scale, numpy.nan)


def mean_height(jsd: numpy.ndarray, tvd: numpy.ndarray) -> numpy.ndarray:
    """The mean TVD along the curve: its area divided by its width. Shape: (..., points) -> (...)"""
    jsd, tvd = _ordered(jsd, tvd)
    width = jsd[..., -1] - jsd[..., 0]
    area = numpy.trapezoid(tvd, jsd, axis=-1)
    return numpy.divide(area, width, out=numpy.full(width.shape, numpy.nan), where=width > 0)


def summarised_curve(
    points: Sequence[Divergence],
    by_base: Sequence[Sequence[Divergence]] = (),
    bootstrap: Bootstrap = Bootstrap(),
) -> dict[str, float]:
    """
    Convexity and mean TVD with bootstrap intervals over the same draws of texts for all points. If at least three bases
    have a curve each, Student's interval over the bases is added in quadrature.
    """
    jsd, tvd = _means(points)
    draws = [bootstrap.means(numpy.stack([point.jsd.value, point.tvd.value])) for point in points]
    drawn_jsd, drawn_tvd = (numpy.stack([draw[:, axis] for draw in draws], 1) for axis in (0, 1))
    row: dict[str, float] = {}
    for name, measure in (("convexity", convexity), ("mean tvd", mean_height)):
        value, drawn = float(measure(jsd, tvd)), measure(drawn_jsd, drawn_tvd)
        low, high = bootstrap.between(drawn)
        # If many draws are undefined, the others are not representative.
        if numpy.isnan(value) or numpy.isnan(drawn).mean() > MOST_UNDEFINED:
            low = high = numpy.nan
        elsewhere = _half_over_bases(measure, by_base)
        low = value - numpy.hypot(value - low, elsewhere)
        high = value + numpy.hypot(high - value, elsewhere)
        row |= {name: value, f"{name} low": float(low), f"{name} high": float(high)}
    return row


def _means(points: Sequence[Divergence]) -> tuple[numpy.ndarray, numpy.ndarray]:
    """The mean JSD and TVD of each point over its texts and pairs."""
    jsd = numpy.array([numpy.nanmean(point.jsd.value) for point in points])
    return jsd, numpy.array([numpy.nanmean(point.tvd.value) for point in points])


def _half_over_bases(
    measure: Callable[[numpy.ndarray, numpy.ndarray], numpy.ndarray],
    by_base: Sequence[Sequence[Divergence]],
) -> float:
    """Half of the interval over the curves of the bases; 0 if there are too few."""
    if len(by_base) < LEAST_SEEDS:
        return 0.0
    values = numpy.array([measure(*_means(points)) for points in by_base])
    return student_interval(0.0, float(values.std(ddof=1)), len(values))[1]


def _ordered(jsd: numpy.ndarray, tvd: numpy.ndarray) -> tuple:
    order = numpy.argsort(jsd, axis=-1, kind="stable")
    return numpy.take_along_axis(jsd, order, -1), numpy.take_along_axis(tvd, order, -1)


SEEDS = "other seeds"
FEWER = "adversaries of fewer bases"


def add_marks(attacked: Sequence[ModelFamily], output: Output) -> None:
    """Add the table of the marks: distances that show whether that of an adversary is large."""
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
    overall = table[table["predicted"] == OVERALL]
    shown = overall[["corpus", "model", "other"]]
    shown = with_intervals(shown, overall, {"tvd": "tvd", "jsd": "jsd"})
    output.table(
        "wiegreffe-pinter-beside",
        table,
        "What the adversaries' distances are to be compared with: the mean distance of output and of "
        f"attention from the base. {'; '.join(family.described for family in attacked)}.",
        "TVD: half the sum of absolute differences. Adversary for each text: Jain & Wallace's, the "
        f"furthest attention found that keeps the output. {ABOUT_INTERVALS} The csv has each class, "
        "too.",
        shown.assign(seeds=overall["seeds"], n=overall["n"]),
    )


def _one_by_one(family: ModelFamily) -> Iterator[tuple[str, Divergence]]:
    """All other seeds together, then each of them, then the other models that the curve is compared with."""
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
    """Add the table of the curves with enough points."""
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
    shown = table[["corpus", "model", "frozen", "predicted", "adversaries"]]
    shown = shown.assign(frozen=table["frozen"].map({True: "yes", False: "no"}))
    names = {name: name for name in ("convexity", "mean tvd")}
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
        with_intervals(shown, table, names).assign(n=table["n"]),
    )


def _about(family: ModelFamily, **about: Any) -> dict[str, Any]:
    """The first columns of a row."""
    model = {"corpus": family.base.model.corpus, "model": family.name, "protocol": family.protocol}
    return {**model, **about}


def _texts(moved: Divergence, predicted: str) -> int:
    """The number of texts that a base assigns to the class."""
    return int(moved.member(predicted).any(axis=0).sum())


def moved_by_adversaries(family: ModelFamily) -> dict[bool, list[tuple[float, Divergence]]]:
    """Lambdas and distances of the adversaries with the most bases, by whether they are frozen."""
    by_kind = {}
    for frozen in (False, True):
        steps = [
            (settings_of(model.config).lambda_, divergence(family.pairs(model)))
            for model in _by_bases(family, frozen)[0]
        ]
        by_kind.update({frozen: steps} if steps else {})
    return by_kind


def moved_by_fewer(family: ModelFamily) -> list[Divergence]:
    """The distances of the other adversaries, one by one."""
    return [
        divergence(family.pairs(model))
        for frozen in (False, True)
        for model in _by_bases(family, frozen)[1]
    ]


def _by_bases(family: ModelFamily, frozen: bool) -> tuple[list[Model], list[Model]]:
    """The adversaries with the most bases, and those with fewer."""
    alike = family.adversaries_of(frozen)
    most = max((len(family.pairs(model)) for model in alike), default=0)
    with_most = [model for model in alike if len(family.pairs(model)) == most]
    return with_most, [model for model in alike if model not in with_most]


def curves_of_bases(family: ModelFamily, frozen: bool) -> list[list[Divergence]]:
    """The curve of each base through the adversaries that all bases have; empty if these are too few."""
    steps = [
        {base.path: (base, file) for base, file in family.pairs(model)}
        for model in family.adversaries_of(frozen)
    ]
    common = [pairs for pairs in steps if len(pairs) == len(family.bases)]
    if len(common) < LEAST_POINTS:
        return []
    return [[divergence([pairs[base.path]]) for pairs in common] for base in family.bases]


def moved_by_others(family: ModelFamily) -> dict[str, list[Divergence]]:
    """The distances of other models that the curve is compared with."""
    others: dict[str, list[Divergence]] = {}
    if family.other_seeds:
        others[SEEDS] = [divergence([pair]) for pair in family.other_seeds]
    if family.uniform is not None:
        others["uniform"] = [divergence(family.pairs(family.uniform))]
    for_each = per_instance(family)
    if for_each is not None:
        others["adversary for each text"] = [for_each]
    return others
