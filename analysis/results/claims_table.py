"""
The table of claims: does the claim hold in print, on the paper's own corpora and models, beyond them, and after
correction? And the figures over all studies that papers declare.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import pandas
from matplotlib.figure import Figure

from analysis.claims.claim import BEYOND, OWN_SCOPE, Claim, ClaimTest, Outcome
from analysis.formats import pipe_table
from analysis.papers.discovery import CLAIMS, PAPERS, PRINTED
from analysis.papers.shared.paper import OverStudies
from analysis.results import words
from analysis.results.cited import Row, Sheet
from analysis.results.studies import StudyResults, joined
from analysis.results.summary import MIXED, whole_outcome
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
COLUMNS = ["claim", "in print?", "ours", "beyond the paper, or after correction"]
FULL = ["claim", "in print", "ours", "outcome", "why different"]
PAGE = "results/claims.md"


@dataclass(frozen=True)
class ClaimSheets:
    """
    What a table of claims is made of.

    claims : all outcomes with their numbers.
    outcomes : how often each came out.
    in_print : what the papers' own numbers make of each claim.
    printed : the published numbers next to ours.
    """

    claims: Sheet
    outcomes: Sheet
    in_print: Sheet
    printed: Sheet


def claims_table(sheets: ClaimSheets) -> Iterator[str]:
    """Of all papers, under their names; claims that no study has numbers of are named, too."""
    yield pipe_table(COLUMNS, _by_paper(sheets, _short_row, len(COLUMNS)))


def claims_page(sheets: ClaimSheets) -> Iterator[str]:
    """Every claim with print, ours, outcome, and why ours differs."""
    yield words.CLAIMS_PAGE
    yield pipe_table(FULL, _by_paper(sheets, _full_row, len(FULL)))


def _by_paper(
    sheets: ClaimSheets,
    row: Callable[[Claim, list[Claim], ClaimSheets], list[str]],
    columns: int,
) -> list[Sequence[str]]:
    by_paper: dict[str, list[Sequence[str]]] = {}
    for claim, corrections in _with_corrections():
        by_paper.setdefault(claim.paper, []).append(row(claim, corrections, sheets))
    rows: list[Sequence[str]] = []
    for paper, of_paper in by_paper.items():
        rows += [[f"**{markdown_text(paper)}**", *[""] * (columns - 1)], *of_paper]
    return rows


def _short_row(claim: Claim, corrections: list[Claim], sheets: ClaimSheets) -> list[str]:
    own = _cell(claim, sheets.outcomes, OWN_SCOPE) or NOT_JUDGED
    number = _number(claim, sheets.claims)
    beyond = _cell(claim, sheets.outcomes, BEYOND)
    others = [beyond] if beyond else []
    others += [_correction(one, claim, sheets.outcomes) for one in corrections]
    return [
        _stated(claim),
        _in_print(claim, sheets.in_print),
        f"{own}; {number}" if number else own,
        "; ".join(others) or NONE,
    ]


def _full_row(claim: Claim, corrections: list[Claim], sheets: ClaimSheets) -> list[str]:
    own = [row for row in sheets.claims.where(name=claim.name) if row["scope"] == OWN_SCOPE]
    numbers = [_with_n(row) for row in own if not pandas.isna(row["number"])]
    said = [f"own scope: {_cell(claim, sheets.outcomes, OWN_SCOPE) or NOT_JUDGED}"]
    beyond = _cell(claim, sheets.outcomes, BEYOND)
    said += [f"{BEYOND}: {beyond}"] if beyond else []
    said += [f"corrected: {_correction(one, claim, sheets.outcomes)}" for one in corrections]
    return [
        f"{_stated(claim)} *{markdown_text(claim.rule)}*",
        _in_print(claim, sheets.in_print) + _in_print_beyond(claim, sheets.in_print),
        "; ".join(numbers) or NONE,
        "; ".join(said),
        markdown_text(_why(claim, sheets)) or NONE,
    ]


def _stated(claim: Claim) -> str:
    """`Attention agrees only modestly with gradients (Section 4.1, Table 2).`"""
    told = markdown_text(claim.statement)
    return f"{told.rstrip('.')} ({claim.reference})." if claim.reference else told


def _in_print(claim: Claim, in_print: Sheet) -> str:
    """`yes, 12 of 12`, or what there is in place of numbers; then how text and table contradict each other."""
    (row,) = in_print.where(name=claim.name)
    if not row["printed"]:
        return markdown_text(claim.in_print) or NONE
    said = SAID_IN_PRINT[whole_outcome(row["holds"], row["fails"], claim.most)]
    told = f"{said}, {row.whole('holds')} of {row.whole('printed')}"
    if row["rerun by others"]:
        told += f" (rerun: {row.whole('holds in rerun')} of {row.whole('rerun by others')})"
    return f"{told}; {markdown_text(claim.contradiction)}" if claim.contradiction else told


def _in_print_beyond(claim: Claim, in_print: Sheet) -> str:
    """What the paper prints for corpora and models that the claim is not about."""
    (row,) = in_print.where(name=claim.name)
    if not row["printed beyond"]:
        return ""
    return (
        f"; outside the claim's scope {row.whole('holds beyond')} of {row.whole('printed beyond')}"
    )


SAID_IN_PRINT = {
    Outcome.HOLDS: "yes",
    Outcome.FAILS: "no",
    MIXED: "mixed",
    Outcome.UNKNOWN: "inconclusive",
}


def _number(claim: Claim, claims: Sheet) -> str:
    """The number of the first corpus in the paper's scope that was judged: `SST 0.293 [0.260, 0.326]`."""
    own = [
        row
        for row in claims.where(name=claim.name, scope=OWN_SCOPE)
        if row["outcome"] != Outcome.NOTHING.value and not pandas.isna(row["number"])
    ]
    first = min(own, key=lambda row: corpus_position(row["corpus"]), default=None)
    return "" if first is None else _of_corpus(first)


