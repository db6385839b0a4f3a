"""Infidelity: whether the scores of removed tokens add up to the effect of their removal."""

import numpy
import torch

from attention_explain.errors import InputError
from attention_explain.faithfulness.faithfulness import Faithfulness, Values, mean_of
from attention_explain.faithfulness.outputs import RemovalOutputs
from attention_explain.faithfulness.removal import RemovalMethod
from attention_explain.faithfulness.score_measure import MeasureInputs, ScoreMeasure, TextScores
from attention_explain.files.faithfulness import RANDOM
from attention_explain.interpret.coalitions import random_coalitions
from attention_explain.named_components import check_choice
from attention_explain.passes import generator_for

NAME = "infidelity"
ERASURES = ("delete", "zero", "unk", "mask")


@Faithfulness.register(NAME)
class Infidelity(ScoreMeasure):
    """
    E over I of (I . phi - (p(c|x) - p(c|x without I)))^2 (Yeh et al. 2019): lower is better. The
    perturbation I removes a set of tokens; its size is uniform between one and all, and all sets of
    one size are equally likely. I . phi is the sum of their signed scores, however scores are ranked
    elsewhere. The sets are the same for all methods.

    Registered as a `Faithfulness` with name "infidelity".

    # Parameters

    samples : `int`, optional (default = `64`)
        The number of sets per text.
    erasure : `str`, optional (default = `"zero"`)
        The removal method: `delete`, `zero`, `unk` or `mask`.
    scale : `bool`, optional (default = `True`)
        Whether the scores are multiplied by the factor, at least 0, that minimises the value, for each
        text and method: methods give scores in different units. (The paper's eq. 3, which also allows
        negative factors; scores with all signs wrong would then do as well as the right ones.)
    seed : `int`, optional (default = `0`)
        Determines the sets, together with the text's id.
    """

    equation = "E (I . scores - (p(c|x) - p(c|x without I)))^2, I a random set of tokens"

    def __init__(
        self, samples: int = 64, erasure: str = "zero", scale: bool = True, seed: int = 0
    ) -> None:
        if samples < 1:
            raise InputError(f"samples is {samples}, but must be 1 or more")
        self.samples = samples
        self.erasure = check_choice("erasure", erasure, ERASURES)
        self.scale = scale
        self.seed = seed

    def forms(self) -> dict[str, bool]:
        return {NAME: False}

    def measure(self, inputs: MeasureInputs) -> list[Values]:
        removal = RemovalMethod.by_name(self.erasure)()
        outputs = RemovalOutputs(inputs.model, inputs.batch, inputs.embeddings, removal)
        removed = [self._sets(text) for text in inputs.texts]
        probs = outputs([~sets for sets in removed])
        return [
            self._values(text, sets, full[text.target] - without[:, text.target])
            for text, sets, without, full in zip(
                inputs.texts, removed, probs, inputs.probs, strict=True
            )
        ]

    def _sets(self, text: TextScores) -> numpy.ndarray:
        generator = generator_for(self.seed, text.id, NAME)
        sizes = torch.randint(1, text.tokens + 1, (self.samples,), generator=generator)
        return random_coalitions(sizes, text.tokens, generator).numpy()

    def _values(self, text: TextScores, removed: numpy.ndarray, drops: numpy.ndarray) -> Values:
        def value(scores: numpy.ndarray) -> float:
            sums = removed @ scores
            if self.scale:
                square = sums @ sums
                # No negative factor: scores with all signs wrong are no better than none.
                factor = max(0.0, sums @ drops / square) if square > 0 else 0.0
                sums = sums * factor
            return float(numpy.mean((sums - drops) ** 2))

        chance = mean_of([value(scores) for scores in text.random_scores()])
        values = {method: {NAME: value(scores)} for method, scores in text.scores.items()}
        return {**values, RANDOM: {NAME: chance}}
