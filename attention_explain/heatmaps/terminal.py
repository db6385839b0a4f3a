"""An explained text in the terminal: one line per token, with a number and a bar per method."""

import math
import shutil
import sys
import unicodedata

from attention_explain.heatmaps.explanation import Explanation

BAR = 6
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
    if any(explanation.unknown or []):
        lines += ["", f"{UNKNOWN} unknown to the model, which treats all such words alike"]
    lines += [
        printable(f"{name}: no scores, {reason}") for name, reason in explanation.skipped.items()
    ]
    return "\n".join(lines)


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
