"""Where everything comes from: commands, files, parameters, versions. At the end, and closed."""

import json
import shlex
from html import escape
from typing import Any, Dict, Sequence

import pandas

from analysis.attributions import Attributions
from analysis.formats import markdown
from analysis.report.anchors import Anchors
from analysis.report.inputs import Input
from analysis.report.part import Part, collapsed, paragraph
from analysis.report.tables import table_html

TITLE = "Provenance"
# Of the metadata of an attribution file, what has a place of its own.
SHOWN_APART = ("config", "interpreters", "versions")


def provenance(manifest: Dict[str, Any], inputs: Sequence[Input], anchors: Anchors) -> Part:
    parts = [
        Part("Commands", anchors.new(TITLE, "commands"), _commands(manifest["commands"])),
        _files(inputs, anchors.new(TITLE, "files")),
        Part("Versions", anchors.new(TITLE, "versions"), _versions(manifest["versions"])),
    ]
    return Part(TITLE, anchors.new(TITLE), "", parts)


def _commands(commands: Dict[str, Any]) -> str:
    return "".join(
        f"<pre>{escape(shlex.join(entry['command']))}</pre>\n"
        + (collapsed(f"Parameters of {name}", _json(entry["parameters"])))
        for name, entry in commands.items()
    )


def _files(inputs: Sequence[Input], anchor: str) -> Part:
    if not inputs:
        return Part("Files", anchor, paragraph("The manifest lists no attribution file."))
    hashes = pandas.DataFrame(
        [
            {"file": each.path, "sha256 when analysed": each.sha256, "now": each.problem or "same"}
            for each in inputs
        ]
    )
    details = "".join(_metadata(each.attributions) for each in inputs if each.attributions)
    return Part("Files", anchor, table_html(markdown(hashes), anchor) + details)


def _metadata(file: Attributions) -> str:
    metadata = file.metadata
    rest = {name: value for name, value in metadata.items() if name not in SHOWN_APART}
    html = (
        "<h4>Methods</h4>\n"
        + _json(metadata["interpreters"])
        + "<h4>Training config</h4>\n"
        + _json(metadata["config"])
        + "<h4>Attribution</h4>\n"
        + _json(rest)
        + _versions(metadata.get("versions", {}))
    )
    return collapsed(f"{file.path}: methods, config, hashes", html)


def _versions(versions: Dict[str, str]) -> str:
    named = ", ".join(f"{name} {version}" for name, version in versions.items())
    return paragraph(named)


def _json(value: Any) -> str:
    return f"<pre>{escape(json.dumps(value, indent=1, ensure_ascii=False))}</pre>\n"
