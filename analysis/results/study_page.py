"""README.md of a study's folder: its command, what it took, what came out, every table and figure."""

from collections.abc import Iterator, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any

import pandas

from analysis.claims import NOTE
from analysis.claims.printed import YES
from analysis.formats import markdown, pipe_table
from analysis.manifest import CLAIMS, MANIFEST, WRITTEN, title_of
from analysis.papers.discovery import PAPERS
from analysis.results.studies import StudyResults
from analysis.results.words import link
from analysis.written import markdown_code, markdown_text
from attention_explain.messages import in_words

# Longer ones are linked.
MOST_ROWS = 40
# A figure that shows the words of texts is not for publication with texts of others.
WITH_TEXTS = "heatmaps"
MADE_BY_AN_EARLIER_VERSION = (
    "These tables and figures were made by an earlier version of the analysis. What stands under *The "
    "papers' claims* is judged again by the present rules, from these tables."
)


def study_page(
    study: StudyResults,
    inner: Sequence[StudyResults],
    claims: pandas.DataFrame,
    printed: pandas.DataFrame,
) -> str:
    """`inner` is what it has for each corpus; of `claims` and `printed` those of the study are shown."""
    return "\n".join(_lines(study, inner, claims, printed)) + "\n"


def machines(studies: Sequence[StudyResults]) -> list[str]:
    """Each once, with the versions that count; those that differ in nothing but the processor together."""
    alike: dict[str, list[dict[str, Any]]] = {}
    for study in studies:
        alike.setdefault(_machine(study.account, ""), []).append(study.account)
    return [
        _machine(accounts[0], " or ".join(dict.fromkeys(map(_processor, accounts))))
        for accounts in alike.values()
    ]


def _processor(account: dict[str, Any]) -> str:
    return account["machine"]["processor"]


def _machine(account: dict[str, Any], processor: str) -> str:
    machine, gpus = account["machine"], account["gpus"]
    versions = ", ".join(f"{name} {number}" for name, number in account["versions"].items())
    return (
        f"{machine['cores']} cores of {processor}, {machine['memory']}, "
        f"{gpus or 'no'} GPU{'s' if gpus > 1 else ''}; Python {machine['python']}, {versions}"
    )


def _lines(
    study: StudyResults,
    inner: Sequence[StudyResults],
    claims: pandas.DataFrame,
    printed: pandas.DataFrame,
) -> Iterator[str]:
    yield f"# {markdown_text(study.title)}\n"
    yield from _provenance(study, inner)
    if WRITTEN not in study.manifest:
        yield MADE_BY_AN_EARLIER_VERSION + "\n"
    said = [
        entry for each in (study, *inner) for entry in each.entries if entry["kind"] == "sentence"
    ]
    if said:
        yield "## Findings\n"
        yield from (f"- {markdown_text(entry['caption'])}" for entry in said)
        yield ""
    of_study = claims[claims["study"] == study.name]
    if len(of_study):
        yield f"## {CLAIMS}\n"
        yield from _claims(of_study)
    yield from _corrections(study)
    for each in (study, *inner):
        below = f"{each.folder.name}: " if each.below else ""
        shown = [
            entry
            for entry in each.entries
            if entry["kind"] in ("table", "figure")
            and entry["section"] != CLAIMS
            and WITH_TEXTS not in entry["name"]
        ]
        for section, entries in groupby(shown, key=lambda entry: entry["section"]):
            yield f"## {markdown_text(below + title_of(section))}\n"
            for entry in entries:
                yield from _entry(each, entry, study.folder)
    yield from _differences(printed[printed["study"] == study.name])


