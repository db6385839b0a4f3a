"""Sensitivity: how much scores change with a little noise on the embeddings."""

from typing import Dict, List, Sequence, Union

import numpy
import torch

from attention_explain.errors import InputError
from attention_explain.faithfulness.faithfulness import Faithfulness
from attention_explain.faithfulness.score_measure import ScoreMeasure, Setting
from attention_explain.faithfulness.values import NoValue, Value, Values
from attention_explain.passes import generator_for

NAME = "sensitivity"


@Faithfulness.register(NAME)
class Sensitivity(ScoreMeasure):
    """
    max over e of ||phi(x + e) - phi(x)|| / ||phi(x)|| (Yeh et al. 2019): the lower, the steadier. The
    noise e is uniform within +- `radius` times the standard deviation of the text's embeddings, on
    each of their numbers. The class that is explained stays the same. A method that pays no heed to
    the model is as steady as can be: read it beside the others.

    Registered as a `Faithfulness` with name "sensitivity".

    # Parameters

    samples : `int`, optional (default = `10`)
        Over which the largest change is taken.
    radius : `float`, optional (default = `0.1`)
    seed : `int`, optional (default = `0`)
        With a text's id it decides the noise.
    without : `Sequence[str]`, optional (default = none)
        Methods that are not applied again: it takes `samples` times as long as to explain the texts.
    """

    equation = "max over noise e of |scores(x + e) - scores(x)| / |scores(x)|"

    def __init__(
        self, samples: int = 10, radius: float = 0.1, seed: int = 0, without: Sequence[str] = ()
    ) -> None:
        if samples < 1:
            raise InputError(f"samples is {samples}, but must be 1 or more")
        if not radius > 0:
            raise InputError(f"radius is {radius}, but must be above 0")
        self.samples = samples
        self.radius = radius
        self.seed = seed
        self.without = list(without)

    def forms(self) -> Dict[str, bool]:
        return {NAME: False}

    def measure(self, setting: Setting) -> List[Values]:
        batch, targets = setting.batch, setting.targets
        methods = setting.methods.built(setting.model, self.without)
        plain = setting.methods.scores(methods, batch, targets)
        generators = [generator_for(self.seed, text_id, NAME) for text_id in batch.ids]
        results: List[Values] = [{} for _ in setting.texts]
        for _ in range(self.samples):
            noise = self._noise(setting, generators)
            changed = setting.methods.scores(methods, batch, targets, noise)
            for row, (text, values) in enumerate(zip(setting.texts, results, strict=True)):
                for method in text.scores:
                    now = change(plain[method][row], changed[method][row])
                    before = values.get(method, {}).get(NAME, 0.0)
                    undefined = isinstance(now, NoValue) or isinstance(before, NoValue)
                    worst = now if undefined else max(before, now)
                    values[method] = {NAME: worst}
        return results

    def _noise(self, setting: Setting, generators: List[torch.Generator]) -> torch.Tensor:
        """Shape: as the embeddings"""
        drawn = torch.zeros(setting.embeddings.shape)
        seen_places = setting.batch.seen_places
        for row, (seen, generator) in enumerate(zip(seen_places, generators, strict=True)):
            size = (int(seen.sum()), drawn.size(-1))
            drawn[row, seen] = 2 * torch.rand(size, generator=generator) - 1
        drawn = drawn.to(setting.embeddings)
        for row, seen in enumerate(seen_places):
            drawn[row] *= self.radius * setting.embeddings[row, seen].std(correction=0)
        return drawn


def change(before: Union[numpy.ndarray, NoValue], after: Union[numpy.ndarray, NoValue]) -> Value:
    """Relative to the scores before. Shape: (tokens,) each"""
    for scores in (before, after):
        if isinstance(scores, NoValue):
            return scores
    size = numpy.linalg.norm(before)
    if size == 0:
        return NoValue("all scores are 0")
    return float(numpy.linalg.norm(after - before) / size)
