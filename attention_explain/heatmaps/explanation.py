"""
One explained text: what `predict` prints, `attribute` writes, `explain` returns, and a row of an attribution file
contains. In the terminal it has one line per token, with a number and a bar per method.
"""

import math
import shutil
import sys
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy

from attention_explain.files.attributions import ExplainedText, attributes

# The side of a pair of texts if both have scores.
BOTH = "both"
# The split-half reliability from which a ranking counts as reliable.
RELIABLE = 0.9


@dataclass(frozen=True)
class WordRelevance:
    """
    How much each word of a text moves the output, as the mean over random permutations of the words.

    values, errors : the means and their standard errors.
    reliability : split-half reliability of the values, from 0 to 1; None if it is not known.
    permutations : 0 if all sets of words were evaluated, so that the values are exact.
    """

    values: list[float]
    errors: list[float]
    reliability: float | None
    permutations: int

    @property
    def is_reliable(self) -> bool:
        """Whether other permutations would give nearly the same ranking."""
        return self.reliability is not None and self.reliability >= RELIABLE

    @property
    def mark(self) -> str:
        """How certain the ranking of the words is: `reliable (0.95)`, `uncertain (0.62)`, ..."""
        if not self.permutations:
            return "exact"
        if self.reliability is None:
            return "uncertain (no word stands out)"
        return f"{'reliable' if self.is_reliable else 'uncertain'} ({self.reliability:.2f})"


@dataclass(repr=False)
class Explanation(ExplainedText):
    """
    An explained text that prints itself, in the terminal and in notebooks.

    relevance : how much each word moves the output, if that was measured.
    """

    relevance: WordRelevance | None = None

    @property
    def context(self) -> str | None:
        """The text of the pair without scores, after its name; None if both have scores."""
        if self.other is None or self.side == BOTH:
            return None
        return f"{'passage' if self.side == 'query' else 'query'}: {' '.join(self.other)}"

    @property
    def query_start(self) -> int | None:
        """The index of the first token of the query, if both texts have scores."""
        return len(self.tokens) - len(self.other or ()) if self.side == BOTH else None

    def to_dict(self) -> dict[str, Any]:
        """A line of `allennlp predict`, without unknown values."""
        known: dict[str, Any] = {
            "id": self.id or None,
            "tokens": self.tokens,
            "label": self.label,
            "gold": self.gold,
            "target": self.target,
            "contrast": self.contrast,
            "labels": self.labels,
            "probs": short(self.probs),
            "attention": None if self.attention is None else short(self.attention),
            "rationale": self.rationale,
            "unknown": self.unknown,
            "side": self.side,
            "other": self.other,
            "relevance": None if self.relevance is None else asdict(self.relevance),
        }
        values = {name: value for name, value in known.items() if value is not None}
        values["saliency"] = {
            name: None if scores is None else short(scores) for name, scores in self.scores.items()
        }
        if self.checks:
            values["checks"] = {
                method: dict(zip(checks, short(list(checks.values())), strict=True))
                for method, checks in self.checks.items()
            }
        if self.skipped:
            values["skipped"] = self.skipped
        return values

    def __repr__(self) -> str:
        return render(self)

    def _repr_html_(self) -> str:
        from attention_explain.heatmaps.html_page import fragment

        return fragment(self)


def short(values: Sequence[float]) -> list[float]:
    """Round to the digits of single precision: .3 for .30000001192092896."""
    return [
        value if isinstance(value, int) else float(str(numpy.float32(value))) for value in values
    ]


def explanations(
    rows: Iterable[Mapping[str, Any]], metadata: Mapping[str, Any]
) -> Iterator[Explanation]:
    """
    The explained texts of an attribution file.

    # Parameters

    rows : `Iterable[Mapping[str, Any]]`
        By column, as `pyarrow.Table.to_pylist` returns them.
    metadata : `Mapping[str, Any]`
        The metadata of the file.
    """
    return (Explanation(**attributes(row, metadata)) for row in rows)


BAR = 6
# Standard errors on each side of a 95 % interval.
NORMAL = 1.96
EIGHTHS = " ▏▎▍▌▋▊▉█"
NUMBER = 9
UNKNOWN = "?"
# Printed before the words of a query if both texts of a pair have scores.
QUERY = "-- query"
LONGEST_TOKEN = 24
# For and against the class, as on the HTML pages.
ORANGE, BLUE, PLAIN = "\033[38;5;208m", "\033[38;5;33m", "\033[0m"


