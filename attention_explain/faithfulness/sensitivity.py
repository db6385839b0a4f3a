"""Sensitivity: how much scores change under small noise on the embeddings."""

from collections.abc import Sequence

import numpy
import torch

from attention_explain.errors import InputError
from attention_explain.faithfulness.faithfulness import Faithfulness, Undefined, Value, Values
from attention_explain.faithfulness.score_measure import MeasureInputs, ScoreMeasure
from attention_explain.passes import generator_for

NAME = "sensitivity"


@Faithfulness.register(NAME)
class Sensitivity(ScoreMeasure):
    """
    max over e of ||phi(x + e) - phi(x)|| / ||phi(x)|| (Yeh et al. 2019): lower is more stable. The
    noise e is uniform within +- `radius` times the standard deviation of the text's embeddings, for
    each of their components. The explained class stays the same. A method that ignores the model is
    perfectly stable: read this measure together with the others.

    Registered as a `Faithfulness` with name "sensitivity".

    # Parameters

    samples : `int`, optional (default = `10`)
        The number of noise samples that the maximum is taken over.
    radius : `float`, optional (default = `0.1`)
    seed : `int`, optional (default = `0`)
        Determines the noise, together with the text's id.
    without : `Sequence[str]`, optional (default = none)
        Methods to skip: this measure takes `samples` times as long as explaining the texts.
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

    def forms(self) -> dict[str, bool]:
        return {NAME: False}

    def measure(self, inputs: MeasureInputs) -> list[Values]:
        batch, targets = inputs.batch, inputs.targets
        methods = inputs.methods.built(inputs.model, self.without)
        plain = inputs.methods.scores(methods, batch, targets)
        generators = [generator_for(self.seed, text_id, NAME) for text_id in batch.ids]
        results: list[Values] = [{} for _ in inputs.texts]
        for _ in range(self.samples):
            noise = self._noise(inputs, generators)
            changed = inputs.methods.scores(methods, batch, targets, noise)
            for row, (text, values) in enumerate(zip(inputs.texts, results, strict=True)):
                for method in text.scores:
                    now = change(plain[method][row], changed[method][row])
                    before = values.get(method, {}).get(NAME, 0.0)
                    undefined = isinstance(now, Undefined) or isinstance(before, Undefined)
                    worst = now if undefined else max(before, now)
                    values[method] = {NAME: worst}
        return results

    def _noise(self, inputs: MeasureInputs, generators: list[torch.Generator]) -> torch.Tensor:
        """Shape: as the embeddings"""
        drawn = torch.zeros(inputs.embeddings.shape)
        seen_positions = inputs.batch.seen_positions
        for row, (seen, generator) in enumerate(zip(seen_positions, generators, strict=True)):
            size = (int(seen.sum()), drawn.size(-1))
            drawn[row, seen] = 2 * torch.rand(size, generator=generator) - 1
        drawn = drawn.to(inputs.embeddings)
        for row, seen in enumerate(seen_positions):
            drawn[row] *= self.radius * inputs.embeddings[row, seen].std(correction=0)
        return drawn


def change(before: numpy.ndarray | Undefined, after: numpy.ndarray | Undefined) -> Value:
    """The change relative to the scores before. Shape: (tokens,) each"""
    for scores in (before, after):
        if isinstance(scores, Undefined):
            return scores
    size = numpy.linalg.norm(before)
    if size == 0:
        return Undefined("all scores are 0")
    return float(numpy.linalg.norm(after - before) / size)
