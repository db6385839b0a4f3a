"""Infidelity: do the scores of erased tokens add up to what their erasure takes?"""

from typing import Dict, List

import numpy
import torch

from attention_explain.errors import InputError
from attention_explain.faithfulness.erasures.erasure import Erasure
from attention_explain.faithfulness.faithfulness import Faithfulness
from attention_explain.faithfulness.outputs import ErasedOutputs
from attention_explain.faithfulness.score_measure import JudgedText, ScoreMeasure, Setting
from attention_explain.faithfulness.values import Values, mean_of
from attention_explain.files.faithfulness import RANDOM
from attention_explain.interpret.coalitions import random_coalitions
from attention_explain.named_components import check_choice
from attention_explain.passes import generator_for

NAME = "infidelity"
ERASURES = ("delete", "zero", "unk", "mask")


@Faithfulness.register(NAME)
class Infidelity(ScoreMeasure):
    """
    E over I of (I . phi - (p(c|x) - p(c|x without I)))^2 (Yeh et al. 2019): the lower, the better. The
    perturbation I is a set of tokens that is erased, of a size that is drawn uniformly between one
    and all, any set of that size as likely as another; I . phi is the sum of their scores, with their
    signs, however scores are ranked elsewhere. The sets are the same for all methods.

    Registered as a `Faithfulness` with name "infidelity".

    # Parameters

    samples : `int`, optional (default = `64`)
        Sets a text.
    erasure : `str`, optional (default = `"zero"`)
        How tokens are erased: `delete`, `zero`, `unk` or `mask`.
    scale : `bool`, optional (default = `True`)
        Whether the scores are multiplied by the number, 0 or more, with which it is least, of each
        text and method: methods give scores in units of their own. (The paper's eq. 3, but that it has
        negative ones, too, by which scores with all signs wrong would do as well as the right ones.)
    seed : `int`, optional (default = `0`)
        With a text's id it decides the sets.
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

    def forms(self) -> Dict[str, bool]:
        return {NAME: False}

    def measure(self, setting: Setting) -> List[Values]:
        erasure = Erasure.by_name(self.erasure)()
        outputs = ErasedOutputs(setting.model, setting.batch, setting.embeddings, erasure)
        erased = [self._sets(text) for text in setting.texts]
        probs = outputs([~sets for sets in erased])
        return [
            self._values(text, sets, whole[text.target] - found[:, text.target])
            for text, sets, found, whole in zip(
                setting.texts, erased, probs, setting.probs, strict=True
            )
        ]

    def _sets(self, text: JudgedText) -> numpy.ndarray:
        generator = generator_for(self.seed, text.id, NAME)
        sizes = torch.randint(1, text.tokens + 1, (self.samples,), generator=generator)
        return random_coalitions(sizes, text.tokens, generator).numpy()

    def _values(self, text: JudgedText, erased: numpy.ndarray, drops: numpy.ndarray) -> Values:
        def value(scores: numpy.ndarray) -> float:
            sums = erased @ scores
            if self.scale:
                square = sums @ sums
                # By no negative number: scores that have every sign wrong are no better than none.
                factor = max(0.0, sums @ drops / square) if square > 0 else 0.0
                sums = sums * factor
            return float(numpy.mean((sums - drops) ** 2))

        chance = mean_of([value(scores) for scores in text.chance_scores()])
        values = {method: {NAME: value(scores)} for method, scores in text.scores.items()}
        return {**values, RANDOM: {NAME: chance}}
