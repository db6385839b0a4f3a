"""
Gradient SHAP: gradients at random positions between the baseline and the text.

Not captum's: that one draws from numpy's global generator, for a whole batch at once, so that a
text's scores would depend on its neighbours.
"""

from collections.abc import Sequence

import torch
from allennlp.interpret.saliency_interpreters import SaliencyInterpreter
from allennlp.predictors import Predictor

from attention_explain.errors import InputError
from attention_explain.interpret.baselines import BASELINES, baseline_embeddings
from attention_explain.interpret.gradient import embedding_gradient
from attention_explain.interpret.interpreter import Attribution, Interpreter, declared_passes
from attention_explain.interpret.text_batch import OUTPUTS, TextBatch, noise, output_at
from attention_explain.named_components import check_choice
from attention_explain.passes import generator_for


@SaliencyInterpreter.register("gradient-shap")
class GradientShap(Interpreter):
    """
    The mean of (x - x0) . gradient at x0 + u (x - x0) over random u between 0 and 1: expected
    gradients (Erion et al. 2021), as Lundberg & Lee's package approximates SHAP values. `noise` is
    added to x first. The path is cut into as many equal parts as there are samples, and each part
    gets one u: the mean is the same, the error smaller. Each text reports how far the sum is from
    the output of the text less that of the baseline: `convergence_delta`.

    Registered as a `SaliencyInterpreter` with name "gradient-shap".

    # Parameters

    samples : `int`, optional (default = `50`)
    noise : `float`, optional (default = `0.0`)
        Standard deviation of the noise on each number of an embedding.
    of : `str`, optional (default = `"probability"`)
        `probability` or `logit` of the class.
    baseline : `str`, optional (default = `"zero"`)
        `zero`, or the embedding of a symbol, `pad`, `unk` or `mask`.
    seed : `int`, optional (default = `0`)
    """

    signed = True
    pieces = "sum"
    deterministic = False
    sums_to = "output of the text - output of the baseline, without noise and on average over seeds"

    def __init__(
        self,
        predictor: Predictor,
        samples: int = 50,
        noise: float = 0.0,
        of: str = "probability",
        baseline: str = "zero",
        seed: int = 0,
    ) -> None:
        super().__init__(predictor)
        if samples < 1:
            raise InputError(f"samples must be at least 1, but is {samples}")
        if not noise >= 0:
            raise InputError(f"noise must not be negative, but is {noise}")
        self.samples = samples
        self.noise = noise
        self.of = check_choice("of", of, OUTPUTS)
        self.baseline = check_choice("baseline", baseline, BASELINES)
        self.seed = seed
        self.passes = declared_passes("gradient-shap", samples=samples)

    def attribute(self, batch: TextBatch, target: torch.Tensor) -> Attribution:
        embeddings = self.model.embed(batch.tokens).detach()
        baseline = baseline_embeddings(self.model, batch, embeddings, self.baseline)
        generators = [generator_for(self.seed, id_, "gradient-shap") for id_ in batch.ids]
        together = max(1, batch.rows_per_pass() // len(batch))
        scores = torch.zeros_like(embeddings[..., 0])
        for first in range(0, self.samples, together):
            draws = [
                self._draw(sample, batch, embeddings, generators)
                for sample in range(first, min(first + together, self.samples))
            ]
            # Shape: (samples, batch, positions, embedding_dim)
            steps = torch.stack([noisy - baseline for _, noisy in draws])
            points = baseline + torch.stack([position for position, _ in draws]) * steps
            gradient = embedding_gradient(
                self.model,
                points.flatten(0, 1),
                batch.inputs.repeated(len(draws)),
                target.repeat(len(draws)),
                self.of,
            )
            scores += (gradient.view_as(steps) * steps).sum(dim=(0, -1))
        scores /= self.samples
        difference = output_at(self.model, embeddings, batch, target, self.of)
        difference -= output_at(self.model, baseline, batch, target, self.of)
        return Attribution(scores, {"convergence_delta": scores.sum(dim=-1) - difference})

    def _draw(
        self,
        sample: int,
        batch: TextBatch,
        embeddings: torch.Tensor,
        generators: Sequence[torch.Generator],
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """
        For each text, from its own generator, a position in this sample's part of the path and a noisy
        version of the text. Shape: (batch, 1, 1), (batch, positions, embedding_dim)
        """
        within = torch.cat([torch.rand(1, generator=generator) for generator in generators])
        positions = (sample + within.to(embeddings)) / self.samples
        noisy = embeddings
        if self.noise > 0:
            noisy = embeddings + self.noise * noise(batch, embeddings, generators)
        return positions.view(-1, 1, 1), noisy