def _of_corpus(row: Row) -> str:
    return f"{markdown_text(corpus_in_short(row['corpus']))} {row.estimate(mean='number')}"


def _with_n(row: Row) -> str:
    """The number with the model, and the seeds if they are known."""
    seeds = "" if pandas.isna(row["seeds"]) else f", n {row.whole('seeds')}"
    outcome = SHORT[Outcome(row["outcome"])]
    return f"{_of_corpus(row)} ({markdown_text(row['model'])}{seeds}; {outcome})"


def _why(claim: Claim, sheets: ClaimSheets) -> str:
    """What is known of differences from print: of the claim itself, or traced for a number of its table."""
    traced = [
        known.known.replace("\n", " ")
        for one in PRINTED
        if one.table == claim.table.name and one.paper == claim.paper
        for known in one.traced
    ]
    return "; ".join(dict.fromkeys(filter(None, [claim.why, *traced])))


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
    cell = _cell(one, outcomes, OWN_SCOPE) or _cell(one, outcomes, BEYOND) or NOT_JUDGED
    if one is of or one.statement == of.statement:
        return cell
    return f"{markdown_text(one.statement).rstrip('.')}: {cell}"


def _cell(claim: Claim, outcomes: Sheet, scope: str) -> str:
    """`**holds** SST (5), IMDb; inconclusive AG`, or `**mixed**: holds SST (3); fails IMDb`; empty if not judged."""
    rows = outcomes.where(name=claim.name, scope=scope)
    came_out = [each for each in Outcome if any(row["outcome"] == each.value for row in rows)]
    judged = [each for each in came_out if each is not Outcome.NOTHING] or came_out
    if not judged:
        return ""
    first, *others = (
        (SHORT[each], _corpora([row for row in rows if row["outcome"] == each.value]))
        for each in judged
    )
    rest = "".join(f"; {outcome} {corpora}" for outcome, corpora in others)
    if Outcome.HOLDS in judged and Outcome.FAILS in judged:
        hold, fail = (
            sum(row["models"] for row in rows if row["outcome"] == each.value)
            for each in (Outcome.HOLDS, Outcome.FAILS)
        )
        whole = whole_outcome(hold, fail, claim.most)
        told = MIXED if whole == MIXED else f"{SHORT[Outcome(whole)]} for most"
        return f"**{told}**: {first[0]} {first[1]}{rest}"
    return f"**{first[0]}** {first[1]}{rest}"


def _corpora(rows: Sequence[Row]) -> str:
    if len(rows) == 1 and "," in rows[0]["corpus"]:
        return "all corpora together"
    return ", ".join(
        markdown_text(corpus_in_short(row["corpus"]))
        + (f" ({row.whole('models')})" if row["models"] > 1 else "")
        for row in sorted(rows, key=lambda row: corpus_position(row["corpus"]))
    )
