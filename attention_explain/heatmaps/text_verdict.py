"""
What the words that a method names are to the output for one text: how it changes when they go, and
what it is when nothing else stays. In a terminal and in a notebook.
"""

from dataclasses import dataclass, field
from html import escape
from typing import Dict, List, Optional, Tuple

from attention_explain.heatmaps.html_document import style
from attention_explain.heatmaps.terminal import columns, printable


@dataclass(frozen=True)
class ModelOutput:
    """
    probability : of the class that is explained.
    label : the predicted one.
    """

    probability: float
    label: str


@dataclass(frozen=True)
class NamedWords:
    """
    words : the most important first.
    without, only : the output without them, and with nothing else.
    positions : where in the text they stand, in the same order.
    """

    words: List[str]
    without: ModelOutput
    only: ModelOutput
    positions: List[int] = field(default_factory=list)


@dataclass(frozen=True)
class TextVerdict:
    """
    target : the class that is explained.
    tokens : how many the text has.
    named : how many of them each method is asked for.
    whole : the output for the text as it is.
    methods : in the order in which they were asked for; `missing` says why others are not there.
    chance : what as many words by chance do, on average: the probability without them, and with
        nothing else; None where they can only be all of the text.
    """

    target: str
    tokens: int
    named: int
    whole: ModelOutput
    methods: Dict[str, NamedWords]
    missing: Dict[str, str]
    chance: Optional[Tuple[float, float]]

    def __str__(self) -> str:
        rows = [self._header(), *self._rows()]
        widths = [max(columns(row[place]) for row in rows) for place in range(4)]
        lines = [
            "  ".join(cell + " " * (width - columns(cell)) for cell, width in zip(row, widths))
            for row in [[printable(cell) for cell in row] for row in rows]
        ]
        lines = [f"  {line}".rstrip() for line in lines]
        return "\n".join([printable(self._first()), *lines, *map(printable, self._last())])

    def _repr_html_(self) -> str:
        head = "".join(f"<th scope=col>{escape(cell)}</th>" for cell in self._header())
        rows = "".join(
            f"<tr><th scope=row>{escape(first)}</th>"
            + "".join(f"<td dir=auto>{escape(cell)}</td>" for cell in rest)
            + "</tr>\n"
            for first, *rest in self._rows()
        )
        last = "".join(f"<p>{escape(line)}</p>\n" for line in self._last())
        return (
            f"<div class=ae><style>{style()}</style>\n<p>{escape(self._first())}</p>\n"
            f"<table>\n<thead><tr>{head}</tr></thead>\n<tbody>{rows}</tbody>\n</table>\n{last}</div>"
        )

    def _first(self) -> str:
        length = "one word" if self.tokens == 1 else f"{self.tokens} words"
        return f"class {self.target}: {self.whole.probability:.3f} with the whole text of {length}"

    def _header(self) -> List[str]:
        words = "word" if self.named == 1 else f"{self.named} words"
        return ["method", f"the {words} that it names first", "without", "nothing else"]

    def _rows(self) -> List[List[str]]:
        rows = [
            [name, " ".join(of.words), self._shown(of.without), self._shown(of.only)]
            for name, of in self.methods.items()
        ]
        if self.chance is not None:
            rows.append(
                ["(chance)", "as many, on average", *(f"{each:.3f}" for each in self.chance)]
            )
        return rows

    def _shown(self, output: ModelOutput) -> str:
        """With the label where it is another than for the whole text."""
        change = f", predicted {output.label}" if output.label != self.whole.label else ""
        return f"{output.probability:.3f}{change}"

    def _last(self) -> List[str]:
        lines = [f"{name}: no scores, {reason}" for name, reason in self.missing.items()]
        if self.tokens == self.named:
            return [*lines, "these are all words of the text: there is nothing to choose from"]
        if self.methods:
            best = min(self.methods, key=lambda name: self.methods[name].without.probability)
            falls = self.methods[best].without.probability < self.chance[0]
            lines.append(
                f"it falls most without the words of {best}"
                if falls
                else "no method names words without which it falls more than by chance"
            )
        return lines
