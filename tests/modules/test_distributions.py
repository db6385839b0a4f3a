"""Distances between distributions, against scipy."""

import numpy
import pytest
import torch
from scipy.spatial import distance

from attention_explain.modules.projections import jensen_shannon, total_variation


@pytest.fixture
def pairs() -> tuple:
    """Some of the weights are 0: in one of the two, and in both."""
    chance = numpy.random.default_rng(0)
    first, second = chance.dirichlet([0.3] * 7, size=(2, 20))
    first[:5, 2:4] = second[3:8, 3:6] = 0
    first /= first.sum(axis=1, keepdims=True)
    second /= second.sum(axis=1, keepdims=True)
    return first, second


def test_total_variation_is_half_the_city_block_distance(pairs):
    ours = total_variation(*map(torch.from_numpy, pairs))
    expected = [distance.cityblock(*pair) / 2 for pair in zip(*pairs)]
    assert ours.tolist() == pytest.approx(expected)
    certain = torch.tensor([[1.0, 0.0], [0.0, 1.0]])
    assert total_variation(*certain).item() == 1


def test_jensen_shannon_is_the_square_of_scipys_distance(pairs):
    ours = jensen_shannon(*map(torch.from_numpy, pairs))
    expected = [distance.jensenshannon(*pair) ** 2 for pair in zip(*pairs)]
    assert ours.tolist() == pytest.approx(expected)


def test_jensen_shannon_lies_between_0_and_log_2(pairs):
    first = torch.from_numpy(pairs[0])
    assert (jensen_shannon(first, first) == 0).all()
    assert (jensen_shannon(first.float(), (first + 1e-9).float()) >= 0).all()
    apart = jensen_shannon(torch.tensor([1.0, 0.0, 0.0]), torch.tensor([0.0, 0.5, 0.5]))
    assert apart.item() == pytest.approx(numpy.log(2))
