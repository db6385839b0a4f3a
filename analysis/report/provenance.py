"""
Where everything comes from: the files behind an output folder, as far as they are still what was
analysed, and commands, parameters, versions. At the end of the page, and closed.
"""

import json
import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas

from analysis.errors import AnalysisError
from analysis.models import Model
from analysis.pages.elements import Anchors, Section, collapsed, paragraph, preformatted, table_html
from analysis.runs import METRICS
from analysis.text_files import (
    Attributions,
    TextFile,
    load_attributions,
    load_faithfulness,
    load_perturbations,
)
from analysis.written import html_text
from attention_explain.files import faithfulness, perturbations
from attention_explain.files.records import sha256


@dataclass(frozen=True)
class Input:
    """
    A file that the manifest lists.

    file : what is in it, where that is texts; None for what a training run reached.
    problem : why it cannot be shown, if it cannot.
    """

    path: str
    sha256: str
    file: TextFile | None
    problem: str = ""

    @property
    def attributions(self) -> Attributions | None:
        """What is in it, if it is an attribution file."""
        return self.file if isinstance(self.file, Attributions) else None


def load_inputs(manifest: dict[str, Any]) -> list[Input]:
    """The files of the manifest; texts of missing or changed files are not shown."""
    # Two analyses may have been given one file by two names.
    files = {entry["sha256"]: entry["path"] for entry in reversed(manifest["files"])}
    return [_load(path, expected) for expected, path in reversed(files.items())]


def _load(path: str, expected: str) -> Input:
    if not Path(path).is_file():
        return Input(path, expected, None, "is not there (any more)")
    try:
        if sha256(Path(path)) != expected:
            return Input(path, expected, None, "has changed since it was analysed")
        return Input(path, expected, _content(Path(path)))
    except (AnalysisError, OSError) as error:
        return Input(path, expected, None, f"cannot be read ({error})")


def _content(path: Path) -> TextFile | None:
    if path.name == METRICS:
        return None
    if faithfulness.FORMAT.is_format_of(path):
        return load_faithfulness(path)
    if perturbations.FORMAT.is_format_of(path):
        return load_perturbations(path)
    return load_attributions(path)


TITLE = "Provenance"
# Of the metadata of an attribution file, what is shown separately.
SHOWN_APART = ("config", "interpreters", "versions")
OPTIONS = "parameters"


def provenance(
    manifest: dict[str, Any], inputs: Sequence[Input], models: Sequence[Model], anchors: Anchors
) -> Section:
    """The last section of the page: commands, files with their hashes, settings of models, versions."""
    anchor = anchors.new(TITLE)
    sections = [
        Section("Commands", anchors.new(TITLE, "commands"), _commands(manifest["commands"])),
        _files(inputs, anchors.new(TITLE, "files")),
    ]
    if models:
        settings = anchors.new(TITLE, "settings")
        html = "".join(_settings(model, anchors.new(settings, model.name)) for model in models)
        sections.append(Section("Methods and training", settings, html))
    versions = paragraph(_versions(manifest["versions"]))
    sections.append(Section("Versions of the analysis", anchors.new(TITLE, "versions"), versions))
    return Section(TITLE, anchor, "", sections)


def _commands(commands: dict[str, Any]) -> str:
    return "".join(
        preformatted(shlex.join(entry["command"]))
        + collapsed(f"Parameters of {name}", _json(entry["parameters"]))
        for name, entry in commands.items()
    )


def _files(inputs: Sequence[Input], anchor: str) -> Section:
    if not inputs:
        return Section("Files", anchor, paragraph("The manifest lists no file."))
    hashes = pandas.DataFrame(
        [
            {"file": each.path, "now": each.problem or "the same", "sha256": each.sha256}
            for each in inputs
        ]
    )
    about = "".join(_made(each.file) for each in inputs if each.file)
    return Section("Files", anchor, table_html(hashes, anchor) + about)


def _made(file: TextFile) -> str:
    """What a file says of itself but for what its model has in common."""
    metadata = file.metadata
    rest = {name: value for name, value in metadata.items() if name not in SHOWN_APART}
    html = _json(rest) + paragraph(_versions(metadata.get("versions", {})))
    return collapsed(f"How {file.path} was made", html)


def _settings(model: Model, anchor: str) -> str:
    """The same for all seeds of the model."""
    metadata = model.files[0].metadata
    methods = pandas.DataFrame(
        [
            {
                "method": name,
                "options": _options(declared.get(OPTIONS, {})),
                **{
                    key.replace("_", " "): _word(value)
                    for key, value in declared.items()
                    if key != OPTIONS
                },
            }
            for name, declared in metadata["interpreters"].items()
        ]
    )
    seeds = ", ".join(str(file.model.seed) for file in model.files)
    html = (
        f"<h4 id={anchor}-title>Methods</h4>\n{table_html(methods, anchor)}"
        f"<h4>Config of seed {html_text(str(model.config.seed))}; seeds: {html_text(seeds)}</h4>\n"
        f"{_json(metadata['config'])}"
    )
    return collapsed(model.name, html)


def _options(parameters: dict[str, Any]) -> str:
    return ", ".join(
        _word(value) if name == "type" else f"{name} {_word(value)}"
        for name, value in parameters.items()
    )


def _word(value: Any) -> str:
    return value if isinstance(value, str) else "-" if value is None else json.dumps(value)


def _versions(versions: dict[str, str]) -> str:
    return ", ".join(f"{name} {version}" for name, version in versions.items())


def _json(value: Any) -> str:
    return preformatted(json.dumps(value, indent=1, ensure_ascii=False))
