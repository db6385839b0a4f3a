"""Gradients along paths from a baseline to the text: integrated gradients and gradient SHAP."""

import math
from collections.abc import Callable, Sequence

import numpy
import torch
from allennlp.interpret.saliency_interpreters import SaliencyInterpreter
from allennlp.predictors import Predictor

from attention_explain.errors import InputError
from attention_explain.interpret.gradient import embedding_gradient, mean_gradient, path_derivatives
from attention_explain.interpret.interpreter import Attribution, Interpreter, declared_passes
from attention_explain.interpret.text_batch import (
    BASELINES,
    OUTPUTS,
    TextBatch,
    baseline_embeddings,
    noise,
    output_at,
)
from attention_explain.named_components import check_choice
from attention_explain.passes import generator_for

RULES = ("gauss_legendre", "midpoint", "trapezoid", "left", "right")

# How many steps there are is each text's own matter; their positions are those of this rule.
AUTO = "auto"
AUTO_RULE = "clenshaw_curtis"

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

    steps : `int` or `"auto"`, optional (default = `"auto"`)
        `auto`: 9 for each text, and for one that needs them twice as many, and again, up to 257:
        until the scores sum to f(x) - f(x0) within the `tolerance`, and have together moved by no
        larger a share of their magnitudes since half the steps. Each text reports its `steps`. The
        papers' presets have a number, the same for every text.
    rule : `str`, optional (default = `"gauss_legendre"`, with `auto` `"clenshaw_curtis"`)
        How the integral is summed: `gauss_legendre`, `midpoint`, `trapezoid`, `left` or `right`,
        the most accurate at equal cost first. Where the output jumps on the path, so that texts
        are flagged, none is good, and more steps of `midpoint` help most. With `auto` there is no
        choice: the steps must keep their positions when they are doubled.
    baseline : `str`, optional (default = `"zero"`)
        What every token of x0 is: `zero`, or the embedding of a symbol, `pad`, `unk` or `mask`.
        Boundary symbols stay.
    of : `str`, optional (default = `"probability"`)
        `probability` or `logit` of the class.
    tolerance : `float`, optional (default = `0.05`)
        The largest |convergence_delta|, relative to |f(x) - f(x0)|, that is not flagged; 5 % is
        what Sundararajan et al. advise.
    """

    signed = True
    pieces = "sum"
    sums_to = "output of the text - output of the baseline"

    def __init__(
        self,
        predictor: Predictor,
        steps: int | str = AUTO,
        rule: str | None = None,
        baseline: str = "zero",
        of: str = "probability",
        tolerance: float = 0.05,
    ) -> None:
        super().__init__(predictor)
        rule = rule or (AUTO_RULE if steps == AUTO else RULES[0])
        check_steps(steps, rule)
        if not tolerance >= 0:
            raise InputError(f"tolerance must not be negative, but is {tolerance}")
        self.steps = steps
        self.rule = rule
        self.baseline = check_choice("baseline", baseline, BASELINES)
        self.of = check_choice("of", of, OUTPUTS)
        self.tolerance = tolerance
        most = "9 to 257" if steps == AUTO else steps
        self.passes = declared_passes("integrated-gradients", steps=most)

    def attribute(self, batch: TextBatch, target: torch.Tensor) -> Attribution:
        embeddings = self.model.embed(batch.tokens).detach()
        baseline = baseline_embeddings(self.model, batch, embeddings, self.baseline)
        path = embeddings - baseline
        difference = output_at(self.model, embeddings, batch, target, self.of)
        difference -= output_at(self.model, baseline, batch, target, self.of)
        checks = {}
        if isinstance(self.steps, str):
            scores, checks["steps"] = integrate(
                lambda rows, positions: path_derivatives(
                    self.model, batch, target, self.of, baseline, path, rows, positions
                ),
                difference,
                goal=self.tolerance,
                rounding=ROUNDING,
            )
        else:
            positions, weights = nodes(self.rule, self.steps)
            gradient = mean_gradient(
                self.model,
                batch,
                target,
                self.of,
                lambda step: torch.add(baseline, path, alpha=positions[step].item()),
                weights,
            )
            scores = (path * gradient).sum(dim=-1)
        # The path does not move boundary symbols and padding, so these scores are all there are.
        delta = scores.sum(dim=-1) - difference
        flagged = delta.abs() > self.tolerance * difference.abs() + ROUNDING
        return Attribution(scores, {"convergence_delta": delta, "flagged": flagged.int(), **checks})


def check_steps(steps: int | str, rule: str) -> None:
    """Raise unless the number of steps and the rule fit together."""
    if steps == AUTO:
        if rule != AUTO_RULE:
            raise InputError(
                f"rule is {rule!r}, but steps 'auto' has a rule of its own; give a number of steps"
            )
        return
    if isinstance(steps, str):
        raise InputError(f"steps is {steps!r}, but must be a number or 'auto'")
    check_choice("rule", rule, RULES)
    if steps < 1 or (rule == "trapezoid" and steps < 2):
        raise InputError(f"steps is {steps}, which is too few for rule '{rule}'")


def nodes(rule: str, steps: int) -> tuple[torch.Tensor, torch.Tensor]:
    """
    Where on [0, 1] the rule evaluates a function, and the weight of each value; the weights sum to
    1. Shape: (steps,), (steps,)
    """
    if rule == "gauss_legendre":
        positions, weights = numpy.polynomial.legendre.leggauss(steps)
        return torch.from_numpy(positions + 1) / 2, torch.from_numpy(weights) / 2
    even = torch.arange(steps, dtype=torch.double)
    weights = torch.full((steps,), 1 / steps, dtype=torch.double)
    if rule == "midpoint":
        return (even + 0.5) / steps, weights
    if rule == "left":
        return even / steps, weights
    if rule == "right":
        return (even + 1) / steps, weights
    # The trapezoid rule has both ends among its positions, each with half the weight.
    weights = torch.full((steps,), 1 / (steps - 1), dtype=torch.double)
    weights[[0, -1]] /= 2
    return even / (steps - 1), weights


# Of the path, at first and at most.
FEWEST, MOST = 4, 256

# From texts and positions to the function there. Shape: (rows,), (positions,) -> (positions, rows, tokens)
Integrand = Callable[[torch.Tensor, torch.Tensor], torch.Tensor]


def integrate(
    integrand: Integrand, total: torch.Tensor, goal: float, rounding: float
) -> tuple[torch.Tensor, torch.Tensor]:
    """
    The intervals of a text are halved until the sum of its integrals is as near to its `total`, and
    the integrals together have moved as little, as `goal` (a share of |total|, and of the sum of
    their magnitudes) and `rounding` allow; or until there are `MOST`.

    # Parameters

    total : `torch.Tensor`
        What the integrals of a text are known to sum to. Shape: (batch,)

    # Returns

    integrals : `torch.Tensor`
        Shape: (batch, tokens)
    evaluations : `torch.Tensor`
        Of each text. Shape: (batch,)
    """
    rows = torch.arange(len(total), device=total.device)
    values = integrand(rows, positions(FEWEST))
    before = _weighted(values, FEWEST)
    integrals = before.clone()
    evaluations = torch.full_like(rows, FEWEST + 1, dtype=torch.int)
    intervals = FEWEST
    while len(rows) and intervals < MOST:
        intervals *= 2
        between = integrand(rows, positions(intervals)[1::2])
        # Old and new positions take turns, an old one first and last.
        values = torch.cat([torch.stack([values[:-1], between], dim=1).flatten(0, 1), values[-1:]])
        now = _weighted(values, intervals)
        integrals[rows] = now
        evaluations[rows] = intervals + 1
        missed = (now.sum(dim=-1) - total[rows]).abs()
        moved = (now - before).abs().sum(dim=-1)
        unfinished = (missed > goal * total[rows].abs() + rounding) | (
            moved > goal * now.abs().sum(dim=-1) + rounding
        )
        # The host waits here, once for each halving.
        left = unfinished.nonzero().squeeze(-1)
        rows, values, before = rows[left], values[:, left], now[left]
    return integrals, evaluations


def positions(intervals: int) -> torch.Tensor:
    """On [0, 1], both ends among them; twice as many intervals keep them. Shape: (intervals + 1,)"""
    angles = torch.arange(intervals + 1, dtype=torch.double) * (math.pi / intervals)
    return (1 - angles.cos()) / 2


def weights(intervals: int) -> torch.Tensor:
    """
    Of the values at those positions, for an even number of intervals; they sum to 1. What integrates
    the cosine series through the values exactly (Clenshaw & Curtis 1960).
    """
    positions_ = torch.arange(intervals + 1, dtype=torch.double)
    terms = torch.arange(1, intervals // 2 + 1, dtype=torch.double)
    share = torch.where(terms < intervals / 2, 2.0, 1.0) / (4 * terms**2 - 1)
    cosines = (2 * math.pi / intervals * torch.outer(positions_, terms)).cos()
    of_positions = (1 - cosines @ share) / intervals
    of_positions[[0, -1]] /= 2
    return of_positions


def _weighted(values: torch.Tensor, intervals: int) -> torch.Tensor:
    """Shape: (positions, rows, tokens) -> (rows, tokens)"""
    return torch.einsum("p,prt->rt", weights(intervals).to(values), values)


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
