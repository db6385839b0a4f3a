"""
The curve of adversaries in the plane of attention moved (JSD) and output moved (TVD), in a number:
how long can attention move before outputs do?
"""

from typing import Callable, Dict, Sequence, Tuple

import numpy

from analysis.papers.shared.divergence import Divergence
from analysis.statistics.bootstrap import Bootstrap
from analysis.statistics.intervals import LEAST_SEEDS, student_interval

# Two points make a chord and nothing else.
LEAST_POINTS = 3
# The share of draws that may be undefined.
MOST_UNDEFINED = 0.05


def convexity(jsd: numpy.ndarray, tvd: numpy.ndarray) -> numpy.ndarray:
    """
    1 - 2 A, where A is the area under the curve through the points in the order of their JSD, with
    both axes scaled so that the first point is (0, 0) and the last (1, 1). On the chord it is 0;
    near 1 the attention can move nearly all the way at no cost; below 0 the cost comes first. NaN
    where the last point is not above the first in both. Shape: (..., points) -> (...)
    """
    jsd, tvd = _ordered(jsd, tvd)
    width, height = (axis[..., -1] - axis[..., 0] for axis in (jsd, tvd))
    rises = (width > 0) & (height > 0)
    area = numpy.trapezoid(tvd - tvd[..., :1], jsd, axis=-1)
    scale = numpy.where(rises, width * height, 1.0)
    return numpy.where(rises, 1 - 2 * area / scale, numpy.nan)


def mean_height(jsd: numpy.ndarray, tvd: numpy.ndarray) -> numpy.ndarray:
    """The mean TVD along the curve: its area over its width. Shape: (..., points) -> (...)"""
    jsd, tvd = _ordered(jsd, tvd)
    width = jsd[..., -1] - jsd[..., 0]
    area = numpy.trapezoid(tvd, jsd, axis=-1)
    return numpy.divide(area, width, out=numpy.full(width.shape, numpy.nan), where=width > 0)


def summarised_curve(
    points: Sequence[Divergence],
    by_base: Sequence[Sequence[Divergence]] = (),
    bootstrap: Bootstrap = Bootstrap(),
) -> Dict[str, float]:
    """
    Both numbers with their intervals, over the same draws of texts for all points; and, where three bases or
    more have a curve each, also over these: Student's, whose square is added.
    """
    jsd, tvd = _means(points)
    draws = [bootstrap.means(numpy.stack([point.jsd.value, point.tvd.value])) for point in points]
    drawn_jsd, drawn_tvd = (numpy.stack([draw[:, axis] for draw in draws], 1) for axis in (0, 1))
    row: Dict[str, float] = {}
    for name, measure in (("convexity", convexity), ("mean tvd", mean_height)):
        value, drawn = float(measure(jsd, tvd)), measure(drawn_jsd, drawn_tvd)
        low, high = bootstrap.between(drawn)
        # Where many draws have no value, those that have one are no sample of all.
        if numpy.isnan(value) or numpy.isnan(drawn).mean() > MOST_UNDEFINED:
            low = high = numpy.nan
        elsewhere = _half_over_bases(measure, by_base)
        low = value - numpy.hypot(value - low, elsewhere)
        high = value + numpy.hypot(high - value, elsewhere)
        row |= {name: value, f"{name} low": float(low), f"{name} high": float(high)}
    return row


def _means(points: Sequence[Divergence]) -> Tuple[numpy.ndarray, numpy.ndarray]:
    """JSD and TVD of each point, over its texts and pairs."""
    return tuple(
        numpy.array([numpy.nanmean(getattr(point, axis).value) for point in points])
        for axis in ("jsd", "tvd")
    )


def _half_over_bases(
    measure: Callable[[numpy.ndarray, numpy.ndarray], numpy.ndarray],
    by_base: Sequence[Sequence[Divergence]],
) -> float:
    """Half of the interval over the bases' own curves; 0 where there are too few to know."""
    if len(by_base) < LEAST_SEEDS:
        return 0.0
    values = numpy.array([measure(*_means(points)) for points in by_base])
    return student_interval(0.0, float(values.std(ddof=1)), len(values))[1]


def _ordered(jsd: numpy.ndarray, tvd: numpy.ndarray) -> tuple:
    order = numpy.argsort(jsd, axis=-1, kind="stable")
    return numpy.take_along_axis(jsd, order, -1), numpy.take_along_axis(tvd, order, -1)
