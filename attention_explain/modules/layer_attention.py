"""
What is asked of a layer of a transformer, our own or a pretrained one; what it attends to, and with
which values.
"""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import product
from typing import NamedTuple, Protocol

import torch

from attention_explain.modules import projections
from attention_explain.modules.projections import Projection
from attention_explain.passes import rows_at_once


class SelfAttentionParts(Protocol):
    """
    A layer's self-attention.

    bias : what is added to the scores for the given number of positions. Shape: (heads or 1, positions, positions)
    rotation : from queries or keys to those that are multiplied, a linear function.
    """

    num_heads: int
    query_layer: torch.nn.Linear
    key_layer: torch.nn.Linear
    value_layer: torch.nn.Linear
    output_layer: torch.nn.Linear
    bias: Callable[[int], torch.Tensor] | None
    rotation: Callable[[torch.Tensor], torch.Tensor] | None

    @property
    def projection(self) -> Projection:
        """From the scores to the weights."""

    @property
    def reads(self) -> torch.nn.Linear:
        """The layer that reads the states first."""

    def scale(self, dim: int) -> float:
        """Of the products of queries and keys."""

    def relative(self, positions: int) -> "RelativeScoreParts | None":
        """What is added to the scores by the queries, or the keys, and a distance."""

    def split_heads(self, vectors: torch.Tensor) -> torch.Tensor:
        """Shape: (batch, positions, hidden_dim) -> (batch, heads, positions, hidden_dim / heads)"""

    def merge_heads(self, vectors: torch.Tensor) -> torch.Tensor:
        """The inverse of `split_heads`."""

    def maps(self, states: torch.Tensor, mask: torch.Tensor, attending: slice) -> torch.Tensor:
        """Shape: (batch, heads, positions that attend, positions attended to)"""

    def mix(
        self, queries: torch.Tensor, keys: torch.Tensor, values: torch.Tensor, mask: torch.Tensor
    ) -> torch.Tensor:
        """The values, weighted for each query. Shape: (batch, heads, positions, dim)"""


class RelativeScoreParts(Protocol):
    """rows : by the positions that attend. Shape: (1, any, positions, any)"""

    @property
    def rows(self) -> torch.Tensor:
        """For some of the positions that attend, some of these."""

    def of_queries(self, queries: torch.Tensor, rows: torch.Tensor) -> torch.Tensor:
        """A linear function. Shape: (batch, heads, positions that attend, positions)"""

    def of_keys(self, keys: torch.Tensor, rows: torch.Tensor) -> torch.Tensor:
        """A linear function. Shape: (batch, heads, positions that attend, positions)"""


class LayerParts(Protocol):
    """norm(x + attention(x)), then norm(x + outer(activation(inner(x))))."""

    attention_norm: torch.nn.LayerNorm
    inner: torch.nn.Linear
    outer: torch.nn.Linear
    feedforward_norm: torch.nn.LayerNorm

    @property
    def self_attention(self) -> SelfAttentionParts:
        """The first half of the layer."""

    @property
    def activation(self) -> Callable[[torch.Tensor], torch.Tensor]:
        """The function between `inner` and `outer`."""


@dataclass(frozen=True)
class LayerAttention:
    """
    layer : the layer of whichever transformer.
    inputs : what it read. Shape: (batch, tokens, hidden_dim)
    mask : True at every token. Shape: (batch, tokens)

    The weights are computed when they are asked for, of some of the tokens that attend: those of a
    long text do not fit into memory all at once.
    """

    layer: LayerParts
    inputs: torch.Tensor
    mask: torch.Tensor

    @property
    def module(self) -> SelfAttentionParts:
        """The self-attention of the layer."""
        return self.layer.self_attention

    def weights(self, attending: slice) -> torch.Tensor:
        """Shape: (batch, heads, tokens that attend, tokens attended to)"""
        return self.module.maps(self.inputs, self.mask, attending)

    def mean_weights(self, attending: slice) -> torch.Tensor:
        """Heads averaged. Shape: (batch, positions that attend, positions attended to)"""
        return self.weights(attending).mean(dim=1)

    def value_weighted(self, attending: slice) -> torch.Tensor:
        """
        || sum over heads a_ij f(x_j) || with f(x) = W_O (W_V x + b_V), a head's part of each
        (Kobayashi et al. 2020, eq. 3). Shape: (batch, tokens that attend, tokens attended to)
        """
        heads = self.module.num_heads
        values = self.module.split_heads(self.module.value_layer(self.inputs))
        # Shape: (hidden_dim, heads, hidden_dim / heads)
        output = self.module.output_layer.weight.unflatten(1, (heads, -1))
        transformed = torch.einsum("bhjd,ohd->bjho", values, output)
        # The square of the norm of a sum, from the heads' inner products: the vectors a_ij f(x_j)
        # themselves would take tokens^2 * hidden_dim.
        products = torch.einsum("bjho,bjgo->bjhg", transformed, transformed)
        weights = self.weights(attending)
        # A pair of heads at a time: all of them at once would take heads^2 maps.
        squares = torch.zeros_like(weights[:, 0])
        for one, other in product(range(heads), repeat=2):
            squares.addcmul_(weights[:, one] * products[:, None, :, one, other], weights[:, other])
        return squares.clamp_min(0).sqrt()


def scaled(norm: torch.nn.LayerNorm, terms: torch.Tensor, total: torch.Tensor) -> torch.Tensor:
    """
    The linear part of a layer norm applied to terms of its input: centred, divided by the deviation
    of the whole input `total`, times the gain. With the shift, the terms sum to the output.
    Shape: (..., hidden_dim), (..., or 1, hidden_dim)
    """
    variance = total.var(dim=-1, unbiased=False, keepdim=True)
    centred = terms - terms.mean(dim=-1, keepdim=True)
    return centred * torch.rsqrt(variance + norm.eps) * norm.weight


class ThroughLayers(NamedTuple):
    """
    What a model does in its layers, and then with what they give.

    layers : the first layer first.
    last : the weights with which the states of the last layer are read. Shape: (batch, positions)
    sizes : the norm of each of these states. Shape: (batch, positions)
    """

    layers: list[LayerAttention]
    last: torch.Tensor
    sizes: torch.Tensor


def passed_down(
    weights: torch.Tensor, layer: LayerAttention, maps: Callable[[slice], torch.Tensor]
) -> torch.Tensor:
    """
    What is attended to through a layer, by positions that have these weights: sum_i w_i a_ij. In pieces,
    and only of positions that have any.

    # Parameters

    weights : `torch.Tensor`. Shape: (batch, positions)
    maps : `Callable[[slice], torch.Tensor]`
        Of some of the positions that attend. Shape: (batch, positions that attend, positions attended to)
    """
    # On a GPU to ask takes longer than to look at all of them.
    on_host = projections.on_host(weights)
    reach = 1 + int(weights.any(dim=0).nonzero().max()) if on_host else weights.size(1)
    numbers = len(weights) * layer.module.num_heads * weights.size(1)
    together = rows_at_once(numbers, weights.device.type)
    received = torch.zeros_like(weights)
    for first in range(0, reach, together):
        some = slice(first, min(first + together, reach))
        received += torch.einsum("bi,bij->bj", weights[:, some], maps(some))
    return received
