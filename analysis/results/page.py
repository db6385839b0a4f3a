"""The page: what was run, which claims hold, what corrections change, and every table."""

from contextlib import suppress
from itertools import groupby
from pathlib import Path
from typing import Any, Dict, Iterator, List, Sequence
from urllib.parse import quote

import pandas

from analysis.claims import NAME as CLAIMS
from analysis.claims import NOTE
from analysis.formats import markdown, pipe_table
from analysis.manifest import title_of
from analysis.papers.discovery import PAPERS, find_claim
from analysis.results.outcomes import all_claims, by_corpus
from analysis.results.studies import StudyResults, find_studies, joined
from analysis.written import markdown_code, markdown_text
from command_line.durations import in_words
from durable.whole import write_whole

# Tables with something published beside it are shown, others and longer ones linked.
BESIDE = "published"
MOST_ROWS = 60
SHOWN = tuple(name for paper in PAPERS for name in paper.at_a_glance)
# A figure that shows the words of texts is not for publication with texts of others.
WITH_TEXTS = "heatmaps"

HEAD = """# Results

Made by `make results` from what the studies wrote, and by nothing else. Each table names the command that makes it again; `DATA` has
the layout of [docs/data.md](docs/data.md). Numbers in square brackets are 95 % intervals.
"""


def write_results(folders: Sequence[Path], output: Path) -> None:
    """Writes the page on the studies of these folders."""
    studies = find_studies(folders)
    write_whole(output, "\n".join(_lines(studies, output.parent)) + "\n")


def _lines(studies: Sequence[StudyResults], here: Path) -> Iterator[str]:
    yield HEAD
    yield "## What was run\n"
    yield from _runs(studies)
    yield "## The papers' claims\n"
    yield NOTE + "\n"
    yield from _claims(studies, here)
    yield "## What corrections change\n"
    yield from _corrections(studies)
    yield "## Tables and figures\n"
    for study in studies:
        yield from _study(study, here)


def _runs(studies: Sequence[StudyResults]) -> Iterator[str]:
    accounts: Dict[str, Dict[str, Any]] = {study.command: study.account for study in studies}
    rows = [
        {
            "study": account["title"],
            "corpora": ", ".join(account["corpora"]),
            "seeds": len(account["seeds"]),
            "texts explained": account["limit"] or "all",
            "models trained": account["runs"],
            "of one core": in_words(sum(account["seconds"].values())),
            "wall-clock": f"{in_words(account['elapsed'])} on {account['cores']} cores",
            "command": markdown_code(account["command"]),
        }
        for account in accounts.values()
    ]
    yield markdown(pandas.DataFrame(rows))
    machines = dict.fromkeys(map(_machine, accounts.values()))
    yield f"Machine: {markdown_text('; '.join(machines))}. Models that several studies share were trained once: "
    yield "`of one core` is what a study takes from nothing, `wall-clock` what was left to do for it.\n"
    recovered = sum(account["recovered"] for account in accounts.values())
    if recovered:
        yield f"{recovered} trainings were interrupted and went on from a checkpoint.\n"


def _machine(account: Dict[str, Any]) -> str:
    machine, gpus = account["machine"], account["gpus"]
    versions = ", ".join(f"{name} {number}" for name, number in account["versions"].items())
    return (
        f"{machine['cores']} cores of {machine['processor']}, {machine['memory']}, "
        f"{gpus or 'no'} GPU{'s' if gpus > 1 else ''}; Python {machine['python']}, {versions}"
    )


def _claims(studies: Sequence[StudyResults], here: Path) -> Iterator[str]:
    claims = all_claims(studies)
    if claims.empty:
        yield "No study has the numbers of any.\n"
        return
    judged = by_corpus(claims)
    yield from _at_a_glance(judged)
    for paper, rows in groupby(judged, key=lambda row: find_claim(row["name"]).paper):
        yield f"### {paper}\n"
        columns = ["claim", "corpus", "outcome", "the number it rests on"]
        yield pipe_table(columns, [_claim(row, here) for row in rows])


def _claim(row: Dict[str, Any], here: Path) -> List[str]:
    claim, lead = find_claim(row["name"]), row["lead"]
    rule = f"{claim.rule[:1].upper()}{claim.rule[1:]}"
    evidence = f"{lead['model']}, {lead['seeds']}: {lead['evidence']}"
    return [
        f"{markdown_text(claim.statement)} *{markdown_text(rule)}.*",
        markdown_text(row["corpus"]),
        row["outcome"],
        f"{markdown_text(evidence)} ([table]({_link(Path(row['table']), here)}))",
    ]


def _corrections(studies: Sequence[StudyResults]) -> Iterator[str]:
    """Of the latest paper first."""
    for paper in reversed(PAPERS):
        for correction in paper.corrections:
            rows = correction.table.rows(joined(studies, correction.table.name))
            yield from (f"{part}\n" for part in correction.told(rows))


def _at_a_glance(judged: Sequence[Dict[str, Any]]) -> Iterator[str]:
    """A row a claim, a column a corpus."""
    corpora = list(dict.fromkeys(row["corpus"] for row in judged))
    outcomes = {(row["name"], row["corpus"]): row["outcome"] for row in judged}
    rows = [
        [
            markdown_text(find_claim(name).paper),
            markdown_text(find_claim(name).statement),
            *(outcomes.get((name, corpus), "") for corpus in corpora),
        ]
        for name in dict.fromkeys(row["name"] for row in judged)
    ]
    yield pipe_table(["paper", "claim", *map(markdown_text, corpora)], rows)


def _study(study: StudyResults, here: Path) -> Iterator[str]:
    yield f"### {markdown_text(study.title)}\n"
    yield f"{markdown_code(study.command)}\n"
    for entry in study.entries:
        if entry["kind"] == "sentence":
            yield f"- {markdown_text(entry['caption'])}"
    yield ""
    for entry in study.entries:
        if entry["name"] == CLAIMS or WITH_TEXTS in entry["name"]:
            continue
        if entry["kind"] == "table":
            yield from _table(study, entry, here)
        elif entry["kind"] == "figure":
            shown = "!" if entry["name"].startswith(SHOWN) else ""
            link = _link(study.folder / entry["files"]["svg"], here)
            caption = markdown_text(entry["caption"])
            yield f"{shown}[{title_of(entry['name'])}]({link})\n\n*{caption}*\n"


def _table(study: StudyResults, entry: Dict[str, Any], here: Path) -> Iterator[str]:
    link = _link(study.folder / entry["files"]["csv"], here)
    command = markdown_code(study.command)
    yield f"**[{title_of(entry['name'])}]({link})** ({study.seeds}; {command}). "
    yield markdown_text(f"{entry['caption']} {entry['note']}") + "\n"
    rows = _rows(study.read(entry["files"]["md"]).decode())
    if BESIDE in rows[0] and len(rows) - 2 <= MOST_ROWS:
        yield "\n".join(rows) + "\n"
    else:
        readable = _link(study.folder / entry["files"]["md"], here)
        yield f"[{len(rows) - 2} rows]({readable}).\n"


def _rows(text: str) -> List[str]:
    return [line for line in text.split("\n") if line.startswith("|")]


def _link(path: Path, here: Path) -> str:
    with suppress(ValueError):
        path = path.resolve().relative_to(here.resolve())
    return quote(path.as_posix())
