"""
The page as a whole: the question, the verdict on each model that was judged, the findings in words,
the models and how well they do on the texts explained, tables and figures by section, and what other
files have for it.
"""

import io
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import quote

import numpy
import pandas

from analysis.errors import AnalysisError
from analysis.formats import read_csv, read_shown
from analysis.manifest import Entry, in_order, read_listed, read_manifest, title_of
from analysis.model_config import ModelConfig
from analysis.models import File, Model, models_of
from analysis.pages.elements import Anchors, Section, contents, paragraph, prose, table_html
from analysis.pages.style import STYLE
from analysis.pages.svg import inlined
from analysis.papers.shared.study_files import StudyFiles
from analysis.performance import accuracy, f1
from analysis.report.provenance import Input, load_inputs, provenance
from analysis.report.texts import missing, texts
from analysis.text_files import Attributions, FaithfulnessFile, Perturbations, TextFile
from analysis.verdict.block import BLOCK_STYLE, CLASSES, summary_block
from analysis.verdict.tables import verdicts_of
from analysis.verdict.text import answer_of, summary_of
from analysis.verdict.verdict import Verdict
from analysis.written import html_text
from attention_explain.files.atomic import OverwriteError, check_page, write_atomic
from attention_explain.heatmaps.html_page import document, style

REPORT = "report.html"
TITLE = "Can attention be trusted as the explanation?"
QUESTION = (
    "Do the weights that a model's attention gives to the words of a text say which words its "
    "prediction rests on? If they do, they should agree with other measures of importance more "
    "than random scores would."
)
ABOUT_MODELS = (
    "Accuracy and F1 are those on the texts of the attribution files; several seeds of a model are "
    "averaged, with the deviation between them. F1 is that of the positive class "
    "where there are two classes, else the unweighted mean over classes."
)
NO_SENTENCE = "No analysis has put a finding into words; the numbers are below."
VERDICT = "Verdict"
# With more models, each has a line that opens its summary.
FEW_MODELS = 2
# What is in a file of the folder.
Read = Callable[[str], bytes]


def write_report(folder: Path) -> Path:
    """Writes the page into the output folder; an earlier one stays if anything is wrong."""
    content = report(folder).encode("utf-8", "replace")
    path = folder / REPORT
    try:
        check_page(path)
        write_atomic(path, content)
    except OverwriteError as error:
        raise AnalysisError(str(error)) from error
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
    page: list[Section] = []
    # A verdict rests on what was measured of faithfulness; without that there is none to make.
    if any(isinstance(each.file, FaithfulnessFile) for each in inputs):
        judged = verdicts(inputs)
        page += [verdict_section(judged, anchors)] if judged else []
    page.append(findings(entries, of_entries, anchors))
    if inputs:
        page.append(_models(models, missing(inputs), anchors))
    page += of_entries
    if inputs:
        page.append(texts(models, inputs, anchors))
    page.append(provenance(manifest, inputs, models, anchors))
    return _document(page, _about(models))


def verdicts(inputs: Sequence[Input]) -> list[Verdict]:
    """The verdicts on the models of these files."""
    files = [each.file for each in inputs if each.file is not None]
    study = StudyFiles(
        models=_models_of_kind(files, Attributions),
        perturbed=_models_of_kind(files, Perturbations),
        judged=_models_of_kind(files, FaithfulnessFile),
    )
    return verdicts_of(study)


def _models_of_kind(files: Sequence[TextFile], kind: type[File]) -> list[Model[File]]:
    """The models of one kind of file. Names are unique among the models of the same texts."""
    by_data: dict[tuple[str, str | None], list[File]] = {}
    for file in files:
        if isinstance(file, kind):
            data = (file.model.corpus, file.metadata.get("data_sha256"))
            by_data.setdefault(data, []).append(file)
    return [model for several in by_data.values() for model in models_of(several)]


def verdict_section(several: Sequence[Verdict], anchors: Anchors) -> Section:
    """The summaries, one below the other."""
    html = "".join(
        _verdict_block(verdict, anchors.new(VERDICT, verdict.model), len(several))
        for verdict in several
    )
    return Section(VERDICT, anchors.new(VERDICT), f"<div class=verdict>\n{html}</div>\n")


def _verdict_block(verdict: Verdict, anchor: str, number: int) -> str:
    html = summary_block(verdict, anchor, "h3", with_links=False)
    if number <= FEW_MODELS:
        return html
    return (
        f"<details>\n<summary>{html_text(verdict.model)} on {html_text(verdict.corpus)}: "
        f"<b class={CLASSES[verdict.answer]}>{html_text(answer_of(verdict))}</b> "
        f"{html_text(summary_of(verdict))}</summary>\n{html}</details>\n"
    )


def findings(entries: list[Entry], sections: list[Section], anchors: Anchors) -> Section:
    """Every sentence of the manifest, each with the way to its numbers."""
    where = {section.title: section.anchor for section in sections}
    lines = []
    for entry in (entry for entry in entries if entry["kind"] == "sentence"):
        title = title_of(entry["section"])
        link = ""
        if title in where:
            link = f" <a class=where href=#{where[title]}>{html_text(title)}</a>"
        lines.append(f"<li>{prose(entry['caption'])}{link}</li>\n")
    html = f"<ul class=findings>\n{''.join(lines)}</ul>\n" if lines else paragraph(NO_SENTENCE)
    return Section("In short", anchors.new("in short"), html)


