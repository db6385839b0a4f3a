"""An explained text with its model, which can evaluate the top words of each method."""

from dataclasses import dataclass, field, fields
from typing import Any

import numpy
import torch
from allennlp.data import Instance
from allennlp.models import Model

from attention_explain.errors import InputError
from attention_explain.faithfulness.outputs import RemovalOutputs
from attention_explain.faithfulness.removal import Delete
from attention_explain.heatmaps.explanation import Explanation
from attention_explain.heatmaps.text_verdict import ModelOutput, TextVerdict, TopWords
from attention_explain.interpret.text_batch import TextBatch
from attention_explain.models.requirements import check_needs
from attention_explain.named_components import check_choice
from attention_explain.orders import RANKINGS, random_ranks, ranks, share_size
from attention_explain.passes import untouched

# The default fraction of top words.
SHARE = 0.2
RANDOM_ORDERS = 20


@dataclass
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

    def verdict(self, words: int | None = None, by: str = RANKINGS[0]) -> TextVerdict:
        """
        The top words of each method, with the output without them and with only them, compared with the same
        number of random words.

        # Parameters

        words : `int`, optional (default = a fifth of the words, at least one)
            The number of top words. Ties are broken at random, seeded by the id of the text.
        by : `str`, optional (default = `"signed"`)
            Rank by score, or (`size`) by magnitude, ignoring sign.
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
        )

    def _probabilities(self, kept: list[numpy.ndarray]) -> list[numpy.ndarray]:
        """The outputs for sets of kept tokens. Shape: (sets, tokens) each -> (sets, labels)"""
        model: Any = self.model
        with untouched(model, goes_back=False), torch.no_grad():
            batch = TextBatch.of(model, [self.instance])
            embeddings = model.embed(batch.tokens)
            outputs = RemovalOutputs(model, batch, embeddings, Delete())
            (probabilities,) = outputs([numpy.concatenate(kept)])
        return numpy.split(probabilities, numpy.cumsum([len(sets) for sets in kept])[:-1])
