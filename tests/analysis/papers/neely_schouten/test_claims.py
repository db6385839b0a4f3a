"""Whether use decides, over models."""

from tests.analysis.papers.claimed_rows import outcome
from tests.analysis.papers.neely_schouten.claim_cases import usage


def test_models_that_give_nothing_to_judge_are_no_points_of_a_correlation():
    nothing = {"nothing to judge": "accuracy .5 is no better"}
    rows = [{**row, **(nothing if number < 2 else {})} for number, row in enumerate(usage(-1.0))]
    assert outcome("use-decides", rows) == "inconclusive"


def test_a_correlation_over_few_models_says_nothing():
    assert outcome("use-decides", usage(-1.0)[:4]) == "inconclusive"
