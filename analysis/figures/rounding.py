"""
Figures as small files: coordinates to a hundredth of a point, which no eye tells from the rest of
their digits, letters under short names, and nothing of the program that drew them.
"""

import re
from typing import Dict

# The data of a path, and where the next letter stands; scales keep all of their digits.
COORDINATES = re.compile(rb'(?<= d=")[^"]*|(?<=translate\()[^)]*')
NUMBER = re.compile(rb"-?\d+\.\d+")
LETTER = re.compile(rb'(?<=id=")DejaVu[^"]*|(?<=href="#)DejaVu[^"]*')
PROGRAM = re.compile(rb"\s*<metadata>.*?</metadata>|<!--.*?-->", re.DOTALL)
INDENTED = re.compile(rb"\n\s*")
DIGITS = 2


def rounded(svg: bytes) -> bytes:
    """The same drawing with fewer digits."""
    short: Dict[bytes, bytes] = {}

    def renamed(found: re.Match) -> bytes:
        return short.setdefault(found.group(), b"l%d" % len(short))

    drawn = COORDINATES.sub(_coordinates, PROGRAM.sub(b"", svg))
    return INDENTED.sub(b"\n", LETTER.sub(renamed, drawn))


def _coordinates(found: re.Match) -> bytes:
    return NUMBER.sub(_number, b" ".join(found.group().split()))


def _number(found: re.Match) -> bytes:
    return f"{round(float(found.group()), DIGITS) + 0.0:g}".encode()
