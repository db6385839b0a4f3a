"""What a cell says of a claim: nothing stronger than its outcomes."""

import pandas
import pytest

from analysis.papers.discovery import find_claim
from analysis.results.cited import Page, Sheet
from analysis.results.claims_table import claims_table

CLAIM = find_claim("hardly-needed")
HOLDS, FAILS = ("sst", "holds", 2), ("imdb", "does not hold", 1)
INCONCLUSIVE, NOTHING = ("agnews", "inconclusive", 1), ("20news_sports", "nothing to judge", 1)


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
    columns = ["name", "corpus", "outcome", "models"]
    rows = pandas.DataFrame([(CLAIM.name, *each) for each in outcomes], columns=columns)
    printed = pandas.DataFrame([], columns=["source", "table", "printed", "reproduced"])
    table = claims_table(Sheet("outcomes.csv", rows), Sheet("reproduced.csv", printed))
    text = Page("RESULTS.md", "".join(table)).text
    (line,) = [line for line in text.splitlines() if CLAIM.statement in line]
    assert line == f"| {CLAIM.statement} | - | {cell} | - |"
