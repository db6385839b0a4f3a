"""Projections tested as mathematics: on the simplex, masked, against definitions and limits."""

import itertools
import math

import pytest
import torch
from allennlp.common.checks import ConfigurationError

from attention_explain.errors import InputError
from attention_explain.modules.projections import (
    Entmax,
    Entmax15,
    Projection,
    Softmax,
    Sparsegen,
    Sparsemax,
    Uniform,
)
from tests.builders import PROJECTIONS, params

SPARSE = ["sparsemax", "entmax15", "entmax_1.3", "entmax_learned", "sparsegen"]


def build(name: str) -> Projection:
    return Projection.from_params(params(PROJECTIONS[name]))


def random_scores(*shape: int, seed: int = 0, scale: float = 2.0) -> torch.Tensor:
    generator = torch.Generator().manual_seed(seed)
    return scale * torch.randn(*shape, generator=generator, dtype=torch.float64)


def random_mask(*shape: int, seed: int = 0) -> torch.Tensor:
    generator = torch.Generator().manual_seed(seed)
    mask = torch.rand(*shape, generator=generator) < 0.6
    mask[..., 0] = True
    return mask


@pytest.mark.parametrize("name", PROJECTIONS)
@pytest.mark.parametrize("scale", [1e-5, 1.0, 1e4])
def test_weights_sum_to_one_over_seen_tokens_and_are_zero_elsewhere(name, scale):
    scores, mask = random_scores(50, 9, scale=scale), random_mask(50, 9)
    weights = build(name)(scores, mask)
    torch.testing.assert_close(weights.sum(-1), torch.ones(50, dtype=torch.float64))
    assert (weights >= 0).all()
    assert (weights[~mask] == 0).all()


@pytest.mark.parametrize("name", PROJECTIONS)
def test_hidden_positions_change_nothing(name):
    projection = build(name)
    scores = random_scores(20, 5)
    padded = torch.cat([scores, random_scores(20, 4, seed=1, scale=100.0)], dim=-1)
    mask = torch.arange(9).expand(20, 9) < 5
    torch.testing.assert_close(
        projection(padded, mask)[:, :5], projection(scores), atol=1e-9, rtol=0
    )


@pytest.mark.parametrize("name", PROJECTIONS)
def test_mask_is_broadcast_over_heads_and_queries(name):
    projection = build(name)
    scores, mask = random_scores(3, 2, 4, 6), random_mask(3, 6)
    weights = projection(scores, mask[:, None, None, :])
    for head, query in itertools.product(range(2), range(4)):
        torch.testing.assert_close(
            weights[:, head, query], projection(scores[:, head, query], mask), atol=1e-9, rtol=0
        )


@pytest.mark.parametrize("name", PROJECTIONS)
def test_a_fully_masked_row_is_an_error(name):
    mask = torch.tensor([[True, False], [False, False]])
    with pytest.raises(InputError, match="fully masked row"):
        build(name)(random_scores(2, 2), mask)


@pytest.mark.parametrize("name", [name for name in PROJECTIONS if name != "uniform"])
def test_gradients_agree_with_finite_differences(name):
    projection = build(name).double()
    # Away from the points where the support changes, at which no derivative exists.
    scores = random_scores(4, 5, seed=3).requires_grad_()
    mask = random_mask(4, 5, seed=3)
    assert torch.autograd.gradcheck(lambda z: projection(z, mask), (scores,), atol=1e-5)


def test_the_gradient_of_a_learned_alpha_agrees_with_finite_differences():
    projection = Entmax(alpha=1.6, learned=True).double()
    scores = random_scores(4, 5, seed=3)
    target = random_scores(4, 5, seed=4)

    def loss(logit: torch.Tensor) -> torch.Tensor:
        return (
            torch.func.functional_call(projection, {"alpha_logit": logit}, scores) * target
        ).sum()

    logit = projection.alpha_logit.detach().clone().requires_grad_()
    (gradient,) = torch.autograd.grad(loss(logit), logit)
    step = 1e-5
    difference = (loss(logit.detach() + step) - loss(logit.detach() - step)) / (2 * step)
    torch.testing.assert_close(gradient, difference, rtol=1e-3, atol=1e-6)


def test_learned_alpha_starts_where_it_is_told():
    assert Entmax(alpha=1.7, learned=True).alpha.item() == pytest.approx(1.7, abs=1e-6)


