"""
The epsilon rule (Bach et al. 2015, eq. 58) as an autograd function.

In the backward pass of a network built from these rules, what flows is not a gradient but the
relevance itself: autograd adds up what a value gets from all its uses, as LRP asks. Reshaping,
masking with 0 or 1 and concatenation keep relevance where it is, so that plain torch does for them.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch

from attention_explain.modules.layer_attention import SelfAttentionParts


def stabilizer(total: torch.Tensor, epsilon: float) -> torch.Tensor:
    """epsilon with the sign of the total: added to it, it keeps shares from growing without end."""
    return torch.copysign(total.new_tensor(epsilon), total)


@dataclass(frozen=True)
class EpsilonRules:
    """
    The rules for the layers of a network.

    epsilon : the stabiliser.
    absorbed : a leaf of zeros whose "gradient" is the relevance of each text that went to biases
        and stabilisers. Shape: (batch,)
    """

    epsilon: float
    absorbed: torch.Tensor

    def linear_map(
        self,
        function: Callable[..., torch.Tensor],
        *inputs: torch.Tensor,
        bias: torch.Tensor,
    ) -> torch.Tensor:
        """
        `function(*inputs) + bias` for any linear function. An input gets the share that it has in
        each output: R_i = sum_j x_i w_ij / (z_j + epsilon sign z_j) R_j. The shares of the bias and
        of the stabiliser are not handed on, but absorbed.
        """
        return _EpsilonRule.apply(function, bias, self.epsilon, self.absorbed, *inputs)

    def linear(self, layer: torch.nn.Linear, inputs: torch.Tensor) -> torch.Tensor:
        """A linear layer, under the epsilon rule."""
        return self.linear_map(
            lambda values: torch.nn.functional.linear(values, layer.weight),
            inputs,
            bias=_bias(layer, inputs),
        )

    def add(self, one: torch.Tensor, other: torch.Tensor) -> torch.Tensor:
        """A sum of two tensors, under the epsilon rule."""
        return self.linear_map(torch.add, one, other, bias=one.new_zeros(()))

    def mix(self, weights: torch.Tensor, values: torch.Tensor) -> torch.Tensor:
        """
        `weights @ values`, where the weights are attention: they gate, and get no relevance.
        """
        weights = weights.detach()
        return self.linear_map(lambda signal: weights @ signal, values, bias=values.new_zeros(()))

    def attend(
        self,
        attention: SelfAttentionParts,
        queries: torch.Tensor,
        keys: torch.Tensor,
        values: torch.Tensor,
        mask: torch.Tensor,
    ) -> torch.Tensor:
        """
        Self-attention whose weights are constants: all relevance goes to the values.
        Shape: (batch, heads, positions, dim)
        """
        queries, keys = queries.detach(), keys.detach()
        return self.linear_map(
            lambda signal: attention.mix(queries, keys, signal, mask),
            values,
            bias=values.new_zeros(()),
        )

    def elementwise(
        self, function: Callable[[torch.Tensor], torch.Tensor], inputs: torch.Tensor
    ) -> torch.Tensor:
        """A nonlinearity hands on what it gets."""
        return _PassOn.apply(function, inputs)


def _bias(layer: torch.nn.Module, inputs: torch.Tensor) -> torch.Tensor:
    return inputs.new_zeros(()) if layer.bias is None else layer.bias.detach()


class _EpsilonRule(torch.autograd.Function):
    @staticmethod
    def forward(
        ctx: Any,
        function: Callable[..., torch.Tensor],
        bias: torch.Tensor,
        epsilon: float,
        absorbed: torch.Tensor,
        *inputs: torch.Tensor,
    ) -> torch.Tensor:
        with torch.enable_grad():
            ctx.inputs = [values.detach().requires_grad_() for values in inputs]
            ctx.total = function(*ctx.inputs)
        ctx.bias, ctx.epsilon = bias, epsilon
        return ctx.total.detach() + bias

    @staticmethod
    def backward(ctx: Any, relevance: torch.Tensor) -> tuple[Any, ...]:
        output = ctx.total.detach() + ctx.bias
        extra = stabilizer(output, ctx.epsilon)
        # Relevance of an output per unit of what it is the sum of.
        rate = relevance / (output + extra)
        weighted = torch.autograd.grad(ctx.total, ctx.inputs, rate)
        passed = [values.detach() * each for values, each in zip(ctx.inputs, weighted, strict=True)]
        absorbed = rate * (ctx.bias + extra)
        return None, None, None, absorbed.flatten(start_dim=1).sum(dim=1), *passed


class _PassOn(torch.autograd.Function):
    @staticmethod
    def forward(
        ctx: Any, function: Callable[[torch.Tensor], torch.Tensor], inputs: torch.Tensor
    ) -> torch.Tensor:
        return function(inputs)

    @staticmethod
    def backward(ctx: Any, relevance: torch.Tensor) -> tuple[None, torch.Tensor]:
        return None, relevance
