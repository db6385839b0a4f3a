"""RESULTS.md, its summary in the README, and one page per study, from the folders of finished studies."""

from collections.abc import Iterator, Sequence
from pathlib import Path

import pandas

from analysis.claims.claim import BEYOND, OWN_SCOPE, ClaimTest
from analysis.claims.multiplicity import DEPENDENCE
from analysis.claims.printed import INCONCLUSIVE, PAPER, RELEASED_CODE, RERUN, SECONDARY, YES
from analysis.errors import AnalysisError
from analysis.figure_files import rounded, saved
from analysis.formats import pipe_table
from analysis.results import other_ways, verdicts, words
from analysis.results.answer import (
    DRAWN,
    ON_SST,
    PLANTED,
    answer_figure,
    answer_sentences,
    answer_sheet,
    counts_sheet,
)
from analysis.results.cited import Page, Row, Sheet, numbers_table
from analysis.results.claims_table import PAGE, ClaimSheets, claims_page, claims_table, drawings
from analysis.results.studies import StudyResults, find_studies
from analysis.results.study_page import machines, study_page
from analysis.results.summary import (
    EACH,
    TOGETHER,
    in_print_sheet,
    judge_again,
    multiplicity_sheet,
    outcomes_sheet,
    projection_sheet,
    reproduced_sheet,
    studies_sheet,
    tally_sheet,
)
from analysis.results.verdicts import (
    MEASURES,
    VERDICT,
    how_often_right,
    verdict_counts_sheet,
    verdicts_sheet,
)
from analysis.results.words import corpus_name
from analysis.written import NONE, markdown_text
from attention_explain.files.atomic import write_atomic

# Between these a README says what was found.
BEGIN = "<!-- what we found: made by `make results` -->"
END = "<!-- end of what we found -->"
NUMBERS = "results/numbers.csv"
MOST_DIFFERENCES = 3
LEAST_HOURS = 0.005
STUDIES_PAGE = "results/README.md"
MACHINE = "Machine: {}."
WHERE_PRINTED = {
    PAPER: "numbers of the papers",
    RELEASED_CODE: "of released code",
    RERUN: "of reproductions by others",
    SECONDARY: "of notes on papers",
}
SHORT_TESTS = {ClaimTest.AUTHORS.value: "as tested", ClaimTest.CORRECTED.value: "after correction"}


class Summary:
    """All tables that the page is made of."""

    def __init__(self, studies: Sequence[StudyResults]) -> None:
        self.studies = studies
        self.run = studies_sheet(studies)
        self.claims, self.printed = judge_again(studies)
        self.outcomes = outcomes_sheet(self.claims)
        self.in_print = in_print_sheet()
        self.projection = projection_sheet(self.claims, self.run)
        self.tally = tally_sheet(self.claims)
        self.reproduced = reproduced_sheet(self.printed)
        self.multiplicity = multiplicity_sheet(self.claims)
        self.verdict_counts = verdict_counts_sheet(studies)
        self.verdicts = verdicts_sheet(studies)
        self.answer = answer_sheet(studies)
        self.answer_counts = counts_sheet(self.answer)
        self.drawings = drawings(studies)

    @property
    def of_claims(self) -> ClaimSheets:
        """Those that the tables of claims are made of."""
        return ClaimSheets(self.claims, self.outcomes, self.in_print, self.printed)

    @property
    def sheets(self) -> list[Sheet]:
        every = [value for value in vars(self).values() if isinstance(value, Sheet)]
        every += [drawing.sheet for drawing in self.drawings]
        return [sheet for sheet in every if len(sheet.table)]

    def of_studies(self, table: str) -> list[Sheet]:
        """That of each study that has it."""
        sheets = []
        for study in self.studies:
            rows = study.table(table)
            if len(rows):
                below = f"{study.folder.name}/" if study.below else ""
                sheets.append(Sheet(f"results/{study.name}/{below}{table}.csv", rows))
        return sheets


def write_results(folders: Sequence[Path], output: Path, readme: Path | None = None) -> None:
    """Write the page, a page per study, the tables over all studies, and the README's section."""
    root = output.parent
    for folder in folders:
        if folder.resolve().parent != (root / "results").resolve():
            raise AnalysisError(
                f"{folder}: is not in {root / 'results'}; the page links to studies next to it"
            )
    studies = find_studies(folders)
    summary = Summary(studies)
    numbers = []
    page = Page(output.name, "\n".join(_lines(summary)) + "\n")
    others = [
        Page(name, "\n".join(lines) + "\n")
        for name, lines in (
            (PAGE, claims_page(summary.of_claims)),
            (STUDIES_PAGE, _studies(summary)),
        )
    ]
    numbers += [row for each in (page, *others) for row in each.numbers()]
    for each in others:
        write_atomic(root / each.name, each.text)
    for sheet in summary.sheets:
        sheet.write(root)
    for file, drawn in (
        (DRAWN, answer_figure(summary.answer)),
        *((drawing.file, drawing.figure) for drawing in summary.drawings),
    ):
        if drawn is not None:
            write_atomic(root / file, rounded(saved(drawn, "svg")))
    for study in (study for study in studies if not study.below):
        inner = [each for each in studies if each.below and each.name == study.name]
        text = study_page(study, inner, summary.claims.table, summary.printed.table)
        write_atomic(study.folder / "README.md", text)
    if readme is not None:
        numbers += _write_section(readme, Page(readme.name, "\n".join(_found(summary)) + "\n"))
    Sheet(NUMBERS, numbers_table(numbers)).write(root)
    write_atomic(output, page.text)


