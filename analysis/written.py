"""
How numbers and texts are written.

Numbers as people read them, in tables, claims and sentences alike: three digits, with the zero
before the point, and an estimate with the ends of its 95 % interval: `0.279 [0.268, 0.290]`.
Where there is no number there is a dash; where only the interval is missing, the mean stands alone.

Text of the data (labels, corpora, methods, file names) in the formats we write: one escaping a
format.
"""

import math
import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from html import escape
from typing import TYPE_CHECKING, Any, Optional

# Plans of studies write texts too, and need no tables.
if TYPE_CHECKING:
    import pandas

# csv keeps all of them.
DIGITS = 3
NONE = "-"


def number(value: float) -> str:
    """`0.279`; a zero is unsigned."""
    return NONE if math.isnan(value) else f"{round(value, DIGITS) + 0.0:.{DIGITS}f}"


@dataclass(frozen=True)
class Interval:
    """The ends of a 95 % interval; NaN where there is none."""

    low: float
    high: float

    @property
    def known(self) -> bool:
        """Whether it has both ends."""
        return not (math.isnan(self.low) or math.isnan(self.high))

    def __str__(self) -> str:
        return f"[{number(self.low)}, {number(self.high)}]" if self.known else NONE


@dataclass(frozen=True)
class Estimate:
    """
    A mean and its interval.

    difference : whether it says how far two things are apart.
    nothing : why its model gives nothing to judge, if so.
    df : the degrees of freedom of the interval, or the least that it can have; NaN if not known.
    seeds : how many trained models it is over; NaN if not known.
    correlation : whether it is a correlation, whose interval is Fisher's.
    printed : whether it is a number of a paper, known up to its rounding.
    """

    mean: float
    low: float
    high: float
    difference: bool = False
    nothing: str = ""
    df: float = field(default=math.nan, compare=False)
    seeds: float = field(default=math.nan, compare=False)
    correlation: bool = field(default=False, compare=False)
    printed: bool = field(default=False, compare=False)

    @classmethod
    def of(
        cls,
        row: Mapping[str, Any],
        name: str = "",
        mean: str | None = None,
        difference: bool = False,
        nothing: str = "",
    ) -> "Estimate":
        """
        From a row with `NAME` (or `NAME mean`), `NAME low` and `NAME high`; without a name, with
        `mean`, `low` and `high`. `mean` is the column of the mean where it is called otherwise.
        """
        if mean is None:
            mean = name if name in row else f"{name} mean".strip()
        low, high = (float(row[f"{name} {end}".strip()]) for end in ("low", "high"))
        return cls(float(row[mean]), low, high, difference, nothing)

    def columns(self, name: str) -> dict[str, float]:
        """As `of` reads them: `NAME`, `NAME low` and `NAME high`."""
        return {name: self.mean, f"{name} low": self.low, f"{name} high": self.high}

    @property
    def interval(self) -> Interval:
        """Without the mean."""
        return Interval(self.low, self.high)

    def minus(self, other: "Estimate", paired: Optional["Estimate"] = None) -> "Estimate":
        """
        The difference: on the same texts, if it is given as `paired`. Else as if the two were
        independent: where both come from the same texts they vary together, and the true interval
        is shorter.
        """
        nothing = self.nothing or other.nothing
        seeds, df = (
            least_known(getattr(self, name), getattr(other, name)) for name in ("seeds", "df")
        )
        if paired is not None:
            df = df if math.isnan(paired.df) else paired.df
            return replace(paired, nothing=nothing, seeds=seeds, df=df)
        mean = self.mean - other.mean
        below = math.hypot(self.mean - self.low, other.high - other.mean)
        above = math.hypot(self.high - self.mean, other.mean - other.low)
        ends = (mean - below, mean + above)
        return Estimate(mean, *ends, True, nothing, df, seeds, printed=self.printed)

    def negative(self) -> "Estimate":
        """Of the number with the other sign."""
        return replace(self, mean=-self.mean, low=-self.high, high=-self.low)

    def __str__(self) -> str:
        if math.isnan(self.mean) or not self.interval.known:
            return number(self.mean)
        return f"{number(self.mean)} {self.interval}"


