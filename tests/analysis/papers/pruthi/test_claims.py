"""What counts as deception."""

from tests.analysis.papers.claimed_rows import outcome
from tests.analysis.papers.pruthi.claim_cases import deception


def test_a_model_at_chance_uses_no_words_that_it_hides():
    assert outcome("at-a-cost-on-sst-wiki", deception(0.01, 0.45)) == "does not hold"


def test_a_model_that_never_attended_to_words_has_nothing_taken_away():
    rows = deception(0.01, 0.98, honest_mass=0.02)
    assert outcome("takes-attention-away", rows) == "does not hold"


def test_a_model_that_loses_nothing_at_all_loses_little():
    assert outcome("at-little-cost", deception(0.01, 0.99)) == "holds"


def test_pairs_of_one_seed_decide_where_there_are_three():
    honest, deceptive = deception(0.01, 0.97)
    wide = [{**row, "sd accuracy": 0.1} for row in (honest, deceptive)]
    assert outcome("at-little-cost", wide) == "inconclusive"
    paired = {"accuracy lost": 0.02, "sd accuracy lost": 0.001, "pairs": 3}
    assert outcome("at-little-cost", [wide[0], {**wide[1], **paired}]) == "holds"
