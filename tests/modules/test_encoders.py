"""Encoders against their definitions, and what all of them must hold."""

import math

import pytest
import torch
from allennlp.modules import Seq2SeqEncoder

from attention_explain.errors import InputError
from attention_explain.interpret.encoders import layer_attention
from attention_explain.modules.projections import Sparsemax
from attention_explain.modules.transformer import TransformerEncoder, sinusoids
from attention_explain.modules.window_encoders import AffineEncoder, CnnEncoder
from tests.builders import DIM, ENCODERS, PROJECTIONS, params

INPUTS = torch.randn(3, 9, DIM, generator=torch.Generator().manual_seed(0))
LENGTHS = [9, 4, 1]
MASK = torch.arange(9).unsqueeze(0) < torch.tensor(LENGTHS).unsqueeze(1)


def build(name: str) -> Seq2SeqEncoder:
    torch.manual_seed(0)
    return Seq2SeqEncoder.from_params(params(ENCODERS[name])).eval()


@pytest.mark.parametrize("name", ENCODERS)
def test_padding_changes_nothing(name):
    encoder = build(name)
    states = encoder(INPUTS, MASK)
    assert states.shape == (3, 9, encoder.get_output_dim())
    for row, length in enumerate(LENGTHS):
        alone = encoder(INPUTS[row : row + 1, :length], MASK[row : row + 1, :length])
        torch.testing.assert_close(states[row, :length], alone[0], atol=1e-6, rtol=0)
        assert (states[row, length:] == 0).all()


@pytest.mark.parametrize("name", ENCODERS)
def test_what_stands_in_padded_positions_is_never_read(name):
    encoder = build(name)
    other = torch.where(MASK.unsqueeze(-1), INPUTS, torch.tensor(1e3))
    torch.testing.assert_close(encoder(other, MASK), encoder(INPUTS, MASK), atol=1e-6, rtol=0)


def test_affine_is_tanh_of_a_linear_layer():
    encoder = AffineEncoder(DIM, 8)
    expected = [torch.tanh(encoder.layer.weight @ x + encoder.layer.bias) for x in INPUTS[0]]
    torch.testing.assert_close(encoder(INPUTS, MASK)[0], torch.stack(expected))


def test_cnn_is_a_window_product_for_each_kernel():
    encoder = CnnEncoder(DIM, channels=2, kernel_sizes=(1, 3))
    states = encoder(INPUTS, MASK)
    tokens = INPUTS[1, : LENGTHS[1]]
    padded = torch.cat([torch.zeros(1, DIM), tokens, torch.zeros(1, DIM)])
    one, three = encoder.convolutions
    for position in range(LENGTHS[1]):
        window = padded[position : position + 3]
        # Conv1d keeps its weight as (channels, inputs, window).
        narrow = one.weight[:, :, 0] @ tokens[position] + one.bias
        wide = torch.einsum("cdw,wd->c", three.weight, window) + three.bias
        torch.testing.assert_close(states[1, position], torch.relu(torch.cat([narrow, wide])))


@pytest.mark.parametrize("sizes", [(), (2,), (3, 0)])
def test_cnn_rejects_windows_without_a_middle(sizes):
    with pytest.raises(InputError, match="odd numbers"):
        CnnEncoder(DIM, kernel_sizes=sizes)


def test_transformer_equals_torchs_own_with_softmax():
    """The same weights in torch's TransformerEncoderLayer give the same states."""
    encoder = TransformerEncoder(8, 8, num_layers=2, num_heads=2, positions="none").eval()
    inputs = torch.randn(3, 9, 8, generator=torch.Generator().manual_seed(1))
    states = inputs
    for layer in encoder.layers:
        theirs = torch.nn.TransformerEncoderLayer(8, 2, 32, dropout=0.0, batch_first=True)
        attention = layer.self_attention
        parts = (attention.query_layer, attention.key_layer, attention.value_layer)
        with torch.no_grad():
            theirs.self_attn.in_proj_weight.copy_(torch.cat([part.weight for part in parts]))
            theirs.self_attn.in_proj_bias.copy_(torch.cat([part.bias for part in parts]))
        theirs.self_attn.out_proj.load_state_dict(attention.output_layer.state_dict())
        theirs.linear1.load_state_dict(layer.feedforward[0].state_dict())
        theirs.linear2.load_state_dict(layer.feedforward[2].state_dict())
        theirs.norm1.load_state_dict(layer.attention_norm.state_dict())
        theirs.norm2.load_state_dict(layer.feedforward_norm.state_dict())
        states = theirs(states, src_key_padding_mask=~MASK)
    ours = encoder(inputs, MASK)
    torch.testing.assert_close(ours[MASK], states[MASK], atol=1e-5, rtol=1e-5)


@pytest.mark.parametrize("projection", PROJECTIONS)
def test_self_attention_maps_are_distributions_over_real_tokens(projection):
    config = {**ENCODERS["transformer"], "projection": PROJECTIONS[projection]}
    encoder = Seq2SeqEncoder.from_params(params(config)).eval()
    states, layers = layer_attention(encoder, INPUTS, MASK)
    torch.testing.assert_close(states, encoder(INPUTS, MASK))
    assert len(layers) == 2
    for layer in layers:
        weights = layer.weights(slice(None))
        assert weights.shape == (3, 2, 9, 9)
        torch.testing.assert_close(weights.sum(-1), torch.ones(3, 2, 9))
        assert (weights.masked_select(~MASK[:, None, None, :]) == 0).all()


def test_the_projection_of_self_attention_is_used():
    torch.manual_seed(0)
    encoder = TransformerEncoder(DIM, 8, projection=Sparsemax(), num_heads=2).eval()
    with torch.no_grad():
        for layer in encoder.layers:
            layer.self_attention.query_layer.weight.mul_(10)
    _, layers = layer_attention(encoder, INPUTS, MASK)
    assert (layers[0].weights(slice(None))[0] == 0).any()


def test_sinusoids_are_the_published_ones():
    table = sinusoids(7, 6)
    for position in range(7):
        for pair in range(3):
            angle = position / 10000 ** (2 * pair / 6)
            assert table[position, 2 * pair].item() == pytest.approx(math.sin(angle), abs=1e-6)
            assert table[position, 2 * pair + 1].item() == pytest.approx(math.cos(angle), abs=1e-6)
    assert sinusoids(4, 5).shape == (4, 5)


@pytest.mark.parametrize("positions", ["sinusoidal", "learned"])
def test_positions_tell_the_order_of_words(positions):
    torch.manual_seed(0)
    encoder = TransformerEncoder(DIM, 8, positions=positions).eval()
    unordered = TransformerEncoder(DIM, 8, positions="none").eval()
    reversed_inputs = INPUTS[:1].flip(1)
    mask = MASK[:1]
    assert not torch.allclose(encoder(reversed_inputs, mask).flip(1), encoder(INPUTS[:1], mask))
    torch.testing.assert_close(
        unordered(reversed_inputs, mask).flip(1), unordered(INPUTS[:1], mask)
    )


def test_impossible_transformers_are_rejected():
    with pytest.raises(InputError, match="positions is 'sine'"):
        TransformerEncoder(DIM, positions="sine")
    with pytest.raises(InputError, match="multiple of num_heads"):
        TransformerEncoder(DIM, hidden_dim=8, num_heads=3)
    encoder = TransformerEncoder(DIM, 8, positions="learned", max_tokens=5)
    with pytest.raises(InputError, match="9 tokens, but learned positions end at"):
        encoder(INPUTS, MASK)
