"""
What soft comprehensiveness and soft sufficiency share: embeddings dropped at random, in proportion to
the scores.
"""

from typing import Dict, List

import numpy
import torch

from attention_explain.errors import InputError
from attention_explain.faithfulness.bins import NOTHING
from attention_explain.faithfulness.score_measure import JudgedText, ScoreMeasure, Setting
from attention_explain.faithfulness.values import NoValue, Value, Values, mean_of
from attention_explain.files.faithfulness import RANDOM
from attention_explain.orders import ranked
from attention_explain.passes import generator_for, rows_by_length

NO_DROP = NoValue("without any embedding the class is as probable as with all")
EQUAL = NoValue("all scores are the same")


class SoftMeasure(ScoreMeasure):
    """
    # Parameters

    draws : `int`
        Over which the drop is averaged.
    seed : `int`
        With a text's id it decides what is dropped: the same random numbers for all methods.
    """

    name: str

    def __init__(self, draws: int, seed: int) -> None:
        if draws < 1:
            raise InputError(f"draws is {draws}, but must be 1 or more")
        self.draws = draws
        self.seed = seed

    def forms(self) -> Dict[str, bool]:
        return {self.name: True}

    def kept(self, importance: numpy.ndarray) -> numpy.ndarray:
        """The chance of each token's numbers to stay. Shape: (..., tokens)"""
        raise NotImplementedError

    def of_drop(self, share: float) -> float:
        """The value, from the drop as a share of that of a text of zeros."""
        raise NotImplementedError

    @torch.no_grad()
    def measure(self, setting: Setting) -> List[Values]:
        # Of each text: a text of zeros, the methods' scores, and the random ones.
        chances = [self._chances(text, setting.by) for text in setting.texts]
        drops = self._drops(setting, chances)
        return [
            self._values(text, setting.by, found)
            for text, found in zip(setting.texts, drops, strict=True)
        ]

    def _chances(self, text: JudgedText, by: str) -> numpy.ndarray:
        """Shape: (1 + methods + random orders, tokens)"""
        scores = [ranked(values, by) for values in text.scores.values()]
        importance = numpy.stack(
            [importances(values) for values in (*scores, *text.chance_scores())]
        )
        return numpy.concatenate([numpy.zeros((1, text.tokens)), self.kept(importance)])

    def _drops(self, setting: Setting, chances: List[numpy.ndarray]) -> List[numpy.ndarray]:
        """max(0, p(c|x) - p(c|x')), averaged over the draws. Shape: (variants,) each"""
        batch, device = setting.batch, setting.batch.mask.device
        numbers = [len(each) for each in chances]
        texts = numpy.repeat(numpy.arange(len(batch)), numbers)
        # Shape: (variants of all texts, tokens of the batch)
        stays = numpy.zeros((len(texts), batch.length), dtype=numpy.float32)
        ends = numpy.cumsum(numbers)
        for seen, values, end in zip(batch.seen.numpy(), chances, ends, strict=True):
            stays[end - len(values) : end, seen] = values
        lengths = batch.mask.sum(dim=1).cpu().numpy()[texts]
        whole = setting.probs[numpy.arange(len(batch)), [text.target for text in setting.texts]]
        generators = [generator_for(self.seed, text_id, "soft") for text_id in batch.ids]
        drops = numpy.zeros(len(texts))
        size, seen_places = setting.embeddings.size(-1), batch.seen_places
        scored = batch.inputs.at_places(batch.attendable)
        for _ in range(self.draws):
            drawn = torch.zeros(*batch.mask.shape, size)
            for row, (seen, generator) in enumerate(zip(seen_places, generators, strict=True)):
                drawn[row, seen] = torch.rand(int(seen.sum()), size, generator=generator)
            drawn = drawn.to(device)
            for rows in rows_by_length(lengths.tolist(), batch.budget):
                some = torch.from_numpy(texts[rows]).to(device)
                chance = batch.inputs.rows(some).at_places(torch.from_numpy(stays[rows]).to(device))
                inputs = batch.inputs.rows(some).trimmed()
                here = slice(inputs.mask.size(1))
                # Boundary symbols stay. Of the others a chance of 1 keeps all: what is drawn is below.
                keep = drawn[some, here] < chance[:, here].unsqueeze(-1)
                keep |= ~scored[some, here].unsqueeze(-1)
                logits = setting.model.logits(setting.embeddings[some, here] * keep, inputs)
                probs = logits.double().softmax(dim=-1)
                probs = probs.gather(1, setting.targets[some].unsqueeze(-1)).squeeze(-1)
                drops[rows] += numpy.maximum(0.0, whole[texts[rows]] - probs.cpu().numpy())
        return numpy.split(drops / self.draws, ends[:-1])

    def _values(self, text: JudgedText, by: str, drops: numpy.ndarray) -> Values:
        nothing, *others = drops.tolist()

        def value(scores: numpy.ndarray, drop: float) -> Value:
            if nothing < NOTHING:
                return NO_DROP
            return EQUAL if scores.max() == scores.min() else self.of_drop(drop / nothing)

        methods = len(text.scores)
        values: Values = {
            method: {self.name: value(ranked(scores, by), drop)}
            for (method, scores), drop in zip(text.scores.items(), others)
        }
        chance = [
            value(scores, drop) for scores, drop in zip(text.chance_scores(), others[methods:])
        ]
        return {**values, RANDOM: {self.name: mean_of(chance)}}


def importances(scores: numpy.ndarray) -> numpy.ndarray:
    """The scores between 0, the least of the text, and 1, the most. Shape: (tokens,)"""
    span = scores.max() - scores.min()
    return (scores - scores.min()) / span if span > 0 else numpy.zeros_like(scores)
