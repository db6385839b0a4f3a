"""SmoothGrad: the gradient, averaged over noisy copies of the text."""

import torch
from allennlp.interpret.saliency_interpreters import SaliencyInterpreter
from allennlp.predictors import Predictor

from attention_explain.errors import InputError
from attention_explain.interpret.gradient import NORMS, mean_gradient
from attention_explain.interpret.interpreter import Attribution, Interpreter, declared_passes
from attention_explain.interpret.text_batch import OUTPUTS, TextBatch, noise
from attention_explain.named_components import check_choice
from attention_explain.passes import generator_for


@SaliencyInterpreter.register("smoothgrad")
class SmoothGrad(Interpreter):
    """
    The mean of the gradient vectors at noisy copies of a token's embedding (Smilkov et al. 2017,
    section 3), and only then one number a token: its norm, as in `gradient`, or its dot product
    with the embedding, as in `gradient-x-input`. (The mean of the norms would smooth nothing: the
    noise of a gradient does not cancel in its length.)

    Registered as a `SaliencyInterpreter` with name "smoothgrad".

    # Parameters

    samples : `int`, optional (default = `25`)
    noise : `float`, optional (default = `0.1`)
        Standard deviation of the noise, as a share of the spread (largest less smallest) of the
        numbers in the text's own embeddings; Smilkov et al. advise .1 to .2.
    times_input : `bool`, optional (default = `False`)
        The dot product with the embedding, signed, instead of the norm.
    norm : `str`, optional (default = `"l2"`)
        `l2` or `l1`.
    of : `str`, optional (default = `"probability"`)
        `probability` or `logit` of the class.
    seed : `int`, optional (default = `0`)
        With the instance's id it decides the noise.
    """

    deterministic = False

    def __init__(
        self,
        predictor: Predictor,
        samples: int = 25,
        noise: float = 0.1,
        times_input: bool = False,
        norm: str = "l2",
        of: str = "probability",
        seed: int = 0,
    ) -> None:
        super().__init__(predictor)
        if samples < 1:
            raise InputError(f"samples must be at least 1, but is {samples}")
        if not noise >= 0:
            raise InputError(f"noise must not be negative, but is {noise}")
        self.samples = samples
        self.noise = noise
        self.times_input = times_input
        self.signed = times_input
        self.pieces = "sum" if times_input else "max"
        self.norm = check_choice("norm", norm, NORMS)
        self.of = check_choice("of", of, OUTPUTS)
        self.seed = seed
        self.passes = declared_passes("smoothgrad", samples=samples)

    def attribute(self, batch: TextBatch, target: torch.Tensor) -> Attribution:
        embeddings = self.model.embed(batch.tokens).detach()
        generators = [generator_for(self.seed, id_, "smoothgrad") for id_ in batch.ids]
        scored = batch.inputs.at_positions(batch.attendable)
        deviations = self.noise * spread(embeddings, scored).view(-1, 1, 1)
        gradient = mean_gradient(
            self.model,
            batch,
            target,
            self.of,
            lambda _: embeddings + deviations * noise(batch, embeddings, generators),
            torch.full((self.samples,), 1 / self.samples),
        )
        if self.times_input:
            return Attribution((gradient * embeddings).sum(dim=-1))
        return Attribution(torch.linalg.vector_norm(gradient, ord=NORMS[self.norm], dim=-1))


def spread(embeddings: torch.Tensor, scored: torch.Tensor) -> torch.Tensor:
    """The largest less the smallest number of each text's own embeddings. Shape: (batch,)"""
    hidden = ~scored.unsqueeze(-1)
    largest = embeddings.masked_fill(hidden, -torch.inf).amax(dim=(1, 2))
    return largest - embeddings.masked_fill(hidden, torch.inf).amin(dim=(1, 2))
