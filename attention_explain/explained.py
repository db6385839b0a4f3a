"""
An explained text with its model, which can evaluate the top words of each method; and the result, as text
and as HTML.
"""

from dataclasses import dataclass, field, fields, replace
from html import escape
from typing import Any

import numpy
import torch
from allennlp.data import Instance
from allennlp.models import Model

from attention_explain.errors import InputError
from attention_explain.faithfulness.permutations import FEWEST, PROBABILITY, Sampling, word_effects
from attention_explain.faithfulness.removal import Delete, RemovalOutputs
from attention_explain.heatmaps.explanation import (
    Explanation,
    WordRelevance,
    columns,
    printable,
    relevance_line,
)
from attention_explain.heatmaps.html_page import style
from attention_explain.interpret.text_batch import TextBatch
from attention_explain.models.classifier import check_needs
from attention_explain.named_components import check_choice
from attention_explain.passes import RANKINGS, random_ranks, ranks, share_size, untouched


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
    relevance : a sentence about the words that move the output most, and how certain their ranking is; empty if
        it was not measured.
    """

    target: str
    tokens: int
    top: int
    output: ModelOutput
    methods: dict[str, TopWords]
    missing: dict[str, str]
    random: tuple[float, float] | None
    relevance: str = ""

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
        return [*lines, self.relevance] if self.relevance else lines


# The default fraction of top words.
SHARE = 0.2
RANDOM_ORDERS = 20
PERMUTATIONS = 16


@dataclass(repr=False)
class Explained(Explanation):
    """
    An explained text with its model.

    model, instance : what was explained.
    seed : for ties and random words, together with the id of the text.
    """

    model: Model | None = field(default=None, repr=False, compare=False)
    instance: Instance | None = field(default=None, repr=False, compare=False)
    seed: int = field(default=0, repr=False, compare=False)

    @classmethod
    def of(
        cls, explanation: Explanation, model: Model, instance: Instance, seed: int
    ) -> "Explained":
        """The explanation with its model."""
        known = {each.name: getattr(explanation, each.name) for each in fields(Explanation)}
        return cls(**known, model=model, instance=instance, seed=seed)

    def with_relevance(self, permutations: int = PERMUTATIONS) -> "Explained":
        """
        The same with a row that says how much each word moves the output, and how certain that is. It takes
        about `permutations` times as many forward passes as the text has words.

        # Parameters

        permutations : `int`, optional (default = `16`)
            The number of random permutations of the words. With more, the ranking is more certain.
        """
        if permutations < FEWEST:
            raise InputError(f"permutations is {permutations}, but must be {FEWEST} or more")
        check_needs(self.model, ("embeddings",), "words are removed from the texts of")
        (effects,) = word_effects(
            self.model,  # type: ignore[arg-type]
            [self.instance],  # type: ignore[list-item]
            Delete(),
            Sampling(permutations, PROBABILITY, {}, 0),
            [self.labels.index(self.target or self.label)],
            self.seed,
        )
        relevance = WordRelevance(
            effects.relevance.tolist(),
            effects.relevance_error.tolist(),
            effects.reliability,
            effects.permutations,
        )
        return replace(self, relevance=relevance)

    def verdict(
        self, words: int | None = None, by: str = RANKINGS[0], permutations: int = PERMUTATIONS
    ) -> TextVerdict:
        """
        The top words of each method, with the output without them and with only them, compared with the same
        number of random words; and the words that move the output most, with a mark that says how certain their
        ranking is.

        # Parameters

        words : `int`, optional (default = a fifth of the words, at least one)
            The number of top words. Ties are broken at random, seeded by the id of the text.
        by : `str`, optional (default = `"signed"`)
            Rank by score, or (`size`) by magnitude, ignoring sign.
        permutations : `int`, optional (default = `16`)
            As of `with_relevance`; 0 skips the words that move the output most.
        """
        check_choice("by", by, RANKINGS)
        tokens = len(self.tokens)
        if words is not None and not 1 <= words <= tokens:
            raise InputError(
                f"words is {words!r}, but must be from 1 to {tokens}, the words of the text"
            )
        check_needs(self.model, ("embeddings",), "words are removed from the texts of")
        top = words or share_size(SHARE, tokens)
        scored = {name: scores for name, scores in self.scores.items() if scores is not None}
        orders = [ranks(scores, by, self.seed, self.id) for scores in scored.values()]
        random_orders = random_ranks(tokens, RANDOM_ORDERS, self.seed, self.id)
        first = numpy.array([order < top for order in (*orders, *random_orders)])
        probs = self._probabilities([numpy.ones((1, tokens), dtype=bool), ~first, first])
        target = self.labels.index(self.target or self.label)
        complete, without, only = (
            [ModelOutput(float(row[target]), self.labels[int(row.argmax())]) for row in rows]
            for rows in probs
        )
        methods = {}
        for index, (name, order) in enumerate(zip(scored, orders, strict=True)):
            positions = order.argsort()[:top].tolist()
            tops = [self.tokens[position] for position in positions]
            methods[name] = TopWords(tops, without[index], only[index], positions)
        random_without, random_only = (
            float(numpy.mean([output.probability for output in outputs[len(orders) :]]))
            for outputs in (without, only)
        )
        return TextVerdict(
            target=self.labels[target],
            tokens=tokens,
            top=top,
            output=complete[0],
            methods=methods,
            missing={
                name: self.skipped.get(name, "") for name in self.scores if name not in scored
            },
            random=None if top == tokens else (random_without, random_only),
            relevance=self._relevance_line(permutations) if tokens > 1 else "",
        )

    def _relevance_line(self, permutations: int) -> str:
        if self.relevance is None and not permutations:
            return ""
        return relevance_line(self if self.relevance else self.with_relevance(permutations))

    def _probabilities(self, kept: list[numpy.ndarray]) -> list[numpy.ndarray]:
        """The outputs for sets of kept tokens. Shape: (sets, tokens) each -> (sets, labels)"""
        model: Any = self.model
        with untouched(model, goes_back=False), torch.no_grad():
            batch = TextBatch.of(model, [self.instance])
            embeddings = model.embed(batch.tokens)
            outputs = RemovalOutputs(model, batch, embeddings, Delete())
            (probabilities,) = outputs([numpy.concatenate(kept)])
        return numpy.split(probabilities, numpy.cumsum([len(sets) for sets in kept])[:-1])
