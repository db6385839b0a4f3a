"""
The effect of a method's top words on the output for one text: the output without these words, and with only these
words. For the terminal and for notebooks.
"""

from dataclasses import dataclass, field
from html import escape

from attention_explain.heatmaps.explanation import columns, printable
from attention_explain.heatmaps.html_page import style


@dataclass(frozen=True)
class ModelOutput:
    """
    The output of a model.

    probability : the probability of the explained class.
    label : the predicted label.
    """

    probability: float
    label: str


@dataclass(frozen=True)
class TopWords:
    """
    The top words of a method.

    words : the most important first.
    without, only : the output without these words, and with only these words.
    positions : their positions in the text, in the same order.
    """

    words: list[str]
    without: ModelOutput
    only: ModelOutput
    positions: list[int] = field(default_factory=list)


@dataclass(frozen=True)
class TextVerdict:
    """
    The effect of each method's top words on the output for one text.

    target : the explained class.
    tokens : the number of words of the text.
    top : the number of top words per method.
    output : the output for the complete text.
    methods : the top words of each method; `missing` has the reasons for methods without scores.
    random : for the same number of random words, the mean probability without them, and with only them; None if
        `top` is the number of words.
    """

    target: str
    tokens: int
    top: int
    output: ModelOutput
    methods: dict[str, TopWords]
    missing: dict[str, str]
    random: tuple[float, float] | None

    def __str__(self) -> str:
        rows = [self._header(), *self._rows()]
        widths = [max(columns(row[index]) for row in rows) for index in range(4)]
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
        return f"class {self.target}: {self.output.probability:.3f} with all of the text ({length})"

    def _header(self) -> list[str]:
        words = "word" if self.top == 1 else f"{self.top} words"
        return ["method", f"its top {words}", "without", "only these"]

    def _rows(self) -> list[list[str]]:
        rows = [
            [name, " ".join(of.words), self._shown(of.without), self._shown(of.only)]
            for name, of in self.methods.items()
        ]
        if self.random is not None:
            rows.append(
                ["(random)", "as many, on average", *(f"{each:.3f}" for each in self.random)]
            )
        return rows

    def _shown(self, output: ModelOutput) -> str:
        """The probability, with the label if it differs from that of the complete text."""
        change = f", predicted {output.label}" if output.label != self.output.label else ""
        return f"{output.probability:.3f}{change}"

    def _last(self) -> list[str]:
        lines = [f"{name}: no scores, {reason}" for name, reason in self.missing.items()]
        if self.random is None or self.tokens == self.top:
            return [*lines, "these are all words of the text: there is nothing to choose from"]
        if self.methods:
            best = min(self.methods, key=lambda name: self.methods[name].without.probability)
            falls = self.methods[best].without.probability < self.random[0]
            lines.append(
                f"the probability falls most without the words of {best}"
                if falls
                else "without the words of any method, the probability falls no more than without random words"
            )
        return lines