@pytest.mark.parametrize("lambda_", [-2.0, 0.0, 0.3, 0.9])
def test_sparsegen_is_the_minimum_over_the_simplex(lambda_):
    """argmin ||p - z||^2 - lambda ||p||^2, by trying every support (Karush-Kuhn-Tucker)."""
    for seed in range(20):
        scores = random_scores(5, seed=seed)
        torch.testing.assert_close(
            Sparsegen(lambda_)(scores), best_over_all_supports(scores, lambda_), atol=1e-9, rtol=0
        )


def best_over_all_supports(scores: torch.Tensor, lambda_: float) -> torch.Tensor:
    best, best_value = None, float("inf")
    for size in range(1, len(scores) + 1):
        for support in itertools.combinations(range(len(scores)), size):
            chosen = list(support)
            # With the support fixed, the minimum is where the gradient 2(p - z) - 2 lambda p is
            # the same number for all of it, and the weights sum to one.
            multiplier = (scores[chosen].sum() - (1 - lambda_)) / size
            weights = torch.zeros_like(scores)
            weights[chosen] = (scores[chosen] - multiplier) / (1 - lambda_)
            if (weights < 0).any():
                continue
            value = ((weights - scores) ** 2).sum() - lambda_ * (weights**2).sum()
            if value < best_value:
                best, best_value = weights, value
    return best


def test_larger_lambda_is_sparser():
    scores = random_scores(200, 12, scale=0.3)
    zeros = [(Sparsegen(value)(scores) == 0).double().mean() for value in (-2, 0, 0.5, 0.9)]
    assert zeros == sorted(zeros) and zeros[0] < zeros[-1]


def test_entmax_goes_from_softmax_to_sparsemax():
    scores = random_scores(30, 7)
    torch.testing.assert_close(Entmax(1.0)(scores), Softmax()(scores))
    torch.testing.assert_close(Entmax(2.0)(scores), Sparsemax()(scores))
    torch.testing.assert_close(Entmax(1.5)(scores), Entmax15()(scores))
    # Bisection meets the exact ends and the exact middle.
    torch.testing.assert_close(Entmax(1.01)(scores), Softmax()(scores), atol=0.02, rtol=0)
    torch.testing.assert_close(Entmax(1.999999)(scores), Sparsemax()(scores), atol=1e-5, rtol=0)
    torch.testing.assert_close(Entmax(1.500001)(scores), Entmax15()(scores), atol=1e-5, rtol=0)


@pytest.mark.parametrize("name", SPARSE)
def test_sparse_projections_give_exact_zeros(name):
    assert (build(name)(random_scores(20, 30, scale=4.0)) == 0).any()


def test_uniform_is_the_same_for_every_seen_token():
    mask = torch.tensor([[True, True, True, False], [True, False, False, False]])
    weights = Uniform()(random_scores(2, 4), mask)
    expected = torch.tensor([[1 / 3, 1 / 3, 1 / 3, 0], [1, 0, 0, 0]], dtype=torch.float64)
    torch.testing.assert_close(weights, expected)


@pytest.mark.parametrize(
    "config, sentence",
    [
        ({"type": "sparsegen", "lambda_": 1.0}, "sparsegen is defined for lambda_ < 1"),
        ({"type": "sparsegen", "lambda_": float("nan")}, "sparsegen is defined for lambda_ < 1"),
        ({"type": "entmax", "alpha": 0.9}, "entmax is defined for alpha >= 1"),
        ({"type": "entmax", "alpha": 2.0, "learned": True}, "stays between 1 and 2"),
        ({"type": "entmax", "alhpa": 2.0}, "Extra parameters"),
    ],
)
def test_impossible_settings_are_rejected(config, sentence):
    with pytest.raises((ConfigurationError, InputError), match=sentence):
        Projection.from_params(params(config))


@pytest.mark.parametrize("name", ["softmax", "sparsemax", "entmax15", "entmax", "sparsegen"])
@pytest.mark.parametrize("value", [math.nan, math.inf])
def test_a_score_that_is_not_finite_makes_the_weights_of_its_row_nan(name, value):
    projection = Projection.by_name(name)()
    scores = torch.tensor([[0.1, value, 0.3], [0.1, 0.2, 0.3]])
    mask = torch.tensor([[True, True, False], [True, True, True]])
    weights = projection(scores, mask)
    assert weights[0, :2].isnan().any()
    assert torch.equal(weights[1:], projection(scores[1:], mask[1:]))
