"""What counts as deception."""

from tests.analysis.papers.claimed_rows import outcome
from tests.analysis.papers.pruthi.claim_cases import deception

NAME = "hides-what-it-uses"


def test_a_model_at_chance_does_not_deceive_though_nothing_is_lost():
    rows = [{**row, "accuracy": 0.48} for row in deception(0.01, 0.48)]
    assert outcome(NAME, rows) == "does not hold"
    # One that loses everything while it hides does not, either.
    assert outcome(NAME, deception(0.01, 0.5)) == "does not hold"


def test_only_the_way_of_training_that_dev_chose_is_judged():
    other = [{**row, "protocol": "other", "chosen": "no"} for row in deception(0.3, 0.6)]
    chosen = [{**row, "protocol": "a", "chosen": "yes"} for row in deception(0.01, 0.98)]
    assert outcome(NAME, [*other, *chosen]) == "holds"


def test_a_model_that_hides_and_loses_nothing_at_all_deceives():
    assert outcome(NAME, deception(0.01, 0.99)) == "holds"
