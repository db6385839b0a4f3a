"""The heads of a model's self-attention: what each attends to, and the output without some of them."""

from contextlib import contextmanager
from typing import Any, Dict, Iterator, List, Optional, Protocol, Sequence, Set, Tuple

import torch
from allennlp.common.checks import ConfigurationError
from allennlp.models import Model

from attention_explain.interpret.text_batch import TextBatch
from attention_explain.models import AttentionClassifier
from attention_explain.models.needs import encoder_of_tokens
from attention_explain.modules.encoders.capabilities import SelfAttentions, capability
from attention_explain.modules.layer_attention import LayerAttention, SelfAttentionParts


class Layers(Protocol):
    """What is asked of a model with layers of self-attention."""

    # Who attends, in words.
    reader: str

    def __call__(self, batch: TextBatch) -> Tuple[List[LayerAttention], torch.Tensor]:
        """
        The layers, the first one first; and how much each place counts for what the model says, sum 1.
        Shape: (batch, places)
        """


class EncoderLayers:
    """Of a transformer as the encoder: the model reads its states by its own attention."""

    reader = "by the words as the model attends to them"

    def __init__(self, model: AttentionClassifier, encoder: SelfAttentions) -> None:
        self.model = model
        self.encoder = encoder

    def __call__(self, batch: TextBatch) -> Tuple[List[LayerAttention], torch.Tensor]:
        embeddings = self.model.embed(batch.tokens)
        states, layers = self.encoder.layer_attention(embeddings, batch.mask)
        return layers, self.model.attend(states, batch.reading)


class PretrainedLayers:
    """Of a pretrained transformer: its head reads the state of the first place."""

    reader = "by the first symbol, from which the model predicts"

    def __init__(self, model: Model) -> None:
        self.model = model

    def __call__(self, batch: TextBatch) -> Tuple[List[LayerAttention], torch.Tensor]:
        _, layers = self.model.layer_attention(self.model.embed(batch.tokens), batch.reading)
        first = torch.zeros(batch.mask.shape)
        first[:, 0] = 1.0
        return layers, first.to(layers[0].inputs)


def heads_of(model: Model) -> Optional["Heads"]:
    """None for a model that has none."""
    if hasattr(model, "layer_attention"):
        return Heads(model, PretrainedLayers(model)) if model.lacks("layers") is None else None
    encoder = encoder_of_tokens(model)
    layered = None if encoder is None else capability(encoder, SelfAttentions)
    return None if layered is None else Heads(model, EncoderLayers(model, layered))


class Heads:
    """The model is to be in evaluation mode for each of these."""

    def __init__(self, model: Model, layers: Layers) -> None:
        self.model = model
        self.layers = layers

    @torch.no_grad()
    def weights(self, batch: TextBatch) -> Dict[str, Any]:
        """Of a single text. Of a word of several pieces, the largest weight of these."""
        layers, reader = self.layers(batch)
        found = []
        for layer in layers:
            # Shape: (heads, places)
            weights = torch.einsum("bi,bhij->hj", reader, layer.weights(slice(None)))
            tokens = [batch.reading.of_tokens(head.unsqueeze(0), "max") for head in weights]
            found.append([batch.without_padding(head)[0] for head in tokens])
        return {"reader": self.layers.reader, "weights": found}

    @torch.no_grad()
    def logits_without(self, batch: TextBatch, off: Sequence[Sequence[int]]) -> torch.Tensor:
        """Shape: (batch, labels)"""
        layers, _ = self.layers(batch)
        modules = [layer.module for layer in layers]
        by_layer: Dict[int, Set[int]] = {}
        for pair in off:
            layer, head = _checked(pair, modules)
            by_layer.setdefault(layer, set()).add(head)
        with _silenced([(modules[layer], heads) for layer, heads in by_layer.items()]):
            return self.model.logits(self.model.embed(batch.tokens), batch.reading)


def _checked(pair: Sequence[int], modules: Sequence[SelfAttentionParts]) -> Tuple[int, int]:
    if (
        isinstance(pair, list)
        and [type(each) for each in pair] == [int, int]
        and 0 <= pair[0] < len(modules)
        and 0 <= pair[1] < modules[pair[0]].num_heads
    ):
        return pair[0], pair[1]
    raise ConfigurationError(f"{pair!r} is no head: it must be [layer, head], both from 0 on")


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
