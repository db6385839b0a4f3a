"""
AllenNLP's `lstm` on the CPU without packing. AllenNLP packs every batch, and torch's backward pass
through a packed sequence on the CPU takes time that grows with the square of the length: at 375
tokens ten times that of the same LSTM over padded texts. The states are the same.
"""

from typing import List

import torch
from allennlp.modules import Seq2SeqEncoder
from allennlp.modules.seq2seq_encoders import PytorchSeq2SeqWrapper


def runs_unpacked(encoder: Seq2SeqEncoder, inputs: torch.Tensor) -> bool:
    """Whether `unpacked_states` can, and should, take the place of the encoder's own forward."""
    return (
        isinstance(encoder, PytorchSeq2SeqWrapper)
        and isinstance(encoder._module, torch.nn.LSTM)
        and encoder._module.batch_first
        and not encoder._module.proj_size
        and not encoder.stateful
        # cuDNN handles packed sequences well.
        and not inputs.is_cuda
    )


def unpacked_states(
    encoder: PytorchSeq2SeqWrapper, inputs: torch.Tensor, mask: torch.Tensor
) -> torch.Tensor:
    """
    What `encoder(inputs, mask)` gives. Padding is at the end of a text, where the first direction
    meets it too late to be changed by it; the second direction reads each text from its last token.
    Shape: (batch, tokens, input) -> (batch, tokens, directions * hidden)
    """
    lstm = encoder._module
    lengths = mask.sum(dim=1)
    states = inputs
    for layer in range(lstm.num_layers):
        if layer > 0 and lstm.dropout:
            states = torch.nn.functional.dropout(states, lstm.dropout, lstm.training)
        directions = [_run(lstm, f"_l{layer}", states)]
        if lstm.bidirectional:
            backwards = _run(lstm, f"_l{layer}_reverse", reverse(states, lengths))
            directions.append(reverse(backwards, lengths))
        states = torch.cat(directions, dim=-1)
    return states * mask.unsqueeze(-1)


def reverse(vectors: torch.Tensor, lengths: torch.Tensor) -> torch.Tensor:
    """
    Each text backwards, its padding where it was; twice is nothing. Shape: (batch, tokens, dim)
    """
    places = torch.arange(vectors.size(1), device=vectors.device)
    backwards = lengths.unsqueeze(-1) - 1 - places
    places = torch.where(backwards >= 0, backwards, places)
    return vectors.gather(1, places.unsqueeze(-1).expand_as(vectors))


def _run(lstm: torch.nn.LSTM, suffix: str, inputs: torch.Tensor) -> torch.Tensor:
    """One layer in one direction. Shape: (batch, tokens, input) -> (batch, tokens, hidden)"""
    start = inputs.new_zeros(1, inputs.size(0), lstm.hidden_size)
    states, _, _ = torch._VF.lstm(
        inputs,
        (start, start),
        _weights(lstm, suffix),
        lstm.bias,
        1,  # layers
        0.0,  # dropout
        lstm.training,
        False,  # bidirectional
        True,  # batch first
    )
    return states


def _weights(lstm: torch.nn.LSTM, suffix: str) -> List[torch.Tensor]:
    names = ["weight_ih", "weight_hh"] + (["bias_ih", "bias_hh"] if lstm.bias else [])
    return [getattr(lstm, name + suffix) for name in names]
