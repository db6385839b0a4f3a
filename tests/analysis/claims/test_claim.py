"""What makes a part of a claim hold, and what the parts make of the whole."""

import math

import pytest

from analysis.claims.claim import Judgement, Outcome, above, below, whole
from analysis.written import Estimate, average

HOLDS, PARTLY, FAILS, UNKNOWN, NOTHING = Outcome


@pytest.mark.parametrize(
    "low,high,bound,outcome",
    [(0.1, 0.3, 0, HOLDS), (-0.1, 0.3, 0, UNKNOWN), (-0.3, -0.1, 0, FAILS), (0.1, 0.3, 0.5, FAILS)],
)
def test_a_part_holds_if_the_whole_interval_is_on_its_side(low, high, bound, outcome):
    found = Estimate((low + high) / 2, low, high)
    assert above("tau", found, bound).outcome is outcome
    mirrored = {HOLDS: FAILS, FAILS: HOLDS, UNKNOWN: UNKNOWN}
    assert below("tau", found, bound).outcome is mirrored[outcome]


@pytest.mark.parametrize("half", [0, 0.01])
def test_a_difference_of_exactly_0_never_holds(half):
    same = Estimate(0.3, 0.3 - half, 0.3 + half).minus(Estimate(0.3, 0.3 - half, 0.3 + half))
    for part in (above("less", same, -0.1), below("less", same, 0.1)):
        assert part.outcome is UNKNOWN and part.words.endswith(", exactly 0")
    # It may well fail, and what is no difference may be 0.
    assert above("less", same, 0.1).outcome is FAILS
    assert below("mass", Estimate(0.0, 0.0, 0.0), 0.05).outcome is HOLDS


def test_where_there_is_nothing_to_judge_the_reason_is_the_evidence():
    found = Estimate(0.3, 0.2, 0.4, nothing="attention is uniform")
    parts = [above("tau", found), below("tau", found.minus(Estimate(0, 0, 0))), above("a", found)]
    assert {part.outcome for part in parts} == {NOTHING}
    assert average([Estimate(0, 0, 0), found]).nothing == "attention is uniform"
    assert Judgement("sst", "bilstm", tuple(parts)).evidence == "attention is uniform"
    assert whole([HOLDS, NOTHING, FAILS]) is NOTHING


def test_without_an_interval_nothing_can_be_told():
    found = Estimate(0.9, math.nan, math.nan)
    part = above("mass", found)
    assert part.outcome is UNKNOWN and part.words == "mass 0.900"


@pytest.mark.parametrize(
    "parts,outcome",
    [
        ([HOLDS, HOLDS], HOLDS),
        ([HOLDS, FAILS], PARTLY),
        ([HOLDS, UNKNOWN], PARTLY),
        ([FAILS, UNKNOWN], FAILS),
        ([UNKNOWN, UNKNOWN], UNKNOWN),
        ([FAILS], FAILS),
    ],
)
def test_the_whole_is_no_better_than_its_parts(parts, outcome):
    assert whole(parts) is outcome


def test_the_interval_of_a_difference_is_that_of_independent_numbers():
    less = Estimate(0.5, 0.2, 0.9).minus(Estimate(0.1, 0.06, 0.4))
    assert less.mean == pytest.approx(0.4)
    assert less.low == pytest.approx(0.4 - math.hypot(0.3, 0.3))
    assert less.high == pytest.approx(0.4 + math.hypot(0.4, 0.04))


def test_a_difference_on_the_same_texts_keeps_what_is_said_of_both():
    uniform = Estimate(0.5, 0.2, 0.9, nothing="attention is uniform")
    paired = Estimate(0.4, 0.39, 0.41, difference=True)
    less = Estimate(0.1, 0.06, 0.4).minus(uniform, paired)
    assert (less.mean, less.low, less.high) == (0.4, 0.39, 0.41)
    assert less.difference and less.nothing == "attention is uniform"


def test_numbers_are_told_without_what_they_all_have():
    assert str(Estimate(0.25, -0.125, 1.5)) == "0.250 [-0.125, 1.500]"
    assert average([Estimate(0, -1, 1), Estimate(1, 0, 4)]) == Estimate(0.5, -0.5, 2.5)
