"""What adversaries have to reach before anything is said of them."""

import pytest

from tests.analysis.papers.claimed_rows import adversary, outcome


@pytest.mark.parametrize("name", ["trained-adversary", "trained-adversary-by-tvd"])
def test_adversaries_that_stop_short_with_outputs_still_near_tell_nothing(name):
    assert outcome(name, adversary(0.02, 0.04)) == "inconclusive"
    # What moves outputs before it gets far has failed.
    assert outcome(name, adversary(0.02, 0.3)) == "does not hold"
