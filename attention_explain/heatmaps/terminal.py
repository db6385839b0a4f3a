"""An explained text for a terminal: a token a line, a number and a bar a method."""

import math
import shutil
import sys
import unicodedata
from typing import List, Optional

from attention_explain.heatmaps.explanation import Explanation

BAR = 6
EIGHTHS = " ▏▎▍▌▋▊▉█"
NUMBER = 9
UNKNOWN = "?"
# Stands before the words of a query, where both texts of a pair have scores.
QUERY = "-- query"
LONGEST_TOKEN = 24
# For and against the class, as on the HTML pages.
ORANGE, BLUE, PLAIN = "\033[38;5;208m", "\033[38;5;33m", "\033[0m"


def render(explanation: Explanation, colour: Optional[bool] = None) -> str:
    """With colour codes only where they are asked for, or where standard output is a terminal."""
    colour = sys.stdout.isatty() if colour is None else colour
    lines = [_prediction(explanation)]
    if explanation.beside is not None:
        lines.append(printable(explanation.beside))
    width = max(map(columns, explanation.tokens), default=0)
    width = min(max(width, len("token")), LONGEST_TOKEN)
    width += 2 * any(explanation.unknown or [])
    methods = [name for name, scores in explanation.scores.items() if scores is not None]
    room = shutil.get_terminal_size().columns - width
    for block in _blocks(methods, room):
        lines += ["", *_block(explanation, block, width, colour)]
    if any(explanation.unknown or []):
        lines += ["", f"{UNKNOWN} unknown to the model, which reads all such words alike"]
    lines += [
        printable(f"{name}: no scores, {reason}") for name, reason in explanation.skipped.items()
    ]
    return "\n".join(lines)


def _cell_width(method: str) -> int:
    return max(NUMBER + 1 + BAR, len(method))


def _blocks(methods: List[str], room: int) -> List[List[str]]:
    """The methods in as many rows of columns as it takes."""
    blocks: List[List[str]] = []
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
    parts = [f"predicted {explanation.label} ({shown})"]
    if explanation.gold is not None:
        parts.append(f"gold {explanation.gold}")
    if explanation.target is not None:
        parts.append(f"explained {explanation.target}")
    return printable("; ".join(parts))


def _block(explanation: Explanation, methods: List[str], width: int, colour: bool) -> List[str]:
    header = "  ".join(printable(name).ljust(_cell_width(name)) for name in methods)
    cells = [_cells(explanation.scores[name], _cell_width(name), colour) for name in methods]
    lines = [f"{'token'.ljust(width)}  {header}"]
    unknown = explanation.unknown or [0] * len(explanation.tokens)
    rows = zip(explanation.tokens, unknown, *cells, strict=True)
    for place, (token, mark, *row) in enumerate(rows):
        if place == explanation.turn:
            lines.append(QUERY)
        end = f" {UNKNOWN}" if mark else ""
        lines.append(f"{fitted(token, width - len(end))}{end}  {'  '.join(row)}")
    return [line.rstrip() for line in lines]


def _cells(scores: List[float], width: int, colour: bool) -> List[str]:
    """Each number, and a bar as long as its share of the method's largest on this text."""
    largest = max(map(abs, scores), default=0.0)
    # Three digits of the largest.
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
    whole, eighths = divmod(round(8 * BAR * share), 8)
    return EIGHTHS[8] * whole + EIGHTHS[eighths].strip()


def printable(text: str) -> str:
    """A token or a label could hold anything, also what moves the cursor."""
    return "".join(sign if sign.isprintable() else "\N{REPLACEMENT CHARACTER}" for sign in text)


def columns(text: str) -> int:
    """How many columns of a terminal the text takes: wide characters take two, marks none."""
    return sum(
        0 if unicodedata.combining(sign) else 2 if unicodedata.east_asian_width(sign) in "WF" else 1
        for sign in text
    )


def fitted(text: str, width: int) -> str:
    """The text in exactly that many columns, its end cut off if need be."""
    text = printable(text)
    if columns(text) > width:
        while columns(text) > width - 1:
            text = text[:-1]
        text += "…"
    return text + " " * (width - columns(text))
