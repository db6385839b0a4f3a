"""What adversaries lose, and which of them tell."""

import pytest

from tests.analysis.papers.claimed_rows import adversary, near, outcome
from tests.analysis.papers.meister.claim_cases import BASE


def test_accuracy_is_lost_on_the_same_texts():
    (row,) = adversary(0.6, accuracy=0.7, frozen=True)
    row |= {"accuracy low": 0.0, "accuracy high": 1.0}
    assert outcome("frozen-adversary", [row], **BASE) == "inconclusive"
    assert (
        outcome("frozen-adversary", [{**row, **near(0.12, "accuracy lost", "")}], **BASE) == "holds"
    )


@pytest.mark.parametrize(
    ("name", "frozen"), [("free-adversary", False), ("frozen-adversary", True)]
)
def test_adversaries_that_stop_short_and_have_lost_nothing_tell_nothing(name, frozen):
    assert outcome(name, adversary(0.02, 0.04, 0.82, frozen), **BASE) == "inconclusive"
    # What has paid and is not far has failed.
    assert outcome(name, adversary(0.02, 0.04, 0.7, frozen), **BASE) == "does not hold"


def test_what_too_large_a_lambda_costs_is_not_what_being_far_costs():
    far, further = adversary(0.5, accuracy=0.825), adversary(0.65, accuracy=0.6)
    assert outcome("free-adversary", further, **BASE) == "does not hold"
    assert outcome("free-adversary", [*further, *far], **BASE) == "holds"


def test_of_one_seed_an_adversary_shows_the_curve_and_decides_nothing():
    (alone,) = adversary(0.4, accuracy=0.825)
    several = {**adversary(0.5, accuracy=0.6)[0], "seeds": 3}
    assert outcome("free-adversary", [{**alone, "seeds": 1}, several], **BASE) == "does not hold"
