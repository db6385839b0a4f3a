"""
The rules for a pretrained transformer: those of our own (Ali et al. 2022) for its layers and the layer
norm of its embeddings; positions count as biases.
"""

import torch

from attention_explain.interpret.relevance.epsilon import EpsilonRules
from attention_explain.interpret.relevance.transformer import layer_states, normal_states
from attention_explain.pretrained.families import Family


def pretrained_logits(
    family: Family, embeddings: torch.Tensor, mask: torch.Tensor, rules: EpsilonRules
) -> torch.Tensor:
    """Shape: (batch, places, embedding_dim) -> (batch, labels)"""
    added = family.added(embeddings)
    states = rules.linear_map(lambda values: values, embeddings, bias=added)
    states = normal_states(family.embeddings.LayerNorm, states, rules)
    if family.embeddings_layer is not None:
        states = rules.linear(family.embeddings_layer, states)
    for layer in family.layers():
        states = layer_states(layer, states, mask, rules)
    values = states[:, 0]
    for step in family.head():
        if isinstance(step, torch.nn.Linear):
            values = rules.linear(step, values)
        else:
            values = rules.elementwise(step, values)
    return values
