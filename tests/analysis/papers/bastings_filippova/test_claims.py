"""Attention next to saliency methods."""

import pandas
import pytest

from analysis.claims.table_rows import Tables
from analysis.papers.discovery import find_claim
from tests.analysis.papers.bastings_filippova.claim_cases import agreement, faithful
from tests.analysis.papers.claimed_rows import near, outcome, wide


def test_attention_stands_apart_on_the_same_texts():
    rows = wide(agreement(0.3, 0.6))
    assert outcome("attention-stands-apart", rows) == "inconclusive"
    tables = {"agreement": pandas.DataFrame(rows), "agreement-apart": apart(2, 1)}
    (judgement,) = find_claim("attention-stands-apart").judge(Tables(tables))
    assert judgement.outcome.value == "holds"
    # What is said of the model is said in the table of agreements.
    tables["agreement"]["nothing to judge"] = "attention is uniform"
    (judgement,) = find_claim("attention-stands-apart").judge(Tables(tables))
    assert judgement.outcome.value == "nothing to judge"


def apart(of_attention: int, of_others: int) -> pandas.DataFrame:
    row = {"corpus": "sst", "model": "bilstm", "measure": "kendall"}
    pairs = {"pairs of attention": of_attention, "pairs of others": of_others}
    return pandas.DataFrame([{**row, **pairs, **near(0.3, "others less attention", "")}])


@pytest.mark.parametrize(
    "pairs, expected", [((2, 1), "holds"), ((2, 2), "inconclusive"), ((3, 1), "inconclusive")]
)
def test_a_difference_on_the_same_texts_is_taken_if_it_is_of_the_same_pairs(pairs, expected):
    rows = wide(agreement(0.3, 0.6))
    # Left out on both sides, so that it is no reason to judge without the texts.
    signed = {**rows[2], "second": "deeplift", "compared": "signed scores"}
    tables = {"agreement": pandas.DataFrame([*rows, signed]), "agreement-apart": apart(*pairs)}
    (judgement,) = find_claim("attention-stands-apart").judge(Tables(tables))
    assert judgement.outcome.value == expected


def test_signed_pairs_are_not_compared_with_unsigned_attention():
    rows = agreement(0.3, 0.2)
    signed = {**rows[2], "second": "deeplift", **near(0.9), "compared": "signed scores"}
    assert outcome("attention-stands-apart", [*rows, signed]) == "does not hold"
    # Where there are no others, nothing is judged.
    table = pandas.DataFrame([*rows[:2], signed])
    assert not list(find_claim("attention-stands-apart").judge(Tables({"agreement": table})))


def test_methods_that_are_one_count_once():
    rows = agreement(0.3, 0.2)
    twin = [
        {**rows[2], "first": "lrp", "second": "twin", **near(0.99)},
        {**rows[2], "first": "occlusion", "second": "twin", **near(0.2)},
        {**rows[0], "second": "twin"},
    ]
    assert outcome("attention-stands-apart", [*rows, *twin]) == "does not hold"


def test_one_family_that_attention_beats_is_enough_to_fail():
    rows = faithful(0.2)
    assert outcome("saliency-is-more-faithful", rows) == "holds"
    turned = [
        {**row, "first": "attention", "second": "lrp"} if row["first"] == "lrp" else row
        for row in rows
    ]
    assert outcome("saliency-is-more-faithful", turned) == "does not hold"


def test_a_sign_may_be_all_that_makes_saliency_more_faithful():
    """The norm of the gradient comes behind attention, and gradient x input far ahead of it."""
    about = {"corpus": "sst", "model": "bilstm", "role": "plain", "erasure": "delete"}
    rows = [
        {**about, "measure": measure, "first": first, "second": second}
        | near(0.1 if first == "attention" else 0.5, "", "difference")
        for measure in ("comprehensiveness", "sufficiency")
        for first, second in (
            ("attention", "gradient"),
            ("gradient-x-input", "attention"),
            ("lrp", "attention"),
            ("leave-one-out", "attention"),
        )
    ]
    assert outcome("saliency-is-more-faithful", rows) == "holds"
    assert outcome("without-sign-too", rows) == "does not hold"
