"""
Figures as svg and png files: the settings of matplotlib, and small files. Coordinates are rounded to a
hundredth of a point, glyphs get short names, and the metadata of the drawing program are removed.
"""

import io
import re
from contextlib import AbstractContextManager
from typing import Any

import matplotlib
from matplotlib.figure import Figure

RC: dict[Any, Any] = {
    "font.family": "sans-serif",
    "font.sans-serif": ["DejaVu Sans"],
    "font.size": 8,
    "axes.titlesize": 9,
    "axes.labelsize": 8,
    "xtick.labelsize": 8,
    "ytick.labelsize": 8,
    "legend.fontsize": 8,
    "legend.frameon": False,
    "figure.titlesize": 9,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.linewidth": 0.6,
    "xtick.major.width": 0.6,
    "ytick.major.width": 0.6,
    "lines.linewidth": 1.3,
    "lines.markersize": 4,
    "patch.linewidth": 0.6,
    # A dollar in a name begins no formula.
    "text.parse_math": False,
    # The same numbers are the same bytes, and look the same without the font.
    "svg.fonttype": "path",
    "svg.hashsalt": "attention_explain",
}


def applied() -> AbstractContextManager:
    """Whatever is drawn or saved inside has the style; part of it is read only when saved."""
    return matplotlib.rc_context(RC)


# The data of a path, and where the next letter stands; scales keep all of their digits.
COORDINATES = re.compile(rb'(?<= d=")[^"]*|(?<=translate\()[^)]*')
NUMBER = re.compile(rb"-?\d+\.\d+")
LETTER = re.compile(rb'(?<=id=")DejaVu[^"]*|(?<=href="#)DejaVu[^"]*')
PROGRAM = re.compile(rb"\s*<metadata>.*?</metadata>|<!--.*?-->", re.DOTALL)
INDENTED = re.compile(rb"\n\s*")
DIGITS = 2


def saved(figure: Figure, ending: str, **options: Any) -> bytes:
    """As `svg` or `png`, in this style; `options` are those of `savefig`."""
    content = io.BytesIO()
    # Without a date, the same figure is the same file.
    metadata = {"Date": None} if ending == "svg" else {"Software": None}
    with applied():
        figure.savefig(content, format=ending, bbox_inches="tight", metadata=metadata, **options)
    return content.getvalue()


def rounded(svg: bytes) -> bytes:
    """The same drawing with fewer digits."""
    short: dict[bytes, bytes] = {}

    def renamed(found: re.Match) -> bytes:
        return short.setdefault(found.group(), b"l%d" % len(short))

    drawn = COORDINATES.sub(_coordinates, PROGRAM.sub(b"", svg))
    return INDENTED.sub(b"\n", LETTER.sub(renamed, drawn))


def _coordinates(found: re.Match) -> bytes:
    return NUMBER.sub(_number, b" ".join(found.group().split()))


def _number(found: re.Match) -> bytes:
    return f"{round(float(found.group()), DIGITS) + 0.0:g}".encode()
