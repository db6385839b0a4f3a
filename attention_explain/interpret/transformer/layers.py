"""What each layer of the Transformer encoder attends to, and with which values."""

from dataclasses import dataclass
from itertools import product
from typing import Any, List, Tuple

import torch

from attention_explain.modules.encoders import TransformerEncoder
from attention_explain.modules.encoders.transformer import SelfAttention


@dataclass(frozen=True)
class LayerAttention:
    """
    module : the self-attention.
    inputs : what it read. Shape: (batch, tokens, hidden_dim)
    mask : True at every token. Shape: (batch, tokens)

    The weights are computed when they are asked for, of some of the tokens that attend: those of a
    long text do not fit into memory all at once.
    """

    module: SelfAttention
    inputs: torch.Tensor
    mask: torch.Tensor

    def weights(self, attending: slice) -> torch.Tensor:
        """Shape: (batch, heads, tokens that attend, tokens attended to)"""
        return self.module.maps(self.inputs, self.mask, attending)

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


def layer_attention(
    encoder: TransformerEncoder, embeddings: torch.Tensor, mask: torch.Tensor
) -> Tuple[torch.Tensor, List[LayerAttention]]:
    """
    The encoder's states, and the attention of each layer, the first layer first.
    """
    layers: List[LayerAttention] = []

    def record(module: SelfAttention, inputs: Tuple[Any, ...]) -> None:
        layers.append(LayerAttention(module, *inputs))

    hooks = [layer.self_attention.register_forward_pre_hook(record) for layer in encoder.layers]
    try:
        states = encoder(embeddings, mask)
    finally:
        for hook in hooks:
            hook.remove()
    return states, layers
