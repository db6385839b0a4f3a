"""
The table of claims: is the number reproduced, does the claim hold as tested, and after correction? And the figures over
all studies that papers declare.
"""

from collections.abc import Iterator, Sequence

from matplotlib.figure import Figure

from analysis.claims.claim import Claim, ClaimTest, Outcome
from analysis.claims.printed import PAPER
from analysis.formats import pipe_table
from analysis.papers.discovery import CLAIMS, PAPERS
from analysis.papers.shared.paper import OverStudies
from analysis.results.cited import Row, Sheet
from analysis.results.studies import StudyResults, joined
from analysis.results.words import corpus_in_short, corpus_name, corpus_position
from analysis.written import markdown_text


class Drawing:
    """
    A figure of all studies, and the rows that it shows.

    declared : by its paper.
    figure : None if there is nothing to see.
    """

    def __init__(self, declared: OverStudies, studies: Sequence[StudyResults]) -> None:
        self.declared = declared
        rows = joined(studies, declared.table)
        self.sheet = Sheet(self._file("csv"), declared.once(rows) if len(rows) else rows)
        self.figure = self._drawn()

    @property
    def file(self) -> str:
        return self._file("svg")

    def lines(self) -> Iterator[str]:
        """For the page."""
        if self.figure is not None:
            yield f"![{self.declared.shown}]({self.file})\n"
            yield self.declared.caption.format(rows=self.sheet.file) + "\n"

    def _file(self, ending: str) -> str:
        return f"results/{self.declared.name}.{ending}"

    def _drawn(self) -> Figure | None:
        table = self.sheet.table
        if table.empty:
            return None
        return self.declared.drawn(table.assign(corpus=table["corpus"].map(corpus_name)))


def drawings(studies: Sequence[StudyResults]) -> list[Drawing]:
    return [Drawing(each, studies) for paper in PAPERS for each in paper.over_studies]


SHORT = {
    Outcome.HOLDS: "holds",
    Outcome.FAILS: "fails",
    Outcome.UNKNOWN: "inconclusive",
    Outcome.NOTHING: "nothing to judge",
}
NOT_JUDGED, NONE = "not run", "-"
COLUMNS = ["claim", "number reproduced?", "as its authors tested it?", "after correction?"]


def claims_table(outcomes: Sheet, reproduced: Sheet) -> Iterator[str]:
    """Of all papers, under their names; claims that no study has numbers of are named, too."""
    by_paper: dict[str, list[Sequence[str]]] = {}
    for claim, corrections in _with_corrections():
        by_paper.setdefault(claim.paper, []).append(
            [
                markdown_text(claim.statement),
                _reproduced(claim, reproduced),
                _cell(claim, outcomes) if claim.test is ClaimTest.AUTHORS else NONE,
                "; ".join(_correction(one, claim, outcomes) for one in corrections) or NONE,
            ]
        )
    rows = []
    for paper, of_paper in by_paper.items():
        rows += [[f"**{markdown_text(paper)}**", "", "", ""], *of_paper]
    yield pipe_table(COLUMNS, rows)


def _with_corrections() -> list[tuple[Claim, list[Claim]]]:
    """What a correction is of stands in one row with it; one that is of nothing stands alone."""
    names = {claim.name for claim in CLAIMS if claim.test is ClaimTest.AUTHORS}
    rows = []
    for claim in CLAIMS:
        if claim.test is ClaimTest.AUTHORS:
            rows.append((claim, [one for one in CLAIMS if one.corrects == claim.name]))
        elif claim.corrects not in names:
            rows.append((claim, [claim]))
    return rows


def _correction(one: Claim, of: Claim, outcomes: Sheet) -> str:
    cell = _cell(one, outcomes)
    if one is of or one.statement == of.statement:
        return cell
    return f"{markdown_text(one.statement).rstrip('.')}: {cell}"


def _reproduced(claim: Claim, reproduced: Sheet) -> str:
    rows = reproduced.where(table=claim.table.name, source=PAPER)
    if not rows:
        return NONE
    return f"{rows[0].whole('reproduced')} of {rows[0].whole('printed')}"


def _cell(claim: Claim, outcomes: Sheet) -> str:
    """`**holds** SST (5), IMDb; inconclusive AG`, or `**mixed**: holds SST (3); fails IMDb`."""
    rows = outcomes.where(name=claim.name)
    came_out = [each for each in Outcome if any(row["outcome"] == each.value for row in rows)]
    judged = [each for each in came_out if each is not Outcome.NOTHING] or came_out
    if not judged:
        return NOT_JUDGED
    first, *others = (
        (SHORT[each], _corpora([row for row in rows if row["outcome"] == each.value]))
        for each in judged
    )
    rest = "".join(f"; {outcome} {corpora}" for outcome, corpora in others)
    if Outcome.HOLDS in judged and Outcome.FAILS in judged:
        return f"**mixed**: {first[0]} {first[1]}{rest}"
    return f"**{first[0]}** {first[1]}{rest}"


def _corpora(rows: Sequence[Row]) -> str:
    if len(rows) == 1 and "," in rows[0]["corpus"]:
        return "all corpora together"
    return ", ".join(
        markdown_text(corpus_in_short(row["corpus"]))
        + (f" ({row.whole('models')})" if row["models"] > 1 else "")
        for row in sorted(rows, key=lambda row: corpus_position(row["corpus"]))
    )
