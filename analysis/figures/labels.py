"""Labels of points, each where it covers least of what is drawn."""

from collections.abc import Iterable, Iterator, Sequence

import numpy
from matplotlib.axes import Axes
from matplotlib.text import Annotation
from matplotlib.transforms import Bbox

from analysis.figures import style

Point = tuple[float, float]
# In pixels: half the size of a mark, half the width of a line.
MARK, LINE = 5, 1
PARTS_OF_A_LINE = 50
# A label far from its mark may be taken for another's: this many covered pixels are better.
A_POINT_AWAY = 2
# Where a label may stand, in points from its mark; the first of equally good ones is taken.
OFFSETS = tuple((across, up) for up in (4, -9, 10, -15, 17, -22) for across in (4, -4, 14, -14))


def draw_labels(axes: Axes, labels: Iterable[tuple[str, Point]], drawn: Iterable[Bbox]) -> None:
    """
    The figure has to be laid out: only then is it known where things are.

    # Parameters

    axes : `Axes`
    labels : `Iterable[Tuple[str, Point]]`
        Each with the point that it belongs to.
    drawn : `Iterable[Bbox]`
        What labels should not cover, apart from each other: see `around_marks` and `along_line`.
    """
    taken = [box.extents for box in drawn]
    for text, position in labels:
        label = axes.annotate(
            style.shown(text), position, (0, 0), fontsize=6, zorder=5, textcoords="offset points"
        )
        boxes = {}
        for offset in OFFSETS:
            _move(label, offset)
            boxes[offset] = label.get_window_extent().padded(LINE)
        others = numpy.array([axes.bbox.extents, *taken])
        best = min(
            OFFSETS, key=lambda o: _covered(boxes[o], others) + A_POINT_AWAY * numpy.hypot(*o)
        )
        _move(label, best)
        taken.append(boxes[best].extents)


def around_marks(axes: Axes, positions: Sequence[Point]) -> Iterator[Bbox]:
    """Around each."""
    for position in pixels(axes, positions):
        yield Bbox.from_extents(*(position - MARK), *(position + MARK))


def along_line(axes: Axes, start: Point, end: Point) -> Iterator[Bbox]:
    """All along it; none of one whose ends are not known."""
    if not numpy.isfinite([start, end]).all():
        return
    first, last = pixels(axes, [start, end])
    for share in numpy.linspace(0, 1, PARTS_OF_A_LINE):
        position = first + share * (last - first)
        yield Bbox.from_extents(*(position - LINE), *(position + LINE))


def pixels(axes: Axes, positions: Sequence[Point]) -> numpy.ndarray:
    """Shape: (positions, 2)"""
    return axes.transData.transform(numpy.asarray(positions, dtype=float).reshape(-1, 2))


def _move(label: Annotation, offset: tuple[int, int]) -> None:
    label.set(position=offset, ha="left" if offset[0] > 0 else "right")


def _covered(box: Bbox, others: numpy.ndarray) -> float:
    """
    The area of others that a box would cover, and of its own outside of the first, the axes.
    Shape of others: (boxes, 4), as `Bbox.extents`
    """
    low = numpy.maximum(others[:, :2], box.min)
    high = numpy.minimum(others[:, 2:], box.max)
    shown, *covered = (high - low).clip(min=0).prod(axis=1).tolist()
    return sum(covered) + box.width * box.height - shown
