"""Scorers against the papers' formulas, written out token by token."""

import math

import pytest
import torch
from allennlp.common import Lazy

from attention_explain.errors import InputError
from attention_explain.modules.projections import Uniform
from attention_explain.modules.token_attention import (
    AdditiveScorer,
    AttentionScorer,
    LinearScorer,
    ScaledDotScorer,
    TokenAttention,
)
from tests.builders import params

STATES = torch.randn(2, 5, 8, generator=torch.Generator().manual_seed(0))
QUERY = torch.randn(2, 8, generator=torch.Generator().manual_seed(1))


def each_token(formula):
    return torch.tensor([[formula(row, h).item() for h in STATES[row]] for row in range(2)])


def test_additive_without_query():
    scorer = AdditiveScorer(8)
    weight, bias = scorer.state_layer.weight, scorer.state_layer.bias
    vector = scorer.weight_layer.weight[0]
    expected = each_token(lambda row, h: vector @ torch.tanh(weight @ h + bias))
    torch.testing.assert_close(scorer(STATES), expected)


def test_additive_with_query():
    scorer = AdditiveScorer(8, query_dim=8)
    weight, bias = scorer.state_layer.weight, scorer.state_layer.bias
    second, vector = scorer.query_layer.weight, scorer.weight_layer.weight[0]
    expected = each_token(
        lambda row, h: vector @ torch.tanh(weight @ h + bias + second @ QUERY[row])
    )
    torch.testing.assert_close(scorer(STATES, QUERY), expected)


def test_additive_halves_the_state_and_its_vector_has_no_bias():
    scorer = AdditiveScorer(256)
    assert scorer.state_layer.weight.shape == (128, 256)
    assert scorer.weight_layer.bias is None


def test_scaled_dot_without_query():
    scorer = ScaledDotScorer(8)
    vector = scorer.weight_layer.weight[0]
    torch.testing.assert_close(scorer(STATES), each_token(lambda row, h: vector @ h / math.sqrt(8)))


def test_scaled_dot_with_query():
    scorer = ScaledDotScorer(8, query_dim=8)
    assert not list(scorer.parameters())
    expected = each_token(lambda row, h: QUERY[row] @ h / math.sqrt(8))
    torch.testing.assert_close(scorer(STATES, QUERY), expected)


@pytest.mark.parametrize("name", ["additive", "scaled_dot"])
def test_a_query_is_taken_only_by_a_scorer_built_for_one(name):
    config = {"type": name, "input_dim": 8}
    with pytest.raises(InputError, match="called with a query"):
        AttentionScorer.from_params(params(config))(STATES, QUERY)
    with pytest.raises(InputError, match="called without a query"):
        AttentionScorer.from_params(params({**config, "query_dim": 8}))(STATES)


def test_sizes_that_do_not_match_are_rejected():
    with pytest.raises(InputError, match="states of size 6, but got size 8"):
        AdditiveScorer(6)(STATES)
    with pytest.raises(InputError, match="sizes must be equal"):
        ScaledDotScorer(8, query_dim=6)


def test_linear_scores_are_neither_scaled_nor_squashed():
    scorer = LinearScorer(8)
    vector, bias = scorer.weight_layer.weight[0], scorer.weight_layer.bias[0]
    torch.testing.assert_close(scorer(STATES), each_token(lambda row, h: vector @ h + bias))


def test_linear_takes_no_query():
    with pytest.raises(InputError, match="reads no query"):
        LinearScorer(8, query_dim=8)


def test_attention_passes_the_query_on():
    attention = TokenAttention(8, scorer=Lazy(ScaledDotScorer), query_dim=8)
    expected = torch.softmax(each_token(lambda row, h: QUERY[row] @ h / math.sqrt(8)), dim=-1)
    mask = torch.ones(2, 5, dtype=torch.bool)
    torch.testing.assert_close(attention(STATES, mask, QUERY), expected)


def test_uniform_attention_trains_no_scorer():
    attention = TokenAttention(8, projection=Uniform())
    assert not list(attention.parameters())
    mask = torch.ones(2, 5, dtype=torch.bool)
    torch.testing.assert_close(attention(STATES, mask), torch.full((2, 5), 0.2))
