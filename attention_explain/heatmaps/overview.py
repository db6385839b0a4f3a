"""
Many texts on a page: what is to be known of each to sort and filter them, a line a method over all of
them, and the controls, which a script of the page's own brings to life.
"""

from dataclasses import dataclass
from html import escape
from itertools import combinations
from pathlib import Path
from typing import Dict, List, Optional, Sequence

import numpy

from attention_explain.files.attributions import markings
from attention_explain.heatmaps.explanation import Explanation

# Fewer can be looked through.
MANY = 20
# Of the words of a text, those that a method says matter most.
TOP = 0.2
# Its scores are drawn: it is a measure of the others, and disputes everything.
CONTROL = "random"
SHARED = (
    "Over all texts of the page, for each method: how much of its top fifth of words another method "
    "has in its own, on average. A text is disputed where that is little."
)
SCRIPT = Path(__file__).with_name("texts.js")


@dataclass(frozen=True)
class Facts:
    """
    words : how many the text has.
    methods : those that have scores.
    wrong : whether the prediction is; None where no label is known.
    shared : of the top fifth of each method's words, the share that another method has in its own, on
        average over the others; empty where there are no others.
    marked : how likely the first word of each method is one that the rationale marks, where there is
        one.
    """

    words: int
    methods: Sequence[str]
    wrong: Optional[bool]
    shared: Dict[str, float]
    marked: Dict[str, float]

    @property
    def disputed(self) -> float:
        """From 0, all methods name the same words, to 1, no two have one in common."""
        of_methods = [share for method, share in self.shared.items() if method != CONTROL]
        return 1 - float(numpy.mean(of_methods)) if of_methods else 0.0

    def attributes(self) -> str:
        """Of the text's element."""
        wrong = f" data-wrong={int(self.wrong)}" if self.wrong is not None else ""
        return f" data-words={self.words} data-disputed={self.disputed:.3f}{wrong}"


def facts_of(explanation: Explanation) -> Facts:
    scored = {name: scores for name, scores in explanation.scores.items() if scores is not None}
    length = len(explanation.tokens)
    most = max(1, round(TOP * length))
    top = {name: named(scores, most) for name, scores in scored.items()}
    overlaps: Dict[str, List[float]] = {name: [] for name in scored}
    for one, other in combinations(scored, 2):
        overlap = float(top[one] @ top[other]) / most
        # The control is held against the methods, and no method against it.
        if other != CONTROL:
            overlaps[one].append(overlap)
        if one != CONTROL:
            overlaps[other].append(overlap)
    marks = markings(explanation.rationale)
    marked = numpy.any(marks, axis=0) if marks else None
    return Facts(
        words=length,
        methods=list(scored),
        wrong=None if explanation.gold is None else explanation.gold != explanation.label,
        shared={name: float(numpy.mean(each)) for name, each in overlaps.items() if each},
        marked={}
        if marked is None or not marked.any()
        else {name: float(named(scores, 1) @ marked) for name, scores in scored.items()},
    )


def named(scores: Sequence[float], most: int) -> numpy.ndarray:
    """
    How likely each token is among so many with the largest scores, if chance decides between equal
    ones. Shape: (tokens,)
    """
    values = numpy.asarray(scores, dtype=numpy.float64)
    least = numpy.sort(values)[-most]
    above, equal = values > least, values == least
    return above + equal * ((most - above.sum()) / equal.sum())


def overview(facts: Sequence[Facts]) -> str:
    """A line a method, and the controls, which are hidden until the script shows them."""
    return _lines(facts) + _controls(any(each.wrong is not None for each in facts))


def _lines(facts: Sequence[Facts]) -> str:
    lines = []
    for name in {name: None for each in facts for name in each.methods}:
        shared = [each.shared[name] for each in facts if name in each.shared]
        marked = [each.marked[name] for each in facts if name in each.marked]
        missing = sum(name not in each.methods for each in facts)
        parts = [f"{numpy.mean(shared):.0%} shared"] if shared else []
        parts += [f"a marked word first in {numpy.mean(marked):.0%} of texts"] if marked else []
        parts += [f"no scores for {missing} of {len(facts)} texts"] if missing else []
        said = "; ".join(parts) or f"scores for all {len(facts)} texts"
        lines.append(f"<li><b>{escape(name)}</b>: {said}</li>\n")
    return (
        f"<p class=about>{SHARED}</p>\n<ul class=summary>\n{''.join(lines)}</ul>\n" if lines else ""
    )


def _controls(labelled: bool) -> str:
    orders = {"": "order of the data", "disputed": "most disputed", "words": "longest"}
    if labelled:
        orders["wrong"] = "wrong predictions first"
    choices = {"": "all texts", "wrong": "wrong predictions", "right": "right predictions"}
    return (
        '<div class=controls role=group aria-label="Sort and filter the texts" hidden>\n'
        f"<label>Sort by {_select('sort', orders)}</label>\n"
        f"<label{'' if labelled else ' hidden'}>Show {_select('shown', choices)}</label>\n"
        "<label>With the words <input type=search name=words></label>\n"
        "<output aria-live=polite></output>\n</div>\n"
    )


def _select(name: str, options: Dict[str, str]) -> str:
    listed = "".join(f'<option value="{value}">{text}</option>' for value, text in options.items())
    return f"<select name={name}>{listed}</select>"


def script() -> str:
    return SCRIPT.read_text(encoding="utf-8")
