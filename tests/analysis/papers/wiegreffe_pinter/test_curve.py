"""Adversaries are compared with others at the same distance of attention."""

import pandas
import pytest

from analysis.claims.table_rows import Tables
from analysis.papers.discovery import find_claim
from analysis.papers.wiegreffe_pinter.claims import curves, tvd_at
from tests.analysis.papers.claimed_rows import adversary, outcome
from tests.analysis.papers.wiegreffe_pinter.claim_cases import curve, reference_rows

ADVERSARIES, REFERENCES = "wiegreffe-pinter-table-5", "wiegreffe-pinter-beside"


def read(rows):
    return list(curves(Tables({ADVERSARIES: pandas.DataFrame(rows)})))


def test_outputs_are_read_off_the_line_between_two_adversaries():
    (steps,) = read([*curve(0.06, 0.08, 0.1), *adversary(0.2, 0.5, frozen=True)][::-1])
    assert [row.jsd.mean for row in steps] == [0.1, 0.3, 0.5]
    at = tvd_at(steps, 0.35)
    # By hand: .08 plus a quarter of the distance to .1.
    assert (at.mean, at.low, at.high) == pytest.approx((0.085, 0.075, 0.095))
    assert tvd_at(steps, 0.5).mean == pytest.approx(0.1)
    assert tvd_at(steps, 0.51) is None and tvd_at(steps, 0.09) is None


def test_adversaries_of_one_lambda_and_several_bases_are_one_point():
    (steps,) = read([*adversary(0.6, 0.1), {**adversary(0.4, 0.2)[0], "lambda": 0.006}])
    (row,) = steps
    assert (row.jsd.mean, row.tvd.mean) == pytest.approx((0.5, 0.15))


def test_single_adversaries_are_no_part_of_a_curve_of_several_seeds():
    several = [{**row, "seeds": 3} for row in curve(0.06, 0.08, 0.1)]
    single = [{**adversary(0.2, 0.01)[0], "seeds": 1}]
    (steps,) = read([*several, *single])
    assert [row.jsd.mean for row in steps] == [0.1, 0.3, 0.5]
    # Where there are no others, they are all there is.
    (steps,) = read(single)
    assert [row.jsd.mean for row in steps] == [0.2]


def test_outside_the_curve_the_claim_is_inconclusive():
    name = "less-than-instances"
    far = {REFERENCES: reference_rows("adversary for each text", 0.6, 0.05)}
    assert outcome(name, curve(0.06, 0.08, 0.1), **far) == "inconclusive"
    (judgement,) = find_claim(name).judge(
        Tables(
            {ADVERSARIES: pandas.DataFrame(curve(0.06, 0.08, 0.1))}
            | {REFERENCES: pandas.DataFrame(far[REFERENCES])}
        )
    )
    assert judgement.evidence == "at a JSD of 0.600 TVD: the curve has 0.100 to 0.500"


def test_what_the_paper_does_not_say_of_a_corpus_is_beyond_it():
    claim = find_claim("hardly-needed")
    assert claim.scope.covers("sst", "bilstm tanh softmax")
    assert not claim.scope.covers("imdb", "bilstm tanh softmax")
