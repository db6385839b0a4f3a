"""
Soft comprehensiveness and soft sufficiency (Zhao & Aletras 2023): random dropout of embeddings, in
proportion to the scores.
"""

import numpy
import torch

from attention_explain.errors import InputError
from attention_explain.faithfulness.faithfulness import (
    Faithfulness,
    MeasureInputs,
    ScoreMeasure,
    TextScores,
    Undefined,
    Value,
    Values,
    mean_of,
)
from attention_explain.faithfulness.ranking_measure import NOTHING
from attention_explain.files.faithfulness import RANDOM
from attention_explain.model_outputs import probabilities
from attention_explain.passes import generator_for, ranked, rows_by_length

NO_DROP = Undefined("the class is as probable without embeddings as with all of them")
EQUAL = Undefined("all scores are the same")


class SoftMeasure(ScoreMeasure):
    """
    # Parameters

    draws : `int`
        The number of draws that the drop is averaged over.
    seed : `int`
        Determines what is dropped, together with the text's id: the same numbers for all methods.
    """

    higher_is_better = True

    def __init__(self, draws: int = 10, seed: int = 0) -> None:
        if draws < 1:
            raise InputError(f"draws is {draws}, but must be 1 or more")
        self.draws = draws
        self.seed = seed

    def kept(self, importance: numpy.ndarray) -> numpy.ndarray:
        """The probability of keeping each component of a token's embedding. Shape: (..., tokens)"""
        raise NotImplementedError

    def of_drop(self, share: float) -> float:
        """The value, from the drop as a fraction of that of a text of zeros."""
        raise NotImplementedError

    @torch.no_grad()
    def measure(self, inputs: MeasureInputs) -> list[Values]:
        # For each text: a text of zeros, the methods' scores, and random scores.
        chances = [self._chances(text, inputs.by) for text in inputs.texts]
        drops = self._drops(inputs, chances)
        return [
            self._values(text, inputs.by, found)
            for text, found in zip(inputs.texts, drops, strict=True)
        ]

    def _chances(self, text: TextScores, by: str) -> numpy.ndarray:
        """Shape: (1 + methods + random rankings, tokens)"""
        scores = [ranked(values, by) for values in text.scores.values()]
        importance = numpy.stack(
            [importances(values) for values in (*scores, *text.random_scores())]
        )
        return numpy.concatenate([numpy.zeros((1, text.tokens)), self.kept(importance)])

    def _drops(self, inputs: MeasureInputs, chances: list[numpy.ndarray]) -> list[numpy.ndarray]:
        """max(0, p(c|x) - p(c|x')), averaged over the draws. Shape: (variants,) each"""
        batch, device = inputs.batch, inputs.batch.mask.device
        numbers = [len(each) for each in chances]
        texts = numpy.repeat(numpy.arange(len(batch)), numbers)
        # Shape: (variants of all texts, tokens of the batch)
        stays = numpy.zeros((len(texts), batch.length), dtype=numpy.float32)
        ends = numpy.cumsum(numbers)
        for seen, values, end in zip(batch.seen.numpy(), chances, ends, strict=True):
            stays[end - len(values) : end, seen] = values
        lengths = batch.mask.sum(dim=1).cpu().numpy()[texts]
        full = inputs.probs[numpy.arange(len(batch)), [text.target for text in inputs.texts]]
        generators = [generator_for(self.seed, text_id, "soft") for text_id in batch.ids]
        drops = numpy.zeros(len(texts))
        size, seen_positions = inputs.embeddings.size(-1), batch.seen_positions
        scored = batch.inputs.at_positions(batch.attendable)
        for _ in range(self.draws):
            drawn = torch.zeros(*batch.mask.shape, size)
            for row, (seen, generator) in enumerate(zip(seen_positions, generators, strict=True)):
                drawn[row, seen] = torch.rand(int(seen.sum()), size, generator=generator)
            drawn = drawn.to(device)
            for rows in rows_by_length(lengths.tolist(), batch.budget):
                some = torch.from_numpy(texts[rows]).to(device)
                chance = batch.inputs.rows(some).at_positions(
                    torch.from_numpy(stays[rows]).to(device)
                )
                trimmed = batch.inputs.rows(some).trimmed()
                here = slice(trimmed.mask.size(1))
                # Boundary symbols stay. Random numbers are below 1, so probability 1 keeps all.
                keep = drawn[some, here] < chance[:, here].unsqueeze(-1)
                keep |= ~scored[some, here].unsqueeze(-1)
                logits = inputs.model.logits(inputs.embeddings[some, here] * keep, trimmed)
                probs = probabilities(inputs.model, logits.double())
                probs = probs.gather(1, inputs.targets[some].unsqueeze(-1)).squeeze(-1)
                drops[rows] += numpy.maximum(0.0, full[texts[rows]] - probs.cpu().numpy())
        return numpy.split(drops / self.draws, ends[:-1])

    def _values(self, text: TextScores, by: str, drops: numpy.ndarray) -> Values:
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
            value(scores, drop) for scores, drop in zip(text.random_scores(), others[methods:])
        ]
        return {**values, RANDOM: {self.name: mean_of(chance)}}