def render(explanation: Explanation, colour: bool | None = None) -> str:
    """The text as lines; by default with colours if standard output is a terminal."""
    colour = sys.stdout.isatty() if colour is None else colour
    lines = [_prediction(explanation)]
    if explanation.context is not None:
        lines.append(printable(explanation.context))
    width = max(map(columns, explanation.tokens), default=0)
    width = min(max(width, len("token")), LONGEST_TOKEN)
    width += 2 * any(explanation.unknown or [])
    methods = [name for name, scores in explanation.scores.items() if scores is not None]
    room = shutil.get_terminal_size().columns - width
    for block in _blocks(methods, room):
        lines += ["", *_block(explanation, block, width, colour)]
    if explanation.relevance is not None:
        lines += ["", relevance_line(explanation)]
    if any(explanation.unknown or []):
        lines += ["", f"{UNKNOWN} unknown to the model, which treats all such words alike"]
    lines += [
        printable(f"{name}: no scores, {reason}") for name, reason in explanation.skipped.items()
    ]
    return "\n".join(lines)


# The number of words in the line about relevance.
MOST_RELEVANT = 3


def relevance_line(explanation: Explanation) -> str:
    """The words that move the output most, with 95 % intervals, and how certain their ranking is."""
    relevance = explanation.relevance
    assert relevance is not None
    values = relevance.values
    first = sorted(range(len(values)), key=lambda index: -values[index])[:MOST_RELEVANT]
    words = ", ".join(
        f"{explanation.tokens[index]} {values[index]:.3f}"
        + (f" ± {NORMAL * relevance.errors[index]:.3f}" if relevance.permutations else "")
        for index in first
    )
    return printable(f"the output moves most with {words}; this ranking is {relevance.mark}")


def _cell_width(method: str) -> int:
    return max(NUMBER + 1 + BAR, len(method))


def _blocks(methods: list[str], room: int) -> list[list[str]]:
    """The methods, divided into blocks that fit the width of the terminal."""
    blocks: list[list[str]] = []
    left = 0
    for method in methods:
        needed = 2 + _cell_width(method)
        if not blocks or needed > left:
            blocks.append([])
            left = room
        blocks[-1].append(method)
        left -= needed
    return blocks


def _prediction(explanation: Explanation) -> str:
    chances = sorted(zip(explanation.probs, explanation.labels, strict=True), reverse=True)
    shown = ", ".join(f"{label} {chance:.3f}" for chance, label in chances[:5])
    phrases = [f"predicted {explanation.label} ({shown})"]
    if explanation.gold is not None:
        phrases.append(f"gold {explanation.gold}")
    if explanation.target is not None:
        phrases.append(f"explained {explanation.target}")
    if explanation.contrast is not None:
        phrases.append(f"rather than {explanation.contrast}")
    return printable("; ".join(phrases))


def _block(explanation: Explanation, methods: list[str], width: int, colour: bool) -> list[str]:
    header = "  ".join(printable(name).ljust(_cell_width(name)) for name in methods)
    cells = [_cells(explanation.scores[name] or [], _cell_width(name), colour) for name in methods]
    lines = [f"{'token'.ljust(width)}  {header}"]
    unknown = explanation.unknown or [0] * len(explanation.tokens)
    rows = zip(explanation.tokens, unknown, *cells, strict=True)
    for index, (token, mark, *row) in enumerate(rows):
        if index == explanation.query_start:
            lines.append(QUERY)
        end = f" {UNKNOWN}" if mark else ""
        lines.append(f"{fit(token, width - len(end))}{end}  {'  '.join(row)}")
    return [line.rstrip() for line in lines]


def _cells(scores: list[float], width: int, colour: bool) -> list[str]:
    """Each score, with a bar in proportion to the largest score of the method."""
    largest = max(map(abs, scores), default=0.0)
    # Three significant digits of the largest score.
    digits = min(7, max(0, 2 - math.floor(math.log10(largest)))) if largest > 0 else 2
    cells = []
    for score in scores:
        number = f"{score:>{NUMBER}.{digits}f} "
        bar = _bar(abs(score) / largest if largest > 0 else 0)
        space = " " * (width - len(number) - len(bar))
        if colour and bar:
            bar = f"{BLUE if score < 0 else ORANGE}{bar}{PLAIN}"
        cells.append(number + bar + space)
    return cells


def _bar(share: float) -> str:
    blocks, eighths = divmod(round(8 * BAR * share), 8)
    return EIGHTHS[8] * blocks + EIGHTHS[eighths].strip()


def printable(text: str) -> str:
    """The text without control characters, which tokens and labels may contain."""
    return "".join(char if char.isprintable() else "\N{REPLACEMENT CHARACTER}" for char in text)


def columns(text: str) -> int:
    """The width of a text in a terminal: wide characters take two columns, combining ones none."""
    return sum(
        0 if unicodedata.combining(char) else 2 if unicodedata.east_asian_width(char) in "WF" else 1
        for char in text
    )


def fit(text: str, width: int) -> str:
    """The text padded or cut to exactly `width` columns."""
    text = printable(text)
    if columns(text) > width:
        while columns(text) > width - 1:
            text = text[:-1]
        text += "…"
    return text + " " * (width - columns(text))
