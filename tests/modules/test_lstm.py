"""An LSTM without packing gives the states, and the gradients, of AllenNLP's packed one."""

import pytest
import torch
from allennlp.modules.seq2seq_encoders import GruSeq2SeqEncoder, LstmSeq2SeqEncoder

from attention_explain.modules.lstm import (
    reverse,
    runs_unpacked,
    unpacked_states,
)

LENGTHS = torch.tensor([3, 9, 1, 6])
MASK = torch.arange(9).unsqueeze(0) < LENGTHS.unsqueeze(1)


@pytest.mark.parametrize("bidirectional", [True, False])
@pytest.mark.parametrize("layers", [1, 2])
@pytest.mark.parametrize("bias", [True, False])
def test_states_and_gradients_equal_the_packed_ones(bidirectional, layers, bias):
    torch.manual_seed(0)
    encoder = LstmSeq2SeqEncoder(5, 4, layers, bidirectional=bidirectional, bias=bias).double()
    inputs = torch.randn(4, 9, 5, dtype=torch.float64, requires_grad=True)
    assert runs_unpacked(encoder, inputs)
    ours, theirs = unpacked_states(encoder, inputs, MASK), encoder(inputs, MASK)
    torch.testing.assert_close(ours, theirs)
    weights = torch.randn_like(ours)
    values = [inputs, *encoder.parameters()]
    for one, other in zip(
        torch.autograd.grad((ours * weights).sum(), values),
        torch.autograd.grad((theirs * weights).sum(), values),
    ):
        torch.testing.assert_close(one, other)


def test_dropout_between_layers_is_kept():
    encoder = LstmSeq2SeqEncoder(5, 4, 2, dropout=0.9)
    inputs = torch.randn(4, 9, 5)
    one, other = (unpacked_states(encoder.train(), inputs, MASK) for _ in range(2))
    assert not torch.equal(one, other)
    one, other = (unpacked_states(encoder.eval(), inputs, MASK) for _ in range(2))
    assert torch.equal(one, other)


def test_reversing_leaves_padding_where_it_is():
    vectors = torch.arange(9.0).repeat(4, 1).unsqueeze(-1)
    assert reverse(vectors, LENGTHS)[0].squeeze(-1).tolist() == [2, 1, 0, 3, 4, 5, 6, 7, 8]
    assert torch.equal(reverse(reverse(vectors, LENGTHS), LENGTHS), vectors)


@pytest.mark.parametrize("contiguous", [True, False])
def test_reversing_by_rows_is_gathering_number_by_number_to_the_bit(contiguous):
    torch.manual_seed(0)
    vectors = torch.randn(4, 5, 9).transpose(1, 2) if not contiguous else torch.randn(4, 9, 5)
    assert vectors.is_contiguous() == contiguous
    vectors.requires_grad_()
    positions = torch.arange(9).repeat(4, 1)
    for text, length in enumerate(LENGTHS.tolist()):
        positions[text, :length] = torch.arange(length - 1, -1, -1)
    gathered = vectors.gather(1, positions.unsqueeze(-1).expand_as(vectors))
    reversed_ = reverse(vectors, LENGTHS)
    assert torch.equal(reversed_, gathered)
    weights = torch.randn(4, 9, 5)
    ours, theirs = (
        torch.autograd.grad((each * weights).sum(), vectors)[0] for each in (reversed_, gathered)
    )
    assert torch.equal(ours, theirs)


def test_other_encoders_run_as_they_are():
    inputs = torch.randn(4, 9, 5)
    assert not runs_unpacked(GruSeq2SeqEncoder(5, 4), inputs)
    assert not runs_unpacked(LstmSeq2SeqEncoder(5, 4, stateful=True), inputs)
