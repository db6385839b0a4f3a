"""What each layer of the Transformer encoder attends to, and with which values."""

from typing import Any, List, Tuple

import torch

from attention_explain.modules.encoders import TransformerEncoder
from attention_explain.modules.encoders.transformer import SelfAttention
from attention_explain.modules.layer_attention import LayerAttention


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
