"""
Texts whose self-attention is changed inside the layers of a model, while everything else is computed
as the model computes it.
"""

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import Any, ClassVar

import torch
from allennlp.models import Model

from attention_explain.interpret.text_batch import TextBatch
from attention_explain.modules.layer_attention import SelfAttentionParts
from attention_explain.passes import generator_for, rows_at_once

# From the maps of some positions that attend, the first first, to others, for all heads of a layer.
# Shape: (batch, heads, positions that attend, positions attended to)
Change = Callable[[torch.Tensor, slice], torch.Tensor]


@dataclass(frozen=True)
class SelfAttending:
    """
    A batch of texts for a model with layers of self-attention.

    layers : the first layer first.
    logits : of the texts as they are, in double precision. Shape: (batch, labels)
    attention : a weight a token, as the model's file has it. Shape: (batch, tokens)
    """

    needs: ClassVar[tuple[str, ...]] = ("layers",)

    model: Model
    batch: TextBatch
    embeddings: torch.Tensor
    layers: list[SelfAttentionParts]
    logits: torch.Tensor
    attention: torch.Tensor

    @classmethod
    @torch.no_grad()
    def of(cls, model: Model, batch: TextBatch) -> "SelfAttending":
        """The embeddings, layers and outputs of a model for a batch."""
        embeddings = model.embed(batch.tokens)
        logits, attention = model.with_attention(embeddings, batch.inputs)
        layers = model.through_layers(embeddings, batch.inputs).layers
        modules = [layer.module for layer in layers]
        return cls(model, batch, embeddings, modules, logits.double(), attention)

    def own_logits(self) -> torch.Tensor:
        """Shape: (batch, labels)"""
        return self.logits

    def own_probs(self) -> torch.Tensor:
        """Shape: (batch, labels)"""
        return self.logits.softmax(dim=-1)

    def predicted(self) -> torch.Tensor:
        """Shape: (batch,)"""
        return self.logits.argmax(dim=-1)

    @torch.no_grad()
    def changed(
        self,
        changes: Callable[[int], Change],
        layer: int | None = None,
        head: int | None = None,
    ) -> torch.Tensor:
        """
        The logits with other maps. Shape: (batch, labels)

        # Parameters

        changes : `Callable[[int], Change]`
            The change of the layer of that number, from 1.
        layer, head : `int`, optional (default = all)
            From 1.
        """
        with ExitStack() as changed:
            for number, module in enumerate(self.layers, 1):
                if layer in (None, number):
                    change = _of_head(changes(number), head)
                    changed.enter_context(_other_maps(module, self.batch.mask, change))
            return self.model.logits(self.embeddings, self.batch.inputs).double()

    def uniform(self) -> Change:
        """Every position attends to all alike, special symbols among them."""
        seen = self.batch.mask.to(self.embeddings)
        weights = (seen / seen.sum(dim=-1, keepdim=True))[:, None, None, :]
        return lambda maps, attending: weights.expand_as(maps)

    def permuted(self, seed: int, layer: int) -> Change:
        """
        The weights of each position in another order, of each head and position its own. The text's id and
        the seed decide it; it must be asked for all positions in turn.
        """
        generators = [generator_for(seed, id_, f"permuted-heads {layer}") for id_ in self.batch.ids]
        lengths = self.batch.mask.sum(dim=1).tolist()

        def change(maps: torch.Tensor, attending: slice) -> torch.Tensor:
            heads, positions = maps.size(1), maps.size(-1)
            order = torch.arange(positions).expand(*maps.shape).clone()
            for row, (generator, length) in enumerate(zip(generators, lengths, strict=True)):
                # One position after the other: what is drawn does not depend on how many come together,
                # nor on the padding of the batch.
                for step, _ in enumerate(range(*attending.indices(length))):
                    keys = torch.rand(heads, length, generator=generator)
                    order[row, :, step, :length] = keys.argsort(dim=-1)
            return maps.gather(-1, order.to(maps.device))

        return change


def off(maps: torch.Tensor, attending: slice) -> torch.Tensor:
    """Nothing is brought from anywhere."""
    return torch.zeros_like(maps)


def _of_head(change: Change, head: int | None) -> Change:
    if head is None:
        return change

    def of_head(maps: torch.Tensor, attending: slice) -> torch.Tensor:
        other = maps.clone()
        other[:, head - 1] = change(maps, attending)[:, head - 1]
        return other

    return of_head


@contextmanager
def _other_maps(module: SelfAttentionParts, mask: torch.Tensor, change: Change) -> Iterator[None]:
    """
    Within it the layer's values are mixed by other weights. The parts say it all: what the query layer
    reads are the states, and what the output layer reads are the mixed values.
    """
    read: list[torch.Tensor] = []

    def remember(layer: torch.nn.Module, given: tuple[Any, ...]) -> None:
        read.append(given[0])

    def replace(layer: torch.nn.Module, given: tuple[Any, ...]) -> tuple[torch.Tensor]:
        # The first: to compute the maps is to ask the query layer again.
        states = read[0]
        mixed = _mixed(module, states, mask, change)
        read.clear()
        return (module.merge_heads(mixed),)

    hooks = [
        module.reads.register_forward_pre_hook(remember),
        module.output_layer.register_forward_pre_hook(replace),
    ]
    try:
        yield
    finally:
        for hook in hooks:
            hook.remove()


def _mixed(
    module: SelfAttentionParts, states: torch.Tensor, mask: torch.Tensor, change: Change
) -> torch.Tensor:
    """Some positions that attend at a time. Shape: (batch, heads, positions, dim)"""
    values = module.split_heads(module.value_layer(states))
    batch, heads, positions, _ = values.shape
    together = rows_at_once(batch * heads * positions, states.device.type)
    pieces = []
    for first in range(0, positions, together):
        some = slice(first, first + together)
        pieces.append(change(module.maps(states, mask, some), some) @ values)
    return torch.cat(pieces, dim=2)
