"""What an outcome rests on."""

import pandas

from analysis.claims.claim import judge_claims
from analysis.claims.table_rows import Tables
from analysis.papers.discovery import CLAIMS
from tests.analysis.papers.jain_wallace.claim_cases import both, pairs


def judged_rows(rows):
    return judge_claims(Tables({"jain-wallace-correlations": pandas.DataFrame(rows)}), CLAIMS)


def test_a_scaled_value_is_reported_with_its_mean_and_ceiling():
    found = judged_rows(both(0.3, 0.75, 0.6)).set_index("name")["evidence"]
    assert found["weak-agreement"].startswith("tau with gradient 0.300 [0.290, 0.310]; ")
    expected = "tau with gradient norm 0.750 of at most 0.400, scaled 0.750 [0.740, 0.760]; "
    assert expected in found["weak-by-every-gradient"]


def test_what_one_gradient_keeps_the_other_may_break():
    found = judged_rows(both(0.3, 0.7, 0.6)).set_index("name")["outcome"]
    assert found["less-than-each-other"] == "holds"
    assert found["less-by-every-gradient"] == "does not hold"
    # Without the other there is nothing to correct by.
    assert "less-by-every-gradient" not in set(judged_rows(pairs(0.3, 0.6))["name"])
