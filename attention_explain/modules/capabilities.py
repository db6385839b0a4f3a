"""
What a method may ask of an encoder beyond its states: one interface a capability.

An encoder has a capability when it has the functions of the interface; none is compulsory. Where an
encoder cannot be edited (AllenNLP's), or its file would get too long, another class has the
stand-in functions: `stands_for`. No other code asks for the class of an encoder.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from types import ModuleType
from typing import (
    Any,
    Protocol,
    TypeVar,
    runtime_checkable,
)

import torch
from allennlp.modules import Seq2SeqEncoder

from attention_explain.errors import InputError
from attention_explain.modules.epsilon_rules import EpsilonRules
from attention_explain.modules.layer_attention import LayerAttention
from attention_explain.modules.two_runs import TwoRuns


@runtime_checkable
class RelevanceRules(Protocol):
    """rules for layer-wise relevance"""

    def relevance_states(
        self, inputs: torch.Tensor, mask: torch.Tensor, rules: EpsilonRules
    ) -> torch.Tensor:
        """
        What `forward` gives, with each layer computed by its rule.
        Shape: (batch, tokens, input) -> (batch, tokens, state_dim)
        """


@runtime_checkable
class RescaleRules(Protocol):
    """rules for differences from a baseline"""

    def rescale_states(self, inputs: TwoRuns, mask: torch.Tensor, rules: ModuleType) -> TwoRuns:
        """
        What `forward` gives for text and baseline, with their difference by the layers' rules, the
        functions of `interpret.rescale.two_runs`.
        Shape: (batch, tokens, input) -> (batch, tokens, state_dim)
        """


@runtime_checkable
class Window(Protocol):
    """
    states that know of some neighbours alone

    With a reach of 0, to remove a token is to remove its state. The gradients of states whose windows
    do not overlap take one backward pass together.
    """

    def reach(self) -> int:
        """How many tokens to each side of its own a state can know of."""


@runtime_checkable
class StateGradients(Protocol):
    """the gradients of all states by all inputs, faster than by a backward pass for each"""

    def norm_gradients(
        self, embeddings: torch.Tensor, mask: torch.Tensor, groups: Sequence[range]
    ) -> Iterator[torch.Tensor]:
        """
        The norm of d||h_p|| / dx_j, of each group of states p. Shape: (batch, states, inputs)
        """


@runtime_checkable
class SelfAttentions(Protocol):
    """layers of self-attention"""

    def number_of_layers(self) -> int:
        """The number of layers of self-attention."""

    def layer_attention(
        self, embeddings: torch.Tensor, mask: torch.Tensor
    ) -> tuple[torch.Tensor, list[LayerAttention]]:
        """The states, and the attention of each layer, the first layer first."""


@runtime_checkable
class InputBias(Protocol):
    """a first layer whose bias can take a constant out of the inputs"""

    def subtract_shift(self, shift: torch.Tensor) -> None:
        """
        Changes the bias, so that inputs with `shift` added to each give the states that the inputs
        alone gave before. Shape: (input,)
        """


Kind = TypeVar("Kind")


class StandIn:
    """Base class of stand-ins, which provide capabilities for an encoder."""

    def __init__(self, encoder: Seq2SeqEncoder) -> None:
        self.encoder = encoder


@dataclass(frozen=True)
class _Registered:
    encoder: type[Seq2SeqEncoder]
    name: str
    applies: Callable[[Seq2SeqEncoder], bool]
    made_for: type


_STAND_INS: list[_Registered] = []


def stands_for(
    encoder: type[Seq2SeqEncoder],
    name: str,
    applies: Callable[[Seq2SeqEncoder], bool] = lambda encoder: True,
) -> Callable[[type], type]:
    """
    Registers a class, made from an encoder, that has some of its capabilities.

    # Parameters

    encoder : `Type[Seq2SeqEncoder]`
    name : `str`
        What configs call the encoder.
    applies : `Callable[[Seq2SeqEncoder], bool]`, optional
        Whether this encoder of that class is one of those meant.
    """

    def register(stand_in: type) -> type:
        _STAND_INS.append(_Registered(encoder, name, applies, stand_in))
        return stand_in

    return register


def capability(encoder: Seq2SeqEncoder, kind: type[Kind]) -> Kind | None:
    """Who has the functions of the interface `kind` for this encoder: most often it has itself."""
    if isinstance(encoder, kind):
        return encoder
    for each in _STAND_INS:
        if (
            issubclass(each.made_for, kind)
            and isinstance(encoder, each.encoder)
            and each.applies(encoder)
        ):
            stand_in: Any = each.made_for
            return stand_in(encoder)
    return None


def needed(encoder: Seq2SeqEncoder, kind: type[Kind], method: str) -> Kind:
    """`capability` for a method that cannot do without: one sentence if the encoder has it not."""
    has_it = capability(encoder, kind)
    if has_it is None:
        raise InputError(f"{method} {lacking(encoder, kind)}")
    return has_it


def lacking(encoder: Seq2SeqEncoder, kind: type) -> str | None:
    """What has to be said of an encoder without a capability; None for one that has it."""
    if capability(encoder, kind) is not None:
        return None
    what = (kind.__doc__ or "").strip().splitlines()[0]
    return (
        f"needs an encoder with {what} ({', '.join(encoders_with(kind))}), but this model's encoder "
        f"is a {type(encoder).__name__}"
    )


def encoders_with(kind: type) -> list[str]:
    """What configs call the encoders that have a capability, or may have it."""
    names = {each.name for each in _STAND_INS if issubclass(each.made_for, kind)}
    for name in Seq2SeqEncoder.list_available():
        encoder = Seq2SeqEncoder.by_name(name)
        if isinstance(encoder, type) and issubclass(encoder, kind):
            names.add(name)
    return sorted(names)
