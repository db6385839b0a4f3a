"""`permutation`: the same weights in other positions."""

import math
from itertools import permutations

import numpy
import pytest
import torch

from attention_explain.errors import InputError
from tests.counterfactual.fixed import by_hand, fixed, perturbation, sharp_model


def test_uniform_attention_can_be_permuted_without_effect():
    result = perturbation("permutation").perturb(fixed(sharp_model(projection="uniform")))
    assert result["tvd"].shape == (4, 100)
    assert result["max_tvd"].tolist() == pytest.approx([0] * 4, abs=1e-7)


def test_two_tokens_by_hand():
    """Weights 3/4, 1/4 either stay, or change positions, which makes logits 0, 1/2 of 0, -1/2."""
    texts = by_hand([[0, 1.0], [0, -1.0]], attention=[0.75, 0.25])
    changed = 2 / (1 + math.exp(-0.5)) - 1
    result = perturbation("permutation", permutations=50).perturb(texts)
    tvd = result["tvd"][0].tolist()
    stayed = [value for value in tvd if value < 1e-9]
    assert 10 < len(stayed) < 40
    assert [v for v in tvd if v >= 1e-9] == pytest.approx([changed] * (50 - len(stayed)))
    assert result["max_attention"].item() == 0.75


def test_each_change_is_that_of_some_permutation_and_all_occur():
    votes = [[0.0, 1.0], [0.3, -1.0], [2.0, 0.5]]
    weights = numpy.array([0.6, 0.3, 0.1])
    texts = by_hand(votes, attention=weights.tolist())
    before = texts.probs(texts.attention)
    possible = []
    for order in permutations(range(3)):
        after = torch.softmax(torch.from_numpy(weights[list(order)] @ numpy.array(votes)), dim=-1)
        possible.append(((after - before).abs().sum() / 2).item())
    found = perturbation("permutation", permutations=200).perturb(texts)["tvd"][0].tolist()
    assert {round(value, 9) for value in found} == {round(value, 9) for value in possible}


def test_only_the_attention_of_real_tokens_moves():
    texts = fixed(sharp_model())
    permuted = texts.drawn(0, "permutation", perturbation("permutation")._permuted)
    assert (permuted[~texts.attendable.unsqueeze(1).expand_as(permuted)] == 0).all()
    expected = texts.attention.unsqueeze(1).expand_as(permuted).sort(dim=-1).values
    assert permuted.sort(dim=-1).values.equal(expected)


def test_summaries_are_those_of_the_list():
    result = perturbation("permutation", permutations=30).perturb(fixed(sharp_model()))
    tvd = result["tvd"].numpy()
    assert result["median_tvd"].tolist() == pytest.approx(numpy.median(tvd, axis=1).tolist())
    assert result["mean_tvd"].tolist() == pytest.approx(tvd.mean(axis=1).tolist())
    assert result["max_tvd"].tolist() == pytest.approx(tvd.max(axis=1).tolist())


def test_a_text_of_one_token_has_one_order():
    assert perturbation("permutation").perturb(by_hand([[1.0, 2.0]]))["max_tvd"].item() == 0


def test_no_permutations_are_rejected():
    with pytest.raises(InputError, match="permutations is 0, but must be 1 or more"):
        perturbation("permutation", permutations=0)
