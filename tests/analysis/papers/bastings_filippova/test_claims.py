"""Attention beside saliency methods."""

import pandas

from analysis.claims.table_rows import Tables
from analysis.papers.discovery import find_claim
from tests.analysis.papers.bastings_filippova.claim_cases import agreement
from tests.analysis.papers.claimed_rows import near, outcome, wide


def test_attention_stands_apart_on_the_same_texts():
    rows = wide(agreement(0.3, 0.6))
    assert outcome("attention-stands-apart", rows) == "cannot be told"
    apart = {"corpus": "sst", "model": "bilstm", "measure": "kendall"}
    tables = {
        "agreement": pandas.DataFrame(rows),
        "agreement-apart": pandas.DataFrame([{**apart, **near(0.3, "others less attention", "")}]),
    }
    (judgement,) = find_claim("attention-stands-apart").judge(Tables(tables))
    assert judgement.outcome.value == "holds"
    # What is said of the model is said in the table of agreements.
    tables["agreement"]["nothing to judge"] = "attention is uniform"
    (judgement,) = find_claim("attention-stands-apart").judge(Tables(tables))
    assert judgement.outcome.value == "nothing to judge"


def test_pairs_compared_by_signs_are_not_held_against_attention_which_has_none():
    rows = agreement(0.3, 0.2)
    signed = {**rows[2], "second": "deeplift", **near(0.9), "compared": "signed scores"}
    assert outcome("attention-stands-apart", [*rows, signed]) == "does not hold"
    # Unless there are no others.
    assert outcome("attention-stands-apart", [*rows[:2], signed]) == "holds"
