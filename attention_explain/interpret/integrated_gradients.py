"""Integrated gradients: the gradient along the straight path from a baseline to the text."""

from typing import Tuple

import numpy
import torch
from allennlp.common.checks import ConfigurationError
from allennlp.interpret.saliency_interpreters import SaliencyInterpreter
from allennlp.predictors import Predictor

from attention_explain.interpret.baselines import baseline_embeddings, check_baseline
from attention_explain.interpret.gradients import mean_gradient
from attention_explain.interpret.interpreter import Attribution, Interpreter
from attention_explain.interpret.outputs import check_output, output_at
from attention_explain.interpret.text_batch import TextBatch

RULES = ("gauss_legendre", "midpoint", "trapezoid", "left", "right")

# An error this small is one of float32, whatever it is relative to.
ROUNDING = 1e-5


@SaliencyInterpreter.register("integrated-gradients")
class IntegratedGradients(Interpreter):
    """
    (x - x0) . integral over u in [0, 1] of the gradient at x0 + u (x - x0), summed over the numbers
    of an embedding (Sundararajan, Taly & Yan 2017, eq. 1). The scores sum to f(x) - f(x0)
    (completeness); each text reports by how much they miss it, as `convergence_delta`, and whether
    that is too much, as `flagged` (0 or 1).

    Registered as a `SaliencyInterpreter` with name "integrated-gradients".

    # Parameters

    steps : `int`, optional (default = `50`)
    rule : `str`, optional (default = `"gauss_legendre"`)
        How the integral is summed: `gauss_legendre`, `midpoint`, `trapezoid`, `left` or `right`,
        the most accurate at equal cost first. Where the output jumps on the path, so that texts
        are flagged, none is good, and more steps of `midpoint` help most.
    baseline : `str`, optional (default = `"zero"`)
        What every token of x0 is: `zero`, or the embedding of the `pad` or the `unk` symbol.
        Boundary symbols stay.
    of : `str`, optional (default = `"probability"`)
        `probability` or `logit` of the class.
    tolerance : `float`, optional (default = `0.05`)
        The largest |convergence_delta|, relative to |f(x) - f(x0)|, that is not flagged; 5 % is
        what Sundararajan et al. advise.
    """

    signed = True
    sums_to = "output of the text - output of the baseline"

    def __init__(
        self,
        predictor: Predictor,
        steps: int = 50,
        rule: str = "gauss_legendre",
        baseline: str = "zero",
        of: str = "probability",
        tolerance: float = 0.05,
    ) -> None:
        super().__init__(predictor)
        if rule not in RULES:
            raise ConfigurationError(f"rule is {rule!r}, but must be one of {', '.join(RULES)}")
        if steps < 1 or (rule == "trapezoid" and steps < 2):
            raise ConfigurationError(f"steps is {steps}, which is too few for rule '{rule}'")
        if not tolerance >= 0:
            raise ConfigurationError(f"tolerance must not be negative, but is {tolerance}")
        self.steps = steps
        self.rule = rule
        self.baseline = check_baseline(baseline)
        self.of = check_output(of)
        self.tolerance = tolerance
        self.passes = f"{steps} forward and backward, 2 forward"

    def attribute(self, batch: TextBatch, target: torch.Tensor) -> Attribution:
        embeddings = self.model.embed(batch.tokens).detach()
        baseline = baseline_embeddings(self.model, batch, embeddings, self.baseline)
        path = embeddings - baseline
        places, weights = nodes(self.rule, self.steps)
        gradient = mean_gradient(
            self.model,
            batch,
            target,
            self.of,
            lambda step: torch.add(baseline, path, alpha=places[step].item()),
            weights,
        )
        scores = (path * gradient).sum(dim=-1)
        difference = output_at(self.model, embeddings, batch, target, self.of)
        difference -= output_at(self.model, baseline, batch, target, self.of)
        # The path does not move boundary symbols and padding, so these scores are all there are.
        delta = scores.sum(dim=-1) - difference
        flagged = delta.abs() > self.tolerance * difference.abs() + ROUNDING
        return Attribution(scores, {"convergence_delta": delta, "flagged": flagged.int()})


def nodes(rule: str, steps: int) -> Tuple[torch.Tensor, torch.Tensor]:
    """
    Where on [0, 1] the rule evaluates a function, and the weight of each value; the weights sum to
    1. Shape: (steps,), (steps,)
    """
    if rule == "gauss_legendre":
        places, weights = numpy.polynomial.legendre.leggauss(steps)
        return torch.from_numpy(places + 1) / 2, torch.from_numpy(weights) / 2
    even = torch.arange(steps, dtype=torch.double)
    weights = torch.full((steps,), 1 / steps, dtype=torch.double)
    if rule == "midpoint":
        return (even + 0.5) / steps, weights
    if rule == "left":
        return even / steps, weights
    if rule == "right":
        return (even + 1) / steps, weights
    # The trapezoid rule has both ends among its places, each with half the weight.
    weights = torch.full((steps,), 1 / (steps - 1), dtype=torch.double)
    weights[[0, -1]] /= 2
    return even / (steps - 1), weights
