"""
Pages with many texts: facts to sort and filter them by, a summary line per method, and the controls, which a script
of the page handles.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from itertools import combinations
from pathlib import Path

import numpy

from attention_explain.files.attributions import markings
from attention_explain.heatmaps.explanation import Explanation

# Pages with more texts than this have an overview.
MANY = 20
# The fraction of the words of a text with the highest scores.
TOP = 0.2
# Random scores, a baseline for the agreement of the others.
CONTROL = "random"
SHARED = (
    "For each method, over all texts of this page: the mean fraction of its top fifth of words that another "
    "method also has in its top fifth. A text is disputed if this fraction is small."
)
SCRIPT = Path(__file__).with_name("texts.js")


@dataclass(frozen=True)
class Facts:
    """
    Facts about an explained text.

    words : the number of words.
    methods : the methods that have scores.
    wrong : whether the prediction is wrong; None without a gold label.
    shared : by method, the mean fraction of its top fifth of words that another method also has in its top fifth;
        empty with one method.
    marked : by method, the probability that its top word is in the rationale; empty without a rationale.
    """

    words: int
    methods: Sequence[str]
    wrong: bool | None
    shared: dict[str, float]
    marked: dict[str, float]

    @property
    def disputed(self) -> float:
        """From 0 (all methods have the same top words) to 1 (no two methods share one)."""
        of_methods = [share for method, share in self.shared.items() if method != CONTROL]
        return 1 - float(numpy.mean(of_methods)) if of_methods else 0.0

    def attributes(self) -> str:
        """HTML attributes for the element of the text."""
        wrong = f" data-wrong={int(self.wrong)}" if self.wrong is not None else ""
        return f" data-words={self.words} data-disputed={self.disputed:.3f}{wrong}"


def facts_of(explanation: Explanation) -> Facts:
    """The facts about a text."""
    scored = {name: scores for name, scores in explanation.scores.items() if scores is not None}
    length = len(explanation.tokens)
    most = max(1, round(TOP * length))
    top = {name: top_weights(scores, most) for name, scores in scored.items()}
    overlaps: dict[str, list[float]] = {name: [] for name in scored}
    for one, other in combinations(scored, 2):
        overlap = float(top[one] @ top[other]) / most
        # The control is compared with the methods, but no method with the control.
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
        else {name: float(top_weights(scores, 1) @ marked) for name, scores in scored.items()},
    )


def top_weights(scores: Sequence[float], most: int) -> numpy.ndarray:
    """
    The probability of each token to be among the `most` largest scores if ties are broken at random.
    Shape: (tokens,)
    """
    values = numpy.asarray(scores, dtype=numpy.float64)
    least = numpy.sort(values)[-most]
    above, equal = values > least, values == least
    return above + equal * ((most - above.sum()) / equal.sum())


def overview(facts: Sequence[Facts]) -> str:
    """A summary line per method, and the controls, which are hidden until the script shows them."""
    return _lines(facts) + _controls(any(each.wrong is not None for each in facts))


def _lines(facts: Sequence[Facts]) -> str:
    lines = []
    for name in {name: None for each in facts for name in each.methods}:
        shared = [each.shared[name] for each in facts if name in each.shared]
        marked = [each.marked[name] for each in facts if name in each.marked]
        missing = sum(name not in each.methods for each in facts)
        phrases = [f"{numpy.mean(shared):.0%} shared"] if shared else []
        phrases += [f"top word marked in {numpy.mean(marked):.0%} of texts"] if marked else []
        phrases += [f"no scores for {missing} of {len(facts)} texts"] if missing else []
        text = "; ".join(phrases) or f"scores for all {len(facts)} texts"
        lines.append(f"<li><b>{escape(name)}</b>: {text}</li>\n")
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


def _select(name: str, options: dict[str, str]) -> str:
    listed = "".join(f'<option value="{value}">{text}</option>' for value, text in options.items())
    return f"<select name={name}>{listed}</select>"


def script() -> str:
    """The script that sorts and filters the texts."""
    return SCRIPT.read_text(encoding="utf-8")
