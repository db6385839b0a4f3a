"""
A value in two runs, and the rules by which its difference follows from earlier differences.

The difference of every value is kept as a linear function of the differences of the embeddings:
its coefficients are DeepLift's multipliers (Shrikumar et al. 2017, section 3.2), and autograd finds
them. Each rule is an equation between differences, not an approximation: so the contributions sum
to the difference of the output.
"""

from collections.abc import Callable
from dataclasses import dataclass

import torch


@dataclass(frozen=True)
class TwoRuns:
    """
    text : the value in the run of the text.
    baseline : the value in the run of the baseline.
    difference : text - baseline, as a differentiable function of the embeddings' difference.
    """

    text: torch.Tensor
    baseline: torch.Tensor
    difference: torch.Tensor

    @property
    def mean(self) -> torch.Tensor:
        """The mean of text and baseline."""
        return (self.text + self.baseline) / 2

    @property
    def parts(self) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        """Text, baseline and difference."""
        return self.text, self.baseline, self.difference


def linear_map(
    function: Callable[[torch.Tensor], torch.Tensor],
    inputs: TwoRuns,
    bias: torch.Tensor | float = 0.0,
) -> TwoRuns:
    """`function(inputs) + bias` for a linear function: the difference loses the bias alone."""
    with torch.no_grad():
        text, baseline = function(inputs.text) + bias, function(inputs.baseline) + bias
    return TwoRuns(text, baseline, function(inputs.difference))


def linear(layer: torch.nn.Linear, inputs: TwoRuns) -> TwoRuns:
    """A linear layer applied to the text, the baseline and their difference."""
    weight = layer.weight.detach()
    bias = 0.0 if layer.bias is None else layer.bias.detach()
    return linear_map(lambda values: torch.nn.functional.linear(values, weight), inputs, bias)


def add(one: TwoRuns, other: TwoRuns) -> TwoRuns:
    """A sum of the texts, the baselines and the differences."""
    return TwoRuns(
        one.text + other.text,
        one.baseline + other.baseline,
        one.difference + other.difference,
    )


def multiply(
    one: TwoRuns,
    other: TwoRuns,
    product: Callable[[torch.Tensor, torch.Tensor], torch.Tensor] = torch.mul,
) -> TwoRuns:
    """
    d(ab) = mean(a) db + mean(b) da, for any bilinear product: what each factor contributes on
    average over the two orders in which they can change, the Shapley value of two players.
    """
    return TwoRuns(
        product(one.text, other.text),
        product(one.baseline, other.baseline),
        product(one.mean, other.difference) + product(one.difference, other.mean),
    )


def secant(step: torch.Tensor, change: torch.Tensor, slope: torch.Tensor) -> torch.Tensor:
    """
    change / step; where the step is too small to divide by, the slope of the tangent.
    """
    # Below the root of the machine's precision, rounding does more harm than the tangent.
    small = step.abs() < torch.finfo(step.dtype).eps ** 0.5
    return torch.where(small, slope, change / torch.where(small, 1.0, step))


def elementwise(function: Callable[[torch.Tensor], torch.Tensor], inputs: TwoRuns) -> TwoRuns:
    """The rescale rule (section 3.5.2): d f(x) = (f(x) - f(x0)) / (x - x0) dx."""
    text, slope = _with_slope(function, inputs.text)
    baseline, slope_of_baseline = _with_slope(function, inputs.baseline)
    multiplier = secant(
        inputs.text - inputs.baseline, text - baseline, (slope + slope_of_baseline) / 2
    )
    return TwoRuns(text, baseline, multiplier * inputs.difference)


def _with_slope(
    function: Callable[[torch.Tensor], torch.Tensor], at: torch.Tensor
) -> tuple[torch.Tensor, torch.Tensor]:
    """The value and the derivative of a function of each number alone."""
    with torch.enable_grad():
        at = at.detach().requires_grad_()
        value = function(at)
        (slope,) = torch.autograd.grad(value.sum(), at)
    return value.detach(), slope


def tanh(inputs: TwoRuns) -> TwoRuns:
    """tanh, under the rescale rule."""
    return elementwise(torch.tanh, inputs)


def relu(inputs: TwoRuns) -> TwoRuns:
    """ReLU, under the rescale rule."""
    return elementwise(torch.relu, inputs)


def rsqrt(inputs: TwoRuns) -> TwoRuns:
    """1 / sqrt(x), under the rescale rule."""
    return elementwise(torch.rsqrt, inputs)
