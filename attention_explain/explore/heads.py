"""The heads of a model's self-attention: what each attends to, and the output without some of them."""

from contextlib import contextmanager
from typing import Any, Dict, Iterator, List, Sequence, Set, Tuple

import torch
from allennlp.models import Model

from attention_explain.errors import InputError
from attention_explain.interpret.text_batch import TextBatch
from attention_explain.modules.layer_attention import (
    LayerAttention,
    SelfAttentionParts,
    passed_down,
)

# Who attends, in words.
FIRST = "by the first symbol, from which the model predicts"
WORDS = "by the words, each as much as the model attends to it"


@torch.no_grad()
def head_weights(model: Model, batch: TextBatch) -> Dict[str, Any]:
    """
    What each head of each layer attends to, by the places that the model reads at last; of a word of
    several pieces, the largest weight of these. Of a single text, and of a model that lacks no layers.
    """
    layers, last, _ = model.through_layers(model.embed(batch.tokens), batch.inputs)
    first_alone = batch.inputs.units is not None and not last[:, 1:].any()
    return {
        "reader": FIRST if first_alone else WORDS,
        "weights": [
            [_attended(layer, head, last, batch) for head in range(layer.module.num_heads)]
            for layer in layers
        ],
    }


def _attended(
    layer: LayerAttention, head: int, last: torch.Tensor, batch: TextBatch
) -> List[float]:
    places = passed_down(last, layer, lambda some: layer.weights(some)[:, head])
    return batch.without_padding(batch.inputs.of_tokens(places, "max"))[0]


@torch.no_grad()
def logits_without(model: Model, batch: TextBatch, off: Sequence[Sequence[int]]) -> torch.Tensor:
    """When some heads, each (layer, head), bring nothing. Shape: (batch, labels)"""
    embeddings = model.embed(batch.tokens)
    modules = [layer.module for layer in model.through_layers(embeddings, batch.inputs).layers]
    by_layer: Dict[int, Set[int]] = {}
    for pair in off:
        layer, head = _checked(pair, modules)
        by_layer.setdefault(layer, set()).add(head)
    with _silenced([(modules[layer], heads) for layer, heads in by_layer.items()]):
        return model.logits(embeddings, batch.inputs)


def _checked(pair: Sequence[int], modules: Sequence[SelfAttentionParts]) -> Tuple[int, int]:
    if (
        isinstance(pair, list)
        and [type(each) for each in pair] == [int, int]
        and 0 <= pair[0] < len(modules)
        and 0 <= pair[1] < modules[pair[0]].num_heads
    ):
        return pair[0], pair[1]
    raise InputError(f"{pair!r} is no head: it must be [layer, head], both from 0 on")


@contextmanager
def _silenced(attentions: Sequence[Tuple[SelfAttentionParts, Set[int]]]) -> Iterator[None]:
    """
    Within it these heads of each self-attention bring 0 to its output layer, which has their vectors
    side by side.
    """
    hooks = []
    try:
        for module, heads in attentions:
            count = module.num_heads

            def silence(layer: torch.nn.Module, inputs: Tuple, heads=heads, count=count) -> Tuple:
                vectors = inputs[0].unflatten(-1, (count, -1)).clone()
                vectors[..., sorted(heads), :] = 0.0
                return (vectors.flatten(-2), *inputs[1:])

            hooks.append(module.output_layer.register_forward_pre_hook(silence))
        yield
    finally:
        for hook in hooks:
            hook.remove()
