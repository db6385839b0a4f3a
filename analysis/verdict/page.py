"""verdict.html: the answer on the first screen, then the evidence of each question, texts, details."""

from typing import List, Optional

from matplotlib.figure import Figure

from analysis.figure_files import saved
from analysis.figures.zones import on_zones
from analysis.report.elements import collapsed, paragraph, preformatted, table_html
from analysis.report.style import STYLE as REPORT_STYLE
from analysis.report.svg import inlined
from analysis.verdict.answers import Question
from analysis.verdict.block import KINDS, block
from analysis.verdict.files import ATTENTION, Files
from analysis.verdict.style import STYLE
from analysis.verdict.texts import cards
from analysis.verdict.verdict import Verdict
from analysis.verdict.words import GROUPS, methods_table, reason
from analysis.written import html_text
from attention_explain.heatmaps.html_document import document, style

TITLE = "Can attention be trusted on {}?"


def page(verdict: Verdict, files: Files) -> str:
    """Complete in itself."""
    sections = [] if verdict.nothing else _evidence(verdict)
    if verdict.places is not None:
        sections.append(
            "<section id=texts>\n<h2>Six texts to look at</h2>\n"
            + cards(files, verdict.places, _top(verdict))
            + "</section>\n"
        )
    body = (
        f"<div class='verdict page'>\n<header>\n{block(verdict, 'all')}</header>\n<main>\n"
        f"{''.join(sections)}"
        f"{_details(verdict, files)}</main>\n</div>\n"
    )
    return document(TITLE.format(verdict.data), style() + REPORT_STYLE + STYLE, body)


def _evidence(verdict: Verdict) -> List[str]:
    asked_apart = [verdict.marked] if verdict.marked else []
    return [_section(each) for each in (*verdict.questions, *asked_apart)]


def _section(question: Question) -> str:
    evidence = question.evidence
    figure = (
        _figure(
            on_zones(evidence.rows, evidence.zones, evidence.label, ATTENTION),
            f"figure-{question.name}",
            evidence.label,
        )
        if evidence.rows
        else ""
    )
    sentence = reason(question)
    words = question.words.capitalize()
    return (
        f"<section id={question.name} class=question>\n<h2>{html_text(words)} "
        f"<b class={KINDS[question.answer]}>{html_text(str(question.answer).capitalize())}</b></h2>\n"
        f"<div class=beside>\n{figure}<div>\n"
        + paragraph(f"{sentence[0].upper()}{sentence[1:]}.", "reason")
        + paragraph(question.bound)
        + paragraph(question.caveat)
        + paragraph(f"{'; '.join(question.papers)}.", "note")
        + "</div>\n</div>\n</section>\n"
    )


def _details(verdict: Verdict, files: Files) -> str:
    made = ""
    if verdict.methods:
        made += collapsed(
            "All methods: places, cost, groups",
            "<div id=methods-title hidden>All methods</div>\n"
            + table_html(methods_table(verdict), "methods")
            + paragraph(GROUPS, "note"),
        )
    made += collapsed("Files that it rests on", preformatted(_files(files)))
    return f"<section id=details>\n<h2>Details</h2>\n{made}</section>\n"


def _files(files: Files) -> str:
    lines = []
    for file in files.every:
        model = file.metadata.get("archive", "?")
        lines.append(f"{file.path.name}: {model}, data {file.metadata.get('data', '?')}")
    return "\n".join(lines)


def _top(verdict: Verdict) -> str:
    best: Optional[str] = verdict.recommended.method
    return best or verdict.methods[0].name


def _figure(drawn: Figure, prefix: str, label: str) -> str:
    svg = saved(drawn, "svg")
    return f"<figure>{inlined(svg, prefix, label, label)}</figure>\n"
