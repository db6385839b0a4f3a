"""
What AllenNLP's `lstm` and our `transformer` have for the methods that look inside them; other
encoders have it themselves.
"""

from collections.abc import Iterator, Sequence
from types import ModuleType
from typing import Any

import torch
from allennlp.modules.seq2seq_encoders import PytorchSeq2SeqWrapper

from attention_explain.interpret.encoder_differences import lstm_states as lstm_rescale
from attention_explain.interpret.encoder_differences import (
    transformer_states as transformer_rescale,
)
from attention_explain.interpret.input_to_hidden import lstm_norm_gradients
from attention_explain.interpret.lrp import lstm_states as lstm_relevance
from attention_explain.interpret.lrp import (
    transformer_states as transformer_relevance,
)
from attention_explain.interpret.lstm_removal import remove_from_lstm
from attention_explain.interpret.removal_sets import LstmSets
from attention_explain.modules.capabilities import StandIn, stands_for
from attention_explain.modules.epsilon_rules import EpsilonRules
from attention_explain.modules.layer_attention import LayerAttention
from attention_explain.modules.lstm import check_unrolls, is_lstm, is_single_lstm
from attention_explain.modules.transformer import SelfAttention, TransformerEncoder
from attention_explain.modules.two_runs import TwoRuns


@stands_for(PytorchSeq2SeqWrapper, "lstm", is_lstm)
class Lstm(StandIn):
    """Of any number of layers."""

    def __init__(self, encoder: PytorchSeq2SeqWrapper) -> None:
        check_unrolls(encoder)
        super().__init__(encoder)

    def relevance_states(
        self, inputs: torch.Tensor, mask: torch.Tensor, rules: EpsilonRules
    ) -> torch.Tensor:
        """The states, computed with the rules of layer-wise relevance propagation."""
        return lstm_relevance(self.encoder, inputs, mask, rules)

    def rescale_states(self, inputs: TwoRuns, mask: torch.Tensor, rules: ModuleType) -> TwoRuns:
        """The states of the text and of the baseline, computed with the rules of DeepLift."""
        return lstm_rescale(self.encoder, inputs, mask)


@stands_for(PytorchSeq2SeqWrapper, "lstm", is_single_lstm)
class OneLayerLstm(StandIn):
    """In one direction or two."""

    remove_tokens = staticmethod(remove_from_lstm)
    token_sets = staticmethod(LstmSets)

    def norm_gradients(
        self, embeddings: torch.Tensor, mask: torch.Tensor, groups: Sequence[range]
    ) -> Iterator[torch.Tensor]:
        """
        The gradients of the norms of states with respect to the embeddings, one group
        of tokens at a time.
        """
        return lstm_norm_gradients(self.encoder, embeddings, mask, groups)


@stands_for(
    PytorchSeq2SeqWrapper, "lstm", lambda encoder: is_lstm(encoder) and encoder._module.bias
)
class LstmWithBias(StandIn):
    """Of which the first layer reads the inputs, in one direction or two."""

    def subtract_shift(self, shift: torch.Tensor) -> None:
        """Subtract `shift` from the inputs, by changing the bias of the first layer."""
        lstm = self.encoder._module
        for way in ("", "_reverse") if lstm.bidirectional else ("",):
            weight = getattr(lstm, f"weight_ih_l0{way}")
            getattr(lstm, f"bias_ih_l0{way}").sub_(weight @ shift)


@stands_for(
    TransformerEncoder,
    "transformer",
    lambda encoder: isinstance(encoder.input_layer, torch.nn.Linear),
)
class TransformerWithInputLayer(StandIn):
    """One whose inputs are mapped to another size first."""

    def subtract_shift(self, shift: torch.Tensor) -> None:
        """Subtract `shift` from the inputs, by changing the bias of the first layer."""
        layer = self.encoder.input_layer
        layer.bias -= layer.weight @ shift


@stands_for(TransformerEncoder, "transformer")
class Transformer(StandIn):
    """Our own encoder, whose rules would not fit into its file."""

    def relevance_states(
        self, inputs: torch.Tensor, mask: torch.Tensor, rules: EpsilonRules
    ) -> torch.Tensor:
        """The states, computed with the rules of layer-wise relevance propagation."""
        return transformer_relevance(self.encoder, inputs, mask, rules)

    def rescale_states(self, inputs: TwoRuns, mask: torch.Tensor, rules: ModuleType) -> TwoRuns:
        """The states of the text and of the baseline, computed with the rules of DeepLift."""
        return transformer_rescale(self.encoder, inputs, mask)

    def number_of_layers(self) -> int:
        """The number of layers of self-attention."""
        return len(self.encoder.layers)

    def layer_attention(
        self, embeddings: torch.Tensor, mask: torch.Tensor
    ) -> tuple[torch.Tensor, list[LayerAttention]]:
        """The states, and the attention of each layer."""
        return layer_attention(self.encoder, embeddings, mask)


def layer_attention(
    encoder: TransformerEncoder, embeddings: torch.Tensor, mask: torch.Tensor
) -> tuple[torch.Tensor, list[LayerAttention]]:
    """
    The encoder's states, and the attention of each layer, the first layer first.
    """
    recorded: list[tuple[Any, ...]] = []

    def record(module: SelfAttention, inputs: tuple[Any, ...]) -> None:
        recorded.append(inputs)

    hooks = [layer.self_attention.register_forward_pre_hook(record) for layer in encoder.layers]
    try:
        states = encoder(embeddings, mask)
    finally:
        for hook in hooks:
            hook.remove()
    return states, [
        LayerAttention(layer, *inputs)
        for layer, inputs in zip(encoder.layers, recorded, strict=True)
    ]
