"""What a row says of a claim: nothing stronger than its outcomes."""

import math

import pandas
import pytest

from analysis.claims.claim import BEYOND, OWN_SCOPE
from analysis.papers.discovery import find_claim
from analysis.results.cited import Page, Sheet
from analysis.results.claims_table import ClaimSheets, claims_page, claims_table
from analysis.results.summary import in_print_sheet, whole_outcome

CLAIM = find_claim("hardly-needed")
HOLDS, FAILS = ("sst", "holds", 2), ("imdb", "does not hold", 1)
INCONCLUSIVE, NOTHING = ("agnews", "inconclusive", 1), ("20news_sports", "nothing to judge", 1)
STATED = "| On SST, 20 Newsgroups and AG News attention is hardly needed: uniform weights do about as well (Table 2). | yes, 3 of 3 | "


def line(outcomes, table=claims_table, claim=CLAIM, scope=OWN_SCOPE, number=math.nan):
    columns = ["name", "scope", "corpus", "outcome", "models"]
    rows = pandas.DataFrame([(claim.name, scope, *each) for each in outcomes], columns=columns)
    more = {"model": "bilstm", "number": number, "low": number - 0.1, "high": number + 0.1}
    claims = rows.assign(seeds=3, **more)
    sheets = ClaimSheets(
        Sheet("claims.csv", claims),
        Sheet("outcomes.csv", rows),
        in_print_sheet(),
        Sheet("beside-print.csv", pandas.DataFrame()),
    )
    text = Page("RESULTS.md", "".join(table(sheets))).text
    (found,) = [each for each in text.splitlines() if claim.statement[:-1] in each]
    return found


@pytest.mark.parametrize(
    ("outcomes", "cell"),
    [
        ([HOLDS], "**holds** SST (2)"),
        ([FAILS, HOLDS], "**mixed**: holds SST (2); fails IMDb"),
        # What inconclusive is no reason against it, and no reason to hide it.
        ([HOLDS, INCONCLUSIVE], "**holds** SST (2); inconclusive AG"),
        ([FAILS, INCONCLUSIVE], "**fails** IMDb; inconclusive AG"),
        ([INCONCLUSIVE], "**inconclusive** AG"),
        ([HOLDS, NOTHING], "**holds** SST (2)"),
        ([NOTHING], "**nothing to judge** 20NG"),
        ([("agnews", "holds", 1), HOLDS], "**holds** SST (2), AG"),
        ([], "not run"),
    ],
)
def test_a_cell_says_where_a_claim_holds_and_fails(outcomes, cell):
    assert line(outcomes) == f"{STATED}{cell} | - |"


def test_what_the_paper_does_not_have_stands_apart():
    assert line([HOLDS], scope=BEYOND) == f"{STATED}not run | **holds** SST (2) |"


def test_the_number_that_decides_stands_with_its_interval_and_seeds():
    assert "**holds** SST (2); SST 0.200 [0.100, 0.300]" in line([HOLDS], number=0.2)
    assert "SST 0.200 [0.100, 0.300] (bilstm, n 3; holds)" in line([HOLDS], claims_page, number=0.2)


def test_text_and_table_that_contradict_each_other_are_said_to():
    found = line([], claim=find_claim("importance-sparser"))
    assert "yes, 6 of 6; the text says that entropy increases" in found


@pytest.mark.parametrize(
    "hold,fail,most,outcome",
    [
        (3, 0, False, "holds"),
        (3, 1, False, "mixed"),
        (3, 1, True, "holds"),
        (1, 3, True, "does not hold"),
        (2, 2, True, "mixed"),
        (0, 0, True, "inconclusive"),
    ],
)
def test_a_claim_about_most_models_is_decided_by_most(hold, fail, most, outcome):
    assert whole_outcome(hold, fail, most) == outcome
