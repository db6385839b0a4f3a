"""The page as a whole: the question, the sections, the table of contents."""

from functools import partial
from pathlib import Path
from typing import List, Sequence

from analysis.errors import AnalysisError
from analysis.escaping import html_text
from analysis.manifest import read_listed, read_manifest
from analysis.models import Model, models_of
from analysis.report.entries import findings, in_order, sections
from analysis.report.html_table import table_html
from analysis.report.models import CAPTION, dropped_or_cut, models_table
from analysis.report.provenance import load_inputs, provenance
from analysis.report.section import Anchors, Section, contents, paragraph
from analysis.report.style import STYLE
from analysis.report.texts import missing, texts
from durable.whole import write_whole
from heatmaps.html_document import document, style

REPORT = "report.html"
TITLE = "Can attention be trusted as the explanation?"
QUESTION = (
    "Do the weights that a model's attention gives to the words of a text say which words its "
    "prediction rests on? If they do, they should agree with other measures of importance better "
    "than chance does."
)


def write_report(folder: Path) -> Path:
    """Writes the page into the output folder; an earlier one stays if anything is wrong."""
    content = report(folder).encode("utf-8", "replace")
    path = folder / REPORT
    try:
        write_whole(path, content)
    except OSError as error:
        raise AnalysisError(f"{path}: cannot be written ({error.strerror})") from error
    return path


def report(folder: Path) -> str:
    """The page, of an output folder with a manifest; raises `AnalysisError` where one lacks a file."""
    manifest = read_manifest(folder)
    inputs = load_inputs(manifest)
    files = [each.attributions for each in inputs if each.attributions is not None]
    models = models_of(files)
    anchors = Anchors()
    entries = in_order(manifest["entries"])
    of_entries = sections(entries, partial(read_listed, folder, manifest), anchors)
    page: List[Section] = [findings(entries, of_entries, anchors)]
    if inputs:
        page.append(_models(models, missing(inputs), anchors))
    page += of_entries
    if inputs:
        page.append(texts(models, inputs, anchors))
    page.append(provenance(manifest, inputs, models, anchors))
    return _document(page, _about(models))


def _models(models: Sequence[Model], warnings: str, anchors: Anchors) -> Section:
    anchor = anchors.new("models")
    table = ""
    if models:
        table = table_html(models_table(models), anchor) + paragraph(CAPTION, "note")
        table += "".join(paragraph(sentence, "note") for sentence in dropped_or_cut(models))
    return Section("Models", anchor, warnings + table)


def _about(models: Sequence[Model]) -> str:
    """What the report is about, in a line."""
    if not models:
        return ""
    corpora = dict.fromkeys(model.config.corpus for model in models)
    runs = sum(len(model.files) for model in models)
    seeds = f", trained {runs} times in all" if runs > len(models) else ""
    number = f"{len(models)} model{'s' if len(models) > 1 else ''}"
    return f"{number} on {', '.join(corpora)}{seeds}."


def _document(page: Sequence[Section], about: str) -> str:
    body = (
        f"<div class=layout>\n<header>\n<h1>{html_text(TITLE)}</h1>\n"
        f"{paragraph(QUESTION, 'question')}{paragraph(about, 'about')}</header>\n"
        f"<nav aria-label=Contents>\n{contents(page)}</nav>\n<main>\n"
        + "".join(section.render() for section in page)
        + "</main>\n</div>\n"
    )
    return document(TITLE, style() + STYLE, body)
