"""What a outcome rests on."""

import pandas

from analysis.claims.claim import judged
from analysis.claims.table_rows import Tables
from analysis.papers.discovery import CLAIMS
from tests.analysis.papers.claimed_rows import with_places
from tests.analysis.papers.jain_wallace.claim_cases import pairs


def test_a_place_is_told_with_what_it_comes_from():
    rows = with_places(pairs(0.3, 0.6), 0.75, 0.75, 0.75)
    found = judged(Tables({"jain-wallace-correlations": pandas.DataFrame(rows)}), CLAIMS)
    expected = "tau with gradient 0.300 of at most 0.400, place 0.750 [0.740, 0.760]; "
    assert found["evidence"][0].startswith(expected)
