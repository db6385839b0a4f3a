"""An explained text that still knows its model, and so can ask it about the words that methods name."""

from dataclasses import dataclass, field, fields
from typing import List, Optional

import numpy
import torch
from allennlp.data import Instance
from allennlp.models import Model

from attention_explain.errors import InputError
from attention_explain.faithfulness.outputs import RemovalOutputs
from attention_explain.faithfulness.removal import Delete
from attention_explain.heatmaps.explanation import Explanation
from attention_explain.heatmaps.text_verdict import ModelOutput, NamedWords, TextVerdict
from attention_explain.interpret.text_batch import TextBatch
from attention_explain.models.requirements import check_needs
from attention_explain.named_components import check_choice
from attention_explain.orders import RANKINGS, random_ranks, ranks, share_size
from attention_explain.passes import untouched

# Of the words of a text, how many a method is asked for where nobody says.
SHARE = 0.2
ORDERS_BY_CHANCE = 20


@dataclass
class Explained(Explanation):
    """
    model, instance : what was explained; seed : for ties and chance, with the text's id.
    """

    model: Optional[Model] = field(default=None, repr=False, compare=False)
    instance: Optional[Instance] = field(default=None, repr=False, compare=False)
    seed: int = field(default=0, repr=False, compare=False)

    @classmethod
    def of(
        cls, explanation: Explanation, model: Model, instance: Instance, seed: int
    ) -> "Explained":
        known = {each.name: getattr(explanation, each.name) for each in fields(Explanation)}
        return cls(**known, model=model, instance=instance, seed=seed)

    def verdict(self, words: Optional[int] = None, by: str = RANKINGS[0]) -> TextVerdict:
        """
        Which words each of the methods names first, how the output changes when they are deleted, and
        what it is when nothing else stays; beside as many words by chance.

        # Parameters

        words : `int`, optional (default = one in five of the text, at least one)
            How many a method names. Of equal scores some are taken by chance, which the text's id
            decides.
        by : `str`, optional (default = `"signed"`)
            What comes first: the largest score, or (`size`) the largest whatever its sign.
        """
        check_choice("by", by, RANKINGS)
        tokens = len(self.tokens)
        if words is not None and not 1 <= words <= tokens:
            raise InputError(
                f"words is {words!r}, but must be from 1 to {tokens}, the words of the text"
            )
        # The words are taken out of what the model embeds.
        check_needs(self.model, ("embeddings",), "words are taken out of the texts of")
        named = words or share_size(SHARE, tokens)
        scored = {name: scores for name, scores in self.scores.items() if scores is not None}
        orders = [ranks(scores, by, self.seed, self.id) for scores in scored.values()]
        chance = random_ranks(tokens, ORDERS_BY_CHANCE, self.seed, self.id)
        first = numpy.array([order < named for order in (*orders, *chance)])
        probs = self._probabilities([numpy.ones((1, tokens), dtype=bool), ~first, first])
        target = self.labels.index(self.target or self.label)
        whole, without, only = (
            [ModelOutput(float(row[target]), self.labels[int(row.argmax())]) for row in several]
            for several in probs
        )
        places = [order.argsort()[:named].tolist() for order in orders]
        methods = {
            name: NamedWords(
                [self.tokens[place] for place in there], without[row], only[row], there
            )
            for row, (name, there) in enumerate(zip(scored, places, strict=True))
        }
        by_chance = [
            float(numpy.mean([output.probability for output in several[len(orders) :]]))
            for several in (without, only)
        ]
        return TextVerdict(
            target=self.labels[target],
            tokens=tokens,
            named=named,
            whole=whole[0],
            methods=methods,
            missing={
                name: self.skipped.get(name, "") for name in self.scores if name not in scored
            },
            chance=None if named == tokens else tuple(by_chance),
        )

    def _probabilities(self, kept: List[numpy.ndarray]) -> List[numpy.ndarray]:
        """For sets of tokens that stay. Shape: (sets, tokens) each -> (sets, labels)"""
        with untouched(self.model, goes_back=False), torch.no_grad():
            batch = TextBatch.of(self.model, [self.instance])
            embeddings = self.model.embed(batch.tokens)
            outputs = RemovalOutputs(self.model, batch, embeddings, Delete())
            (found,) = outputs([numpy.concatenate(kept)])
        return numpy.split(found, numpy.cumsum([len(sets) for sets in kept])[:-1])
