"""
What a pretrained transformer says of texts, by no more work than that takes. Its head reads the state
of the first place and nothing else: in the last layer only that place asks, and keys and values of the
others are never made. Equal to transformers' own passes, up to the last digits.
"""

import torch
from torch.nn import Linear, Module
from torch.nn.functional import scaled_dot_product_attention

from attention_explain.passes import rows_by_length
from attention_explain.pretrained.families import (
    Family,
    PretrainedLayer,
    PretrainedSelfAttention,
)

# So many places go together on a CPU: with more, texts are padded to longer ones; with 256, passes were
# slower. Between 512 and 4096 full batches took the same time, within what a busy machine hides.
PLACES_AT_ONCE = 1024


def reads_first_place(family: Family) -> bool:
    """
    Whether the passes below stand for the model's own: not while it is trained, nor where somebody
    looks at its parts, or changes what they give.
    """
    model = family.model
    if model.training or family.lacks_layers() is not None:
        return False
    last = family.layers()[-1].self_attention
    folded = (last.key_layer, last.value_layer)
    return all(type(each) is Linear for each in folded) and not any(map(_heard, model.modules()))


def _heard(module: Module) -> bool:
    return bool(
        module._forward_hooks
        or module._forward_pre_hooks
        or module._backward_hooks
        or module._backward_pre_hooks
    )


def first_place_logits(
    family: Family, embeddings: torch.Tensor, mask: torch.Tensor
) -> torch.Tensor:
    """
    Padding is at the end of a text. Shape: (batch, places, embedding_dim), (batch, places) -> (batch, labels)
    """
    if embeddings.device.type != "cpu":
        return _logits(family, embeddings, mask)
    lengths = mask.sum(dim=1).tolist()
    groups = rows_by_length(lengths, PLACES_AT_ONCE)
    logits = []
    for rows in groups:
        here = slice(max(lengths[row] for row in rows))
        logits.append(_logits(family, embeddings[rows, here], mask[rows, here]))
    order = torch.tensor([row for rows in groups for row in rows])
    return torch.cat(logits)[order.argsort()]


def _logits(family: Family, embeddings: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
    states = family.embeddings.LayerNorm(embeddings + family.added(embeddings))
    if family.embeddings_layer is not None:
        states = family.embeddings_layer(states)
    *layers, last = family.layers()
    for layer in layers:
        mixed = _mixed(layer.self_attention, states, mask)
        states = _above_attention(layer, states, mixed)
    mixed = _mixed_for_first(last.self_attention, states, mask)
    vectors = _above_attention(last, states[:, 0], mixed)
    for step in family.head():
        vectors = step(vectors)
    return vectors


def _above_attention(
    layer: PretrainedLayer, states: torch.Tensor, mixed: torch.Tensor
) -> torch.Tensor:
    """Shape: (..., hidden_dim)"""
    states = layer.attention_norm(states + layer.self_attention.output_layer(mixed))
    inner = layer.activation(layer.inner(states))
    return layer.feedforward_norm(states + layer.outer(inner))


def _mixed(
    attention: PretrainedSelfAttention, states: torch.Tensor, mask: torch.Tensor
) -> torch.Tensor:
    """Shape: (batch, places, hidden_dim)"""
    queries, keys, values = (
        attention.split_heads(part(states))
        for part in (attention.query_layer, attention.key_layer, attention.value_layer)
    )
    added = _added_to_scores(attention, mask, states.dtype)
    return attention.merge_heads(scaled_dot_product_attention(queries, keys, values, added))


def _mixed_for_first(
    attention: PretrainedSelfAttention, states: torch.Tensor, mask: torch.Tensor
) -> torch.Tensor:
    """
    q (W h + b) is (q W) h and the same number for each h, which the softmax does not see; and weighted
    values are the value of the weighted states. So what costs a product with a matrix for each place
    costs one for each head. Shape: (batch, hidden_dim)
    """
    heads = attention.num_heads
    queries = attention.query_layer(states[:, 0]).unflatten(-1, (heads, -1))
    keys, values = (
        part.weight.unflatten(0, (heads, -1))
        for part in (attention.key_layer, attention.value_layer)
    )
    folded = torch.einsum("bhd,hde->bhe", queries, keys) * queries.size(-1) ** -0.5
    scores = folded @ states.transpose(1, 2)
    added = _added_to_scores(attention, mask, states.dtype)
    if added is not None:
        scores = scores + added[:, :, 0]
    states = scores.softmax(dim=-1) @ states
    mixed = torch.einsum("bhe,hde->bhd", states, values).flatten(start_dim=1)
    return mixed if attention.value_layer.bias is None else mixed + attention.value_layer.bias


def _added_to_scores(
    attention: PretrainedSelfAttention, mask: torch.Tensor, dtype: torch.dtype
) -> torch.Tensor | None:
    """By distance, and for padding; None for nothing. Shape: (batch or 1, heads or 1, places or 1, places)"""
    added = None if attention.bias is None else attention.bias(mask.size(1)).unsqueeze(0)
    if not bool(mask.all()):
        hidden = torch.zeros(mask.shape, dtype=dtype, device=mask.device)
        hidden = hidden.masked_fill(~mask, -torch.inf)[:, None, None, :]
        added = hidden if added is None else added + hidden
    return added