def _write_section(readme: Path, section: Page) -> list[dict]:
    text = readme.read_text(encoding="utf-8")
    before, begin, rest = text.partition(f"{BEGIN}\n")
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise AnalysisError(f"{readme}: has no lines '{BEGIN}' and '{END}' to write between")
    write_atomic(readme, f"{before}{begin}{section.text}{end}{after}")
    return section.numbers(before.count("\n") + 2)


def _lines(summary: Summary) -> Iterator[str]:
    yield words.HEAD
    yield "## The answer\n"
    yield from _answer(summary)
    otherwise = list(other_ways.sentences(summary.of_studies))
    if otherwise:
        yield "### Other evidence\n"
        yield "\n".join(f"- {sentence}" for sentence in otherwise) + "\n"
    of_models = list(verdicts.models_verdicts(summary.of_studies(verdicts.TABLE)))
    if of_models:
        yield "## The verdict on each model\n"
        yield from of_models
    yield "## What was run\n"
    yield from _run_in_short(summary)
    yield "## The papers' claims\n"
    yield words.CLAIMS + "\n"
    yield from claims_table(summary.of_claims)
    for drawing in summary.drawings:
        yield from drawing.lines()
    yield "## Where we differ from print\n"
    yield from _differences(summary)
    yield "## How often the verdict is right\n"
    yield from _verdicts(summary)
    yield "## Methods\n"
    yield words.METHODS.rstrip("\n")
    yield from _multiplicity(summary)
    yield "## More\n"
    yield words.LINKS.rstrip("\n")


def _not_run(study: str) -> str:
    return words.NOT_RUN.format(study=study, what=words.WOULD_SAY[study])


def _answer(summary: Summary) -> Iterator[str]:
    missing = {PLANTED: _not_run("planted_truth"), ON_SST: _not_run("faithfulness")}
    for sentence in answer_sentences(summary.answer, summary.answer_counts, missing):
        yield f"{sentence}\n"
    yield from verdicts.where_decided(summary.of_studies(verdicts.TABLE))
    yield from _counted(summary)
    if len(summary.answer.table):
        yield f"![How often methods rank a known cause first, and their faithfulness scores on SST]({DRAWN})\n"
        yield words.FIGURE + "\n"


def _counted(summary: Summary) -> Iterator[str]:
    judged = [row for row in summary.tally.where(counted=EACH) if row["claims"]]
    if not judged:
        yield "No study has the numbers of a claim.\n"
        return
    told = [
        f"{row.whole('claims')} claims {TALLIED[row['test'], row['scope']]}, {row.whole('hold')} hold in every decided case, "
        f"{row.whole('fail')} fail in every one, {row.whole('mixed')} vary with corpus or model, and {row.whole('inconclusive')} are inconclusive"
        for row in judged
        if (row["test"], row["scope"]) in TALLIED
    ]
    yield f"Of {'. Of '.join(told)}.\n"


TALLIED = {
    (ClaimTest.AUTHORS.value, OWN_SCOPE): "of the papers, on their own corpora and models",
    (ClaimTest.AUTHORS.value, BEYOND): "tested beyond these",
    (ClaimTest.CORRECTED.value, OWN_SCOPE): "after correction of a measure",
}


def _run_in_short(summary: Summary) -> Iterator[str]:
    """How much was run, and where it is listed."""
    yield f"{words.RUN_IN_SHORT} {MACHINE.format(_machines(summary))}"
    yield from _lacking(summary)
    yield ""


def _machines(summary: Summary) -> str:
    return markdown_text("; ".join(machines(summary.studies)))


def _studies(summary: Summary) -> Iterator[str]:
    """The page of all studies."""
    yield "# What was run\n"
    yield from _runs(summary)
    yield "## Deviations from the papers\n"
    yield words.DEVIATIONS
    if len(summary.projection.table):
        yield words.MORE_SEEDS
        columns = list(summary.projection.table.columns)
        studies: dict[str, Row] = {}
        for row in summary.projection:
            studies.setdefault(row["study"], row)
        yield pipe_table(
            columns,
            [
                [
                    markdown_text(row["study"]),
                    *(row.whole(name) for name in columns[1:5]),
                    *(row.number(name, 2) for name in columns[5:]),
                ]
                for row in studies.values()
            ],
            ["---", *["---:"] * 6],
        )


