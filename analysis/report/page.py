"""
The page as a whole: the question, the sections, the table of contents. And the section of the models:
what they are, and how well they do on the texts explained.
"""

from functools import partial
from pathlib import Path
from typing import Any, Dict, List, Optional, Sequence

import numpy
import pandas

from analysis.attributions import Attributions
from analysis.errors import AnalysisError
from analysis.escaping import html_text
from analysis.manifest import read_listed, read_manifest
from analysis.model_config import ModelConfig
from analysis.models import Model, models_of
from analysis.performance import accuracy, f1
from analysis.report.elements import Anchors, Section, contents, paragraph, table_html
from analysis.report.entries import findings, in_order, sections
from analysis.report.provenance import load_inputs, provenance
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
ABOUT_MODELS = (
    "Accuracy and F1 are those on the texts of the attribution files; several seeds of a model are "
    "averaged, and the deviation between them stands beside. F1 is that of the positive class "
    "where there are two classes, else the unweighted mean over classes."
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
        table = table_html(models_table(models), anchor) + paragraph(ABOUT_MODELS, "note")
        table += "".join(paragraph(sentence, "note") for sentence in dropped_or_cut(models))
    return Section("Models", anchor, warnings + table)


def models_table(models: Sequence[Model]) -> pandas.DataFrame:
    """One row a model; columns that say nothing are left out."""
    return pandas.DataFrame(map(_row, models)).dropna(axis="columns", how="all")


def _row(model: Model) -> Dict[str, Any]:
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


def dropped_or_cut(models: Sequence[Model]) -> List[str]:
    """A sentence for each data set of which texts were dropped or cut when it was explained."""
    said = {
        f"Of {file.metadata['data']}: {file.dropped_or_cut}."
        for model in models
        for file in model.files
        if file.dropped_or_cut
    }
    return sorted(said)


def _seed(file: Attributions) -> str:
    """A training that was interrupted and went on is not the same as an unbroken one."""
    return f"{file.model.seed} (recovered)" if file.recovered else str(file.model.seed)


def selection(config: Dict[str, Any]) -> Optional[str]:
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


def _mean(values: List[float]) -> float:
    return float(numpy.mean(values)) if values else numpy.nan


def _deviation(values: List[float]) -> float:
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
    return document(TITLE, style() + STYLE, body)
