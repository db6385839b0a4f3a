"""Orders of tokens: ties fall by chance, and chance belongs to the text."""

import numpy
import pytest

from attention_explain.passes import random_ranks, ranks, tied


def order(scores, by="signed", seed=0, instance_id="a"):
    return numpy.argsort(ranks(scores, by, seed, instance_id)).tolist()


def test_the_largest_score_comes_first_and_by_size_the_sign_does_not_count():
    scores = [0.1, -0.9, 0.5, 0.0]
    assert order(scores) == [2, 0, 3, 1]
    assert order(scores, by="size") == [1, 2, 0, 3]


def test_ties_are_broken_by_chance_and_not_by_position():
    scores = [0.0] * 30 + [1.0]
    drawn = {instance_id: order(scores, instance_id=instance_id) for instance_id in "abc"}
    assert all(positions[0] == 30 for positions in drawn.values())
    assert all(positions[1:] != sorted(positions[1:]) for positions in drawn.values())
    assert drawn["a"] != drawn["b"] != drawn["c"]
    assert order(scores, seed=1) != order(scores) == order(scores)


def test_each_of_equal_scores_is_first_as_often_as_another():
    first = [order([0.5, 0.5, 0.1], instance_id=str(number))[0] for number in range(400)]
    assert first.count(2) == 0 and 150 < first.count(0) < 250


@pytest.mark.parametrize(
    "scores, by, share",
    [
        ([0.1, 0.2, 0.3], "signed", 0.0),
        ([0.0, 0.0, 0.3, 0.0], "signed", 0.75),
        ([0.3, -0.3, 0.1, 0.2], "signed", 0.0),
        ([0.3, -0.3, 0.1, 0.2], "size", 0.5),
        ([0.4], "signed", 0.0),
    ],
)
def test_tied_is_the_share_of_tokens_that_share_their_score(scores, by, share):
    assert tied(scores, by) == share


def test_random_orders_are_orders_of_the_text_and_more_of_them_change_none():
    drawn = random_ranks(12, 5, 0, "a")
    assert all(sorted(positions) == list(range(12)) for positions in drawn.tolist())
    assert len({tuple(positions) for positions in drawn.tolist()}) == 5
    assert (random_ranks(12, 8, 0, "a")[:5] == drawn).all()
    assert (random_ranks(12, 5, 0, "b") != drawn).any()