def importances(scores: numpy.ndarray) -> numpy.ndarray:
    """The scores scaled to [0, 1] within the text. Shape: (tokens,)"""
    span = scores.max() - scores.min()
    return (scores - scores.min()) / span if span > 0 else numpy.zeros_like(scores)


@Faithfulness.register("soft_comprehensiveness")
class SoftComprehensiveness(SoftMeasure):
    """
    Zhao & Aletras 2023, normalised: higher is better. Each component of token i's embedding is kept
    with probability 1 - q_i; q_i is the token's score, scaled to [0, 1] within the text. With x' for
    such a text, and 0 for one with no component kept, it is

    E[max(0, p(c|x) - p(c|x'))] / max(0, p(c|x) - p(c|0)),

    where E is the mean over the draws. (The published code swaps the two probabilities, and uses one
    draw.) Undefined if the drop of a text of zeros is below 1e-5, or all scores are equal.

    Registered as a `Faithfulness` with name "soft_comprehensiveness".

    # Parameters

    draws : `int`, optional (default = `10`)
        The number of draws that the drop is averaged over.
    seed : `int`, optional (default = `0`)
        Determines what is dropped, together with the text's id: the same numbers for all methods.
    """

    name = "soft_comprehensiveness"
    equation = (
        "E max(0, p(c|x) - p(c|x')) / max(0, p(c|x) - p(c|0)), each number of an embedding kept in x' "
        "with chance 1 - q"
    )

    def kept(self, importance: numpy.ndarray) -> numpy.ndarray:
        return 1.0 - importance

    def of_drop(self, share: float) -> float:
        return share


@Faithfulness.register("soft_sufficiency")
class SoftSufficiency(SoftMeasure):
    """
    Zhao & Aletras 2023, normalised: higher is better. Each component of token i's embedding is kept
    with probability q_i; q_i is the token's score, scaled to [0, 1] within the text. With x' for such
    a text, and 0 for one with no component kept, it is

    1 - E[max(0, p(c|x) - p(c|x'))] / max(0, p(c|x) - p(c|0)),

    where E is the mean over the draws. (The published code swaps the two probabilities, and uses one
    draw.) Undefined if the drop of a text of zeros is below 1e-5, or all scores are equal.

    Registered as a `Faithfulness` with name "soft_sufficiency".

    # Parameters

    draws : `int`, optional (default = `10`)
        The number of draws that the drop is averaged over.
    seed : `int`, optional (default = `0`)
        Determines what is dropped, together with the text's id: the same numbers for all methods.
    """

    name = "soft_sufficiency"
    equation = (
        "1 - E max(0, p(c|x) - p(c|x')) / max(0, p(c|x) - p(c|0)), each number of an embedding kept in x' "
        "with chance q"
    )

    def kept(self, importance: numpy.ndarray) -> numpy.ndarray:
        return importance

    def of_drop(self, share: float) -> float:
        return 1.0 - share