def _provenance(study: StudyResults, inner: Sequence[StudyResults]) -> Iterator[str]:
    account = study.account
    seconds = account["seconds"]
    recovered = account["recovered"]
    rows = [
        ("command", markdown_code(account["command"])),
        ("seeds", markdown_text(", ".join(map(str, account["seeds"])))),
        ("texts explained", str(account.get("limit") or "all of each test set")),
        (
            "models trained",
            f"{account['runs']}"
            + (
                f", {recovered} of them not recovered exactly after an interruption"
                if recovered
                else ""
            ),
        ),
        ("wall-clock", _wall_clock(account)),
        (
            "of one core",
            f"{in_words(sum(seconds.values()))}: "
            + ", ".join(f"{kind} {in_words(took)}" for kind, took in seconds.items() if took),
        ),
        ("machine", markdown_text(_machine(account, _processor(account)))),
        ("finished", markdown_text(account.get("finished", ""))),
        ("made from", _made_from(study, inner)),
    ]
    yield pipe_table(["", ""], rows)


def _made_from(study: StudyResults, inner: Sequence[StudyResults]) -> str:
    """Where tables are of one corpus each, all files are named in the folders of these."""
    listing = [each for each in (study, *inner) if (each.folder / MANIFEST).is_file()]
    names = [link(each.folder / MANIFEST, study.folder) for each in listing]
    files = sum(len(each.manifest["files"]) for each in listing)
    return f"{files} files, by hash in {', '.join(f'[{name}]({name})' for name in names)}"


def _wall_clock(account: dict[str, Any]) -> str:
    if not account["elapsed"]:
        return "all was there already, from other studies or an earlier start"
    return f"{in_words(account['elapsed'])} on {account['cores']} cores"


def _corrections(study: StudyResults) -> Iterator[str]:
    """What corrected measures and controls change in the papers' tables."""
    said = [
        part
        for paper in PAPERS
        for correction in paper.corrections
        for part in correction.told(correction.table.rows(study.table(correction.table.name)))
    ]
    if said:
        yield "## What corrections change\n"
        yield from (f"{part}\n" for part in said)


def _claims(claims: pandas.DataFrame) -> Iterator[str]:
    yield markdown_text(NOTE) + "\n"
    for paper, rows in claims.groupby("paper", sort=False):
        yield f"### {markdown_text(paper)}\n"
        yield pipe_table(
            [
                "claim",
                "tested",
                "corpus, model",
                "in print",
                "outcome",
                "evidence",
                "it would fail if",
            ],
            [
                [
                    f"{markdown_text(row['claim'])} *{markdown_text(row['rule'])}*",
                    markdown_text(f"{row['test']}, {row['scope']}"),
                    markdown_text(f"{row['corpus']}, {row['model']}"),
                    markdown_text(row["holds in print"]),
                    f"**{markdown_text(row['outcome'])}**",
                    markdown_text(row["evidence"]),
                    markdown_text(row["fails_if"]),
                ]
                for row in rows.to_dict("records")
            ],
        )


def _entry(study: StudyResults, entry: dict[str, Any], here: Path) -> Iterator[str]:
    title = markdown_text(title_of(entry["name"], entry["section"]))
    yield f"### {title}\n"
    about = markdown_text(" ".join(filter(None, [entry["caption"], entry["note"]])))
    if entry["kind"] == "figure":
        file = study.folder / entry["files"]["svg"]
        if file.is_file():
            yield f"![{title}]({link(file, here)})\n"
        yield f"*{about}*\n"
        return
    yield f"{about} [csv]({link(study.folder / entry['files']['csv'], here)})\n"
    text = study.read(entry["files"]["md"]).decode()
    rows = [line for line in text.split("\n") if line.startswith("|")]
    if len(rows) - 2 <= MOST_ROWS:
        yield "\n".join(rows) + "\n"
    else:
        readable = link(study.folder / entry["files"]["md"], here)
        yield f"[{len(rows) - 2} rows]({readable}).\n"


def _differences(printed: pandas.DataFrame) -> Iterator[str]:
    """Only what is not reproduced; the tables have the rest compared with ours."""
    differ = printed[printed["reproduced"] != YES]
    if printed.empty:
        return
    yield "## Compared with print\n"
    yield f"{len(printed) - len(differ)} of {len(printed)} printed numbers are reproduced. The others:\n"
    columns = ["exhibit", "corpus", "model", "quantity", "published", "ours", "difference", "note"]
    if len(differ):
        yield markdown(differ[columns])