def _runs(summary: Summary) -> Iterator[str]:
    columns = ["study", "corpora", "seeds", "texts", "models", "core hours", "wall-clock hours"]
    rows = []
    for row in summary.run:
        mark = " *" if row["earlier version"] else ""
        corpora = ", ".join(corpus_name(each) for each in row["corpora"].split(", "))
        rows.append(
            [
                f"[{markdown_text(row['study'])}]({row['folder']}){mark}",
                markdown_text(corpora),
                row.whole("seeds"),
                "all" if pandas.isna(row["texts"]) else row.whole("texts"),
                row.whole("models"),
                _hours(row, "core hours"),
                _hours(row, "hours"),
            ]
        )
    yield pipe_table(columns, rows, ["---", "---", *["---:"] * 5])
    yield f"{words.RUN} {MACHINE.format(_machines(summary))}"
    if any(row["earlier version"] for row in summary.run):
        yield words.EARLIER
    yield ""


def _lacking(summary: Summary) -> Iterator[str]:
    """Studies that were not run."""
    lacking = [
        f"`{study}` ({said})"
        for study, said in words.WOULD_SAY.items()
        if not any(row["folder"].startswith(study) for row in summary.run)
    ]
    if lacking:
        yield words.NONE_OF.format(studies="; ".join(lacking))


def _hours(row: Row, column: str) -> str:
    """A dash for less than a hundredth: nothing was left to do."""
    return row.number(column, 2) if row[column] >= LEAST_HOURS else NONE


def _differences(summary: Summary) -> Iterator[str]:
    if summary.printed.table.empty:
        yield "No study has a published number to compare with.\n"
        return
    yield f"{_reproduced(summary)}. {words.PRINT}\n"
    rows: list[list[str]] = []
    seen: set[tuple[str, ...]] = set()
    for row in summary.printed:
        key = (row["paper"], row["corpus"], row["model"])
        if row["reproduced"] in (YES, INCONCLUSIVE) or key in seen or len(rows) == MOST_DIFFERENCES:
            continue
        seen.add(key)
        rows.append(
            [
                markdown_text(f"{row['paper']}, {row['exhibit']}"),
                markdown_text(f"{corpus_name(row['corpus'])}, {row['model']}: {row['quantity']}"),
                row.number("published"),
                row.estimate(mean="ours"),
                row.signed("difference"),
            ]
        )
    yield pipe_table(
        ["paper", "number", "printed", "ours", "difference"], rows, ["---", "---", *["---:"] * 3]
    )


def _reproduced(summary: Summary) -> str:
    said = []
    for source, what in WHERE_PRINTED.items():
        for total in summary.reproduced.where(table="all", source=source):
            one = f"{total.whole('reproduced')} of {total.whole('printed')} {what}"
            inconclusive = (
                f" ({total.whole('inconclusive')} inconclusive)" if total["inconclusive"] else ""
            )
            said.append(one + inconclusive)
    return f"{' and '.join(said)} are reproduced"


def _verdicts(summary: Summary) -> Iterator[str]:
    if summary.verdicts.table.empty:
        yield f"{VERDICT} {_not_run('planted_truth')}\n"
        return
    yield from how_often_right(
        summary.verdict_counts, summary.verdicts, summary.of_studies(MEASURES)
    )


def _multiplicity(summary: Summary) -> Iterator[str]:
    (row,) = summary.multiplicity
    said = (
        f"- **Many outcomes**: {row.whole('judged')} were judged, {row.whole('decided')} decided. Each is wrong in at most 5 % of repetitions, so up to "
        f"{row.number('expected false', 1)} may be decided by chance."
    )
    if row["with p"]:
        said += (
            " With the false discovery rate held to 5 % (Benjamini & Hochberg), "
            f"{row.whole('remaining')} of {row.whole('with p')} remain decided.[^1] "
            + " ".join(map(_together, summary.tally.where(counted=TOGETHER, scope=OWN_SCOPE)))
        )
    yield f"{said}\n"
    if row["with p"]:
        yield (
            f"[^1]: {DEPENDENCE} For any dependence (Benjamini & Yekutieli), "
            f"{row.whole('remaining for any dependence')} remain.\n"
        )


def _together(row: Row) -> str:
    if not row["claims"]:
        return ""
    return (
        f"Of {row.whole('claims')} claims {SHORT_TESTS[row['test']]} then {row.whole('hold')} hold, {row.whole('fail')} fail, "
        f"{row.whole('mixed')} depend, and {row.whole('inconclusive')} are inconclusive."
    )


def _found(summary: Summary) -> Iterator[str]:
    """The README's section: the answer, as RESULTS.md has it, and what the verdict is worth."""
    yield ""
    yield from _answer(summary)
    for row in summary.verdicts:
        if row["about"] == "attention":
            yield (
                f"Where the [verdict](docs/how-to/verdict.md) decides and the truth is clear, it was wrong for {row.whole('wrong')} of {row.whole('clear')} trained models "
                f"({row.percent('share', 1)} [{row.percent('low', 1)}, {row.percent('high', 1)}]). Counting the ambiguous models as well, the verdict was wrong for "
                f"{row.whole('contradicted')} of {row.whole('decided')}.\n"
            )
    yield (
        f"{_reproduced(summary)}. [RESULTS.md](RESULTS.md) has every claim of the papers, where our numbers differ from the published ones, what was run, and how reliable it "
        "is.\n"
    )
