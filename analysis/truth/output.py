"""Writes the tables and the page of `allennlp truth`: truth.csv, truth.md, checks.csv and truth.html."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas

from analysis.errors import AnalysisError
from analysis.figure_files import saved
from analysis.figures.dots import Dot, dots
from analysis.formats import csv, markdown, say
from analysis.pages.elements import Anchors, Section, contents, paragraph, table_html
from analysis.pages.style import STYLE
from analysis.pages.svg import inlined
from analysis.plausibility.causes import PRECISION, PRECISION_AT_K
from analysis.statistics.intervals import ABOUT_INTERVALS
from analysis.text_files import load_attributions
from analysis.truth.shortcuts import (
    RANDOM_SCORES,
    ShortcutRun,
    agreement_with_verdict,
    checks_table,
    shown_truth,
    truth_table,
)
from analysis.written import Estimate, html_text, number
from attention_explain.files.atomic import write_atomic
from attention_explain.files.records import read_json
from attention_explain.heatmaps.html_page import document, style

TITLE = "Do explanations find a shortcut that the model must use?"
ABOUT = (
    "Tokens without a meaning were planted into a fifth of the training texts, where they determine the "
    "label. On test texts with these tokens, the prediction of a model that has learned them depends on them "
    "and on nothing else. A faithful explanation gives them the highest scores (Bastings et al. 2022)."
)
HOW = (
    "`precision@k` is the fraction of the k tokens with the highest scores that are shortcut tokens, where k "
    "is their number; `last rank` is the rank of the lowest of them (best: k). Ties count in expectation. "
    "Only texts count whose prediction changes when the shortcut is swapped. `verdict's score` is what "
    "`allennlp verdict` gives each method without knowing the truth (0 = random order, 1 = best order "
    f"found). {ABOUT_INTERVALS}"
)
KINDS = {
    "single": "One token determines the class.",
    "context": "A class token counts only if the context token is in the text as well.",
    "ordered": "Of two class tokens, the first one determines the class.",
}
# The axis of the figure.
SHARES = {0.0: "0", 0.25: "", 0.5: "0.5", 0.75: "", 1.0: "1"}
PAGE = "truth.html"


def load_run(kind: str, seed: int, files: Mapping[str, Path]) -> ShortcutRun:
    """From the files `synthetic`, `swapped` and `original`."""
    return ShortcutRun(
        kind, seed, **{name: load_attributions(path) for name, path in files.items()}
    )


def write_truth(
    folder: Path, runs: Sequence[ShortcutRun], verdicts: Mapping[str, Path], about: str
) -> pandas.DataFrame:
    """
    Write the tables and the page into a folder, and print a summary.

    # Parameters

    verdicts : `Mapping[str, Path]`
        The verdict.json of each kind that has one.
    about : `str`
        The model and the texts, for the page.
    """
    judged = {kind: read_json(path.read_bytes()) for kind, path in verdicts.items()}
    scores = {
        kind: {each["name"]: each["score"] for each in verdict["methods"]}
        for kind, verdict in judged.items()
    }
    checks, table = checks_table(runs), truth_table(runs, scores)
    written = {
        "checks.csv": csv(checks),
        "truth.csv": csv(table),
        "truth.md": _as_markdown(checks, table),
        PAGE: page(checks, table, judged, about),
    }
    try:
        for name, content in written.items():
            write_atomic(folder / name, content.encode("utf-8", "replace"))
    except OSError as error:
        raise AnalysisError(f"{folder}: cannot be written ({error.strerror})") from error
    for line in _summary(checks, table):
        say(line)
    say(f"page: {folder / PAGE}")
    return table


def page(
    checks: pandas.DataFrame,
    table: pandas.DataFrame,
    verdicts: Mapping[str, Mapping[str, Any]],
    about: str,
) -> str:
    """The page, which loads nothing else."""
    anchors = Anchors()
    sections = [
        _section(kind, rows, _of_kind(table, kind), verdicts.get(kind), anchors)
        for kind, rows in checks.groupby("kind", sort=False)
    ]
    body = (
        f"<div class=layout>\n<header>\n<h1>{html_text(TITLE)}</h1>\n"
        f"{paragraph(ABOUT, 'question')}{paragraph(about, 'about')}</header>\n"
        f"<nav aria-label=Contents>\n{contents(sections)}</nav>\n<main>\n"
        + "".join(section.render() for section in sections)
        + paragraph(HOW, "note")
        + "</main>\n</div>\n"
    )
    return document(TITLE, style() + STYLE, body)


def _section(
    kind: str,
    checks: pandas.DataFrame,
    table: pandas.DataFrame,
    verdict: Mapping[str, Any] | None,
    anchors: Anchors,
) -> Section:
    anchor = anchors.new(kind)
    html = paragraph(KINDS[kind])
    if len(table):
        html += paragraph(_sentence(table), "reason")
        html += f"<figure>{inlined(saved(_figure(table), 'svg'), anchor, kind, kind)}</figure>\n"
        html += table_html(shown_truth(table), anchor)
    if verdict is not None:
        html += paragraph(f"The verdict on these texts, without the truth: {verdict['headline']}")
    checked = anchors.new(kind, "checks")
    inner = Section("Was it learned?", checked, table_html(checks.drop(columns="kind"), checked))
    return Section(kind.capitalize(), anchor, html, [inner])


def _figure(table: pandas.DataFrame) -> Any:
    marks = [
        Dot(name, row["method"], "method", Estimate.of(row, name))
        for name in (PRECISION_AT_K, PRECISION)
        for row in table.to_dict("records")
    ]
    first = table.iloc[0]
    for name in (PRECISION_AT_K, PRECISION):
        chance = first[f"{name} chance"]
        marks.append(Dot(name, RANDOM_SCORES, "method", Estimate(chance, chance, chance)))
    return dots(marks, "mean over texts", SHARES)


def _summary(checks: pandas.DataFrame, table: pandas.DataFrame) -> list[str]:
    lines = []
    for kind, rows in checks.groupby("kind", sort=False):
        of_kind = _of_kind(table, kind)
        if len(of_kind):
            lines.append(f"{kind}: {_sentence(of_kind)}")
        for row in rows[rows["learned"] != "yes"].to_dict("records"):
            lines.append(f"{kind}, seed {row['seed']}: not learned, no judgement: {row['learned']}")
    return lines


def _sentence(table: pandas.DataFrame) -> str:
    best = table.iloc[0]
    said = f"{best['method']} finds the shortcut best (precision@k {number(best[PRECISION_AT_K])}"
    attention = table[table["method"] == "attention"]
    if len(attention) and best["method"] != "attention":
        said += f"; attention {number(attention.iloc[0][PRECISION_AT_K])}"
    said += f"; random scores {number(best[f'{PRECISION_AT_K} chance'])})."
    tau = agreement_with_verdict(table)
    if tau == tau:
        said += f" The verdict orders methods like the truth with Kendall's tau {number(tau)}."
    return said


def _as_markdown(checks: pandas.DataFrame, table: pandas.DataFrame) -> str:
    parts = [f"# {TITLE}\n"]
    for kind, rows in checks.groupby("kind", sort=False):
        parts.append(f"\n## {kind.capitalize()}\n\n{KINDS[kind]}\n")
        of_kind = _of_kind(table, kind)
        if len(of_kind):
            parts.append(f"\n{_sentence(of_kind)}\n\n{markdown(shown_truth(of_kind))}\n")
        parts.append(f"\n{markdown(rows.drop(columns='kind'))}\n")
    return "".join(parts)


def _of_kind(table: pandas.DataFrame, kind: str) -> pandas.DataFrame:
    return table[table["kind"] == kind] if len(table) else table