def sections(entries: list[Entry], read: Read, anchors: Anchors) -> list[Section]:
    """Those that the entries name, in their order; sentences stand elsewhere."""
    shown = [entry for entry in entries if entry["kind"] != "sentence"]
    made = []
    for name in dict.fromkeys(entry["section"] for entry in shown):
        anchor = anchors.new(name)
        inside = [
            _section(entry, read, anchors.new(name, entry["name"]))
            for entry in shown
            if entry["section"] == name
        ]
        made.append(Section(title_of(name), anchor, "", inside))
    return made


def _section(entry: Entry, read: Read, anchor: str) -> Section:
    caption = paragraph(entry["caption"], "caption")
    below = paragraph(entry.get("note", ""), "note") + _files(entry["files"])
    files = entry["files"]
    if entry["kind"] == "table":
        html = caption + table_html(_table(files, read), anchor) + below
    elif entry["kind"] == "figure":
        drawn = inlined(read(files["svg"]), f"{anchor}-figure", entry["caption"], files["svg"])
        html = (
            f"<figure>\n<div class=scroll tabindex=0>{drawn}</div>\n"
            f"<figcaption>{caption}</figcaption>\n</figure>\n{below}"
        )
    else:
        html = caption + below
    return Section(title_of(entry["name"], entry["section"]), anchor, html)


def _table(files: dict[str, str], read: Read) -> pandas.DataFrame:
    """The table that people read; the whole one, of folders from before that was kept as a table."""
    name = files.get("json") or files["csv"]
    content = read(name)
    try:
        return read_shown(content) if "json" in files else read_csv(io.BytesIO(content))
    except ValueError as error:
        raise AnalysisError(f"{name}: cannot be read as a table ({error})") from error


def _files(files: dict[str, str]) -> str:
    """For who wants the numbers; they lie next to the report."""
    links = ", ".join(
        f'<a href="{html_text(quote(name))}">{html_text(name)}</a>' for name in files.values()
    )
    return f"<p class=files>Files: {links}</p>\n" if links else ""


def _models(models: Sequence[Model], warnings: str, anchors: Anchors) -> Section:
    anchor = anchors.new("models")
    table = ""
    if models:
        table = table_html(models_table(models), anchor) + paragraph(ABOUT_MODELS, "note")
        table += "".join(paragraph(sentence, "note") for sentence in dropped_or_cut(models))
    return Section("Models", anchor, warnings + table)


def models_table(models: Sequence[Model]) -> pandas.DataFrame:
    """One row per model; columns that say nothing are left out."""
    return pandas.DataFrame(map(_row, models)).dropna(axis="columns", how="all")


def _row(model: Model) -> dict[str, Any]:
    labelled = [file for file in model.files if file.table["label"].notna().any()]
    accuracies, f1s = ([measure(file) for file in labelled] for measure in (accuracy, f1))
    config = model.config
    return {
        "model": model.name,
        "corpus": config.corpus,
        "encoder": config.encoder,
        "attention": config.attention,
        "projection": config.projection,
        "seeds": ", ".join(map(_seed, model.files)),
        "texts": len(model.files[0].table),
        "accuracy": _mean(accuracies),
        "sd accuracy": _deviation(accuracies),
        "F1": _mean(f1s),
        "sd F1": _deviation(f1s),
        "epoch selected": selection(config.config),
    }


def dropped_or_cut(models: Sequence[Model]) -> list[str]:
    """A sentence for each data set of which texts were dropped or cut when it was explained."""
    said = {
        f"Of {file.metadata['data']}: {file.dropped_or_cut}."
        for model in models
        for file in model.files
        if file.dropped_or_cut
    }
    return sorted(said)


def _seed(file: Attributions) -> str:
    """A training that was not recovered exactly may differ from an unbroken one."""
    return f"{file.model.seed} (recovered)" if file.recovered else str(file.model.seed)


def selection(config: dict[str, Any]) -> str | None:
    """On which data, and by which metric, the best epoch was found; None if the config is silent."""
    metric = config.get("trainer", {}).get("validation_metric")
    data = config.get("validation_data_path")
    if metric is None or data is None:
        return None
    if ModelConfig(config).keeps_last_epoch:
        return "the last epoch"
    name = "the test data" if data == config.get("test_data_path") else Path(str(data)).name
    names = metric if isinstance(metric, list) else [metric]
    return f"on {name}, by {', '.join(each.lstrip('+-') for each in names)}"


def _mean(values: list[float]) -> float:
    return float(numpy.mean(values)) if values else numpy.nan


def _deviation(values: list[float]) -> float:
    return float(numpy.std(values, ddof=1)) if len(values) > 1 else numpy.nan


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
    return document(TITLE, style() + STYLE + BLOCK_STYLE, body)
