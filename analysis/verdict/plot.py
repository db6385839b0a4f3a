"""
All methods between chance and the best order of words: dots with intervals, as HTML, so that a phone can
fold away those that nobody asks for first. Its rules are in the style sheet of the verdict.
"""

from itertools import groupby
from typing import List, Optional, Sequence, Set

from analysis.verdict.files import ATTENTION
from analysis.verdict.recommendation import RankedMethod
from analysis.written import Estimate, html_text, number

# What is further left is not drawn to scale: an arrow says so.
LEAST, MOST = -0.5, 1.0
# So many a phone shows all; of more the first, and those around attention.
FEW_METHODS = 9
FIRST = 3
MARKS = {0.0: "random", 0.5: "half", 1.0: "best"}
CAPTION = "Place between random orders and the best order of words, with 95 % intervals."


def dot_plot(methods: Sequence[RankedMethod], recommended: Optional[str], anchor: str) -> str:
    """The best on top; `anchor` is unlike any other's on the page."""
    kept = kept_on_a_phone([each.name for each in methods], recommended)
    lowest = min([0.0, *(_low(each.place) for each in methods)])
    scale = _Scale(max(lowest, LEAST))
    rows = ""
    for folded, several in groupby(methods, key=lambda each: each.name not in kept):
        some = list(several)
        if folded:
            rows += f"<li class=gap>{len(some)} more</li>\n"
        rows += "".join(_row(each, recommended, folded, scale) for each in some)
    fold = ""
    if len(kept) < len(methods):
        fold = (
            f"<label for={anchor}-plot><span class=closed>Show all {len(methods)} methods</span>"
            "<span class=opened>Show fewer</span></label>\n"
        )
    ticks = "".join(
        f"<i style=left:{scale.percent(place)}>{word}</i>" for place, word in MARKS.items()
    )
    return (
        "<figure class=plot>\n"
        + (f"<input type=checkbox id={anchor}-plot>\n" if fold else "")
        + f"<ol>\n{rows}<li class=axis aria-hidden=true><span></span><div>{ticks}</div><b></b></li>\n"
        f"</ol>\n{fold}<figcaption>{CAPTION}</figcaption>\n</figure>\n"
    )


def kept_on_a_phone(names: Sequence[str], recommended: Optional[str]) -> Set[str]:
    """The best, the one that is recommended, attention and its neighbours, and the last."""
    if len(names) <= FEW_METHODS:
        return set(names)
    kept = {*names[:FIRST], names[-1], *(name for name in names if name == recommended)}
    if ATTENTION in names:
        place = names.index(ATTENTION)
        kept.update(names[max(place - 1, 0) : place + 2])
    return kept


class _Scale:
    """The axis from its left end to a little more than the best."""

    def __init__(self, left: float) -> None:
        self._left = left - 0.03
        self._length = MOST + 0.03 - self._left

    def percent(self, place: float) -> str:
        share = (min(max(place, LEAST), MOST) - self._left) / self._length
        return f"{100 * share:.1f}%"

    def width(self, low: float, high: float) -> str:
        ends = [min(max(end, LEAST), MOST) for end in (low, high)]
        return f"{100 * (ends[1] - ends[0]) / self._length:.1f}%"


def _row(method: RankedMethod, recommended: Optional[str], folded: bool, scale: _Scale) -> str:
    place = method.place
    kinds: List[str] = ["between"] if folded else []
    kinds += [ATTENTION] if method.name == ATTENTION else []
    kinds += ["recommended"] if method.name == recommended else []
    interval = ""
    if place.interval.known:
        width = scale.width(place.low, place.high)
        start = scale.percent(place.low)
        interval = f'<i class=interval style="left:{start};width:{width}"></i>'
    mark = "&#9664;" if place.mean < LEAST else ""
    lines = "".join(f"<i class=line style=left:{scale.percent(tick)}></i>" for tick in MARKS)
    return (
        f'<li class="{" ".join(kinds)}"><span>{html_text(method.name)}</span><div>{lines}{interval}'
        f"<i class=dot style=left:{scale.percent(place.mean)}>{mark}</i></div>"
        f'<b title="{place}">{number(place.mean)}</b></li>\n'
    )


def _low(estimate: Estimate) -> float:
    return estimate.low if estimate.interval.known else estimate.mean
