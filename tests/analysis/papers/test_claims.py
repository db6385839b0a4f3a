"""Each claim is kept by numbers that keep it, and broken by numbers that break it."""

from dataclasses import replace

import pandas
import pytest

from analysis.claims.claim import ClaimTest, judge_claims
from analysis.claims.table_rows import TypedTable, read_tables
from analysis.errors import AnalysisError
from analysis.papers.discovery import CLAIMS, TABLES, find_claim
from analysis.papers.shared.agreement import AgreementRow, DifferenceRow, subtract
from tests.analysis.papers.bastings_filippova.claim_cases import agreement
from tests.analysis.papers.claimed_rows import all_cases, near, outcome, wide, with_scaled
from tests.analysis.papers.jain_wallace.claim_cases import pairs

CASES = {name: case for paper in all_cases() for name, case in paper.CASES.items()}
OTHER_TABLES = {
    name: tables
    for paper in all_cases()
    for name, tables in getattr(paper, "OTHER_TABLES", {}).items()
}


@pytest.mark.parametrize("name", [claim.name for claim in CLAIMS])
def test_numbers_keep_or_break_a_claim(name):
    kept, broken = CASES[name]
    assert outcome(name, kept, **OTHER_TABLES.get(name, {})) == "holds"
    assert outcome(name, broken, **OTHER_TABLES.get(name, {})) == "does not hold"


@pytest.mark.parametrize(
    "name,column",
    [
        ("not-the-best-order", "attention less"),
        ("beyond-seeds", "beyond seeds"),
    ],
)
def test_a_difference_on_the_same_texts_is_taken_where_the_table_has_one(name, column):
    rows = wide(CASES[name][0])
    assert outcome(name, rows, **OTHER_TABLES.get(name, {})) == "inconclusive"
    assert outcome(name, [{**row, **near(0.1, column, "")} for row in rows]) == "holds"
    broken = [{**row, **near(-0.1, column, "")} for row in rows]
    assert outcome(name, broken, **OTHER_TABLES.get(name, {})) == "does not hold"


def test_names_are_unlike_each_other():
    assert len({claim.name for claim in CLAIMS}) == len(CLAIMS) == len(CASES)


def test_each_claim_says_what_would_break_it_and_which_it_corrects():
    by_name = {claim.name: claim for claim in CLAIMS}
    for claim in CLAIMS:
        assert claim.fails_if and claim.fails_if != claim.rule
        if claim.corrects:
            corrected = by_name[claim.corrects]
            assert claim.test is ClaimTest.CORRECTED and corrected.test is ClaimTest.AUTHORS
            assert claim.paper == corrected.paper
    corrections = [claim.corrects for claim in CLAIMS if claim.corrects]
    assert len(corrections) == len(set(corrections))


@pytest.mark.parametrize(
    "name,rows",
    [
        ("attention-stands-apart", with_scaled(agreement(0.3, 0.6), 0.9, 0.9, 0.7, 0.0)),
    ],
)
def test_scaled_values_can_break_a_claim_that_means_keep(name, rows):
    assert outcome(name, rows, **OTHER_TABLES.get(name, {})) == "does not hold"
    means = [{column: row[column] for column in row if "scaled" not in column} for row in rows]
    assert outcome(name, means) == "holds"


@pytest.mark.parametrize("name", [claim.name for claim in CLAIMS])
def test_a_model_that_gives_nothing_to_judge_is_not_judged(name):
    rows = [{**row, "nothing to judge": "accuracy .5 is no better"} for row in CASES[name][0]]
    if find_claim(name).paper != "Pruthi et al. 2020":
        assert outcome(name, rows, **OTHER_TABLES.get(name, {})) == "nothing to judge"
    # A csv has NaN where there is no reason.
    rows = [{**row, "nothing to judge": float("nan")} for row in CASES[name][0]]
    assert outcome(name, rows, **OTHER_TABLES.get(name, {})) == "holds"


@pytest.mark.parametrize("way", [1, -1])
def test_a_paired_difference_keeps_the_reason_of_its_models(way):
    names = {"corpus": "sst", "measure": "kendall", "first": "attention"}
    row, other = (
        {**names, "model": model, "second": "lrp", **near(mean)}
        for model, mean in (("soft", 0.3), ("sparse", 0.2))
    )
    found = {"corpus": "sst", "measure": "kendall", **near(0.1 * way, "difference", "")}
    for side, model in zip(("first", "second"), ("soft", "sparse")[::way]):
        found |= {f"{side} model": model, f"{side} pair": "attention : lrp"}
    agreements = TypedTable("agreement", AgreementRow)
    row, other = agreements.rows(pandas.DataFrame([row, other]))
    compared = TypedTable("differences", DifferenceRow).rows(pandas.DataFrame([found]))
    less = subtract(compared, row, other)
    assert (less.mean, less.difference, less.nothing) == (pytest.approx(0.1), True, "")
    assert (less.low, less.high) == (pytest.approx(0.09), pytest.approx(0.11))
    uniform = replace(other, mean=replace(other.mean, nothing="attention is uniform"))
    assert subtract(compared, row, uniform).nothing == "attention is uniform"


def test_claims_without_tables_are_not_judged(tmp_path):
    assert judge_claims(read_tables(tmp_path, TABLES), CLAIMS).empty
    pandas.DataFrame(pairs(0.3, 0.6)).to_csv(tmp_path / "jain-wallace-correlations.csv")
    found = judge_claims(read_tables(tmp_path, TABLES), CLAIMS)
    assert list(found["name"]) == ["weak-agreement", "less-than-each-other"]
    assert found["evidence"][0].startswith("tau with gradient 0.300 [0.290, 0.310]; ")


def test_an_empty_file_is_named(tmp_path):
    (tmp_path / "jain-wallace-correlations.csv").touch()
    with pytest.raises(AnalysisError, match="jain-wallace-correlations.csv: cannot be read"):
        read_tables(tmp_path, TABLES)
