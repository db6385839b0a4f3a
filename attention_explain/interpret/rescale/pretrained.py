"""The rules for a pretrained transformer: those of our own for its layers, and its head's."""

import torch

from attention_explain.interpret.rescale import two_runs
from attention_explain.interpret.rescale.transformer import layer_states, normal_states
from attention_explain.interpret.rescale.two_runs import TwoRuns
from attention_explain.pretrained.families import Family


def pretrained_logits(family: Family, inputs: TwoRuns, mask: torch.Tensor) -> TwoRuns:
    """Shape: (batch, places, embedding_dim) -> (batch, labels)"""
    states = two_runs.linear_map(lambda values: values, inputs, bias=family.added(inputs.text))
    states = normal_states(family.embeddings.LayerNorm, states)
    if family.embeddings_layer is not None:
        states = two_runs.linear(family.embeddings_layer, states)
    for layer in family.layers():
        states = layer_states(layer, states, mask)
    values = two_runs.linear_map(lambda values: values[:, 0], states)
    for step in family.head():
        if isinstance(step, torch.nn.Linear):
            values = two_runs.linear(step, values)
        else:
            values = two_runs.elementwise(step, values)
    return values