def least_known(*values: float) -> float:
    """The smallest of the values that are not NaN; NaN if none is."""
    return min((value for value in values if not math.isnan(value)), default=math.nan)


def listed(names: Sequence[str]) -> str:
    """`a`, `a and b`, `a, b and c`."""
    names = list(names)
    return " and ".join([", ".join(names[:-1]), names[-1]]) if len(names) > 1 else "".join(names)


def average(several: Sequence[Estimate]) -> Estimate:
    """As if all varied together, which makes the interval no shorter than it is."""
    count = len(several)
    return Estimate(
        sum(one.mean for one in several) / count,
        sum(one.low for one in several) / count,
        sum(one.high for one in several) / count,
        nothing=next((one.nothing for one in several if one.nothing), ""),
        df=least_known(*(one.df for one in several)),
        seeds=least_known(*(one.seeds for one in several)),
        printed=all(one.printed for one in several),
    )


def estimates(table: "pandas.DataFrame", name: str = "", mean: str | None = None) -> list[Estimate]:
    """An estimate for each row, for the table that people read; `name` and `mean` as in `Estimate.of`."""
    return [Estimate.of(row, name, mean) for row in table.to_dict("records")]


def interval_column(table: "pandas.DataFrame", name: str = "") -> list[Interval]:
    """The same without the means, where these have a column of their own."""
    low, high = (table[f"{name} {end}".strip()].astype(float) for end in ("low", "high"))
    return [Interval(*ends) for ends in zip(low, high, strict=True)]


# Line ends of any kind, controls, and halves of characters: none of them is for people to read.
UNREADABLE = ("Cc", "Cs", "Zl", "Zp")
NO_CHARACTERS = "\ufffe\uffff"

LATEX_SPECIAL = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    **{character: f"\\{character}" for character in "&%$#_{}"},
}

# What is in backticks is shown as it is, by every reader of Markdown.
CODE = re.compile(r"(?<!`)(`+)(?!`).+?(?<!`)\1(?!`)")
# With these begin HTML, formulas, emphasis, links and entities.
MARKUP = re.compile(
    r"[\\*~$`]|<(?=[A-Za-z/!?])|&(?=[#\w])|!(?=\[)|\](?=[(\[:])|(?<!\w)_|_(?!\w)", re.ASCII
)

# By these (the last four are wide ones) a spreadsheet knows a formula; an apostrophe before tells it
# that there is none.
FORMULA = re.compile("'*[-=+@\t\r\n\uff1d\uff0b\uff0d\uff20]")


def one_line(text: str) -> str:
    """The text with a space for all that breaks a line or cannot be shown."""
    if text.isprintable():
        return text
    return "".join(" " if _unreadable(sign) else sign for sign in text)


def markdown_text(text: str) -> str:
    """Also for a cell of a table."""
    text, made, end = one_line(text), "", 0
    for code in CODE.finditer(text):
        made += MARKUP.sub(r"\\\g<0>", text[end : code.start()]) + code.group()
        end = code.end()
    made += MARKUP.sub(r"\\\g<0>", text[end:])
    # A pipe ends a cell, also in code.
    return made.replace("|", r"\|")


def markdown_code(text: str) -> str:
    """The text as code, whatever is in it."""
    text = one_line(text)
    runs = [len(run) for run in re.findall("`+", text)]
    fence = "`" * next(size for size in range(1, len(runs) + 2) if size not in runs)
    space = " " if text.startswith("`") or text.endswith("`") else ""
    return f"{fence}{space}{text}{space}{fence}"


def html_text(text: str) -> str:
    """Also for an attribute in quotes."""
    return escape(one_line(text))


def latex_text(text: str) -> str:
    """Also for a cell of a table, or a caption."""
    return "".join(LATEX_SPECIAL.get(character, character) for character in one_line(text))


def csv_text(text: str) -> str:
    """Numbers are no formulas, also where they are written as text."""
    return f"'{text}" if FORMULA.match(text) and not _number(text) else text


def text_of_csv(cell: str) -> str:
    """The text that `csv_text` made the cell of."""
    return cell[1:] if cell.startswith("'") and FORMULA.match(cell) else cell


def _unreadable(sign: str) -> bool:
    return sign in NO_CHARACTERS or unicodedata.category(sign) in UNREADABLE


def _number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return text.isprintable()
