"""
The folder an analysis writes: tables, figures and sentences, and a manifest that says what each
is and which files all of it comes from. The report is made of what the manifest lists.
"""

import hashlib
import os
import platform
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from importlib.metadata import version
from itertools import chain, count
from pathlib import Path
from typing import Any, Protocol

import pandas
from matplotlib.figure import Figure

from analysis.errors import AnalysisError
from analysis.figure_files import rounded, saved
from analysis.formats import all_formats
from analysis.manifest import (
    FORMAT,
    MANIFEST,
    WRITTEN,
    alone_in,
    files_of,
    files_read,
    read_manifest,
    write_manifest,
)
from analysis.runs import CONFIG
from attention_explain.files.atomic import write_atomic
from attention_explain.files.records import sha256

PACKAGES = ("matplotlib", "numpy", "pandas", "pyarrow", "scipy")
PNG_DOTS_PER_INCH = 200
LONGEST_NAME = 150


class Source(Protocol):
    """What an analysis has read."""

    @property
    def path(self) -> Path:
        """The file itself, whose hash the manifest keeps."""


@dataclass
class Output:
    """
    Collects results in memory and writes them all in `finish`: whatever goes wrong before leaves
    an earlier output as it was. Several commands may write into one folder; results of the same
    name replace each other.

    folder : is made if it does not exist.
    section : the part of the report that the results belong to.
    """

    folder: Path
    section: str
    entries: list[dict[str, Any]] = field(default_factory=list)
    contents: dict[str, bytes] = field(default_factory=dict)

    def check(self) -> None:
        """Raises, before any work is done, what `finish` would raise for the folder's sake."""
        above = next(path for path in (self.folder, *self.folder.parents) if path.exists())
        if not above.is_dir():
            raise AnalysisError(f"{above}: is a file, and no folder to write into")
        if not os.access(above, os.W_OK):
            raise AnalysisError(f"{above}: cannot be written into")
        if (self.folder / CONFIG).exists():
            raise AnalysisError(f"{self.folder}: is the folder of a training run; write elsewhere")
        if (self.folder / MANIFEST).exists():
            read_manifest(self.folder)

    def table(
        self,
        name: str,
        table: pandas.DataFrame,
        caption: str,
        note: str = "",
        shown: pandas.DataFrame | None = None,
    ) -> None:
        """`shown` is what Markdown, LaTeX and report have, where csv has more than is readable."""
        readable = table if shown is None else shown
        name = self._free(name)
        texts = all_formats(table, readable, caption, f"tab:{name}")
        files = {ending: self._add(f"{name}.{ending}", text) for ending, text in texts.items()}
        self._enter("table", name, caption, files, note, columns=list(map(str, readable.columns)))

    def figure(self, name: str, figure: Figure, caption: str, note: str = "") -> None:
        """As svg and png. The caption says data, model and n."""
        files = {}
        name = self._free(name)
        for ending in ("svg", "png"):
            content = saved(figure, ending, dpi=PNG_DOTS_PER_INCH)
            files[ending] = self._add(
                f"{name}.{ending}", rounded(content) if ending == "svg" else content
            )
            # Where everything lies is found out once, and the same in both.
            figure.set_layout_engine("none")
        self._enter("figure", name, caption, files, note)

    def sentence(self, name: str, text: str) -> None:
        """A finding in words, made from the numbers."""
        self._enter("sentence", name, text, {}, "")

    def data(self, name: str, content: bytes) -> None:
        """A file for programs, which the report does not show."""
        self._add(name, content)

    def finish(
        self,
        command: Sequence[str],
        files: Sequence[Source] = (),
        parameters: dict[str, Any] | None = None,
    ) -> list[str]:
        """Write everything atomically; return sentences on earlier results that were replaced."""
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            with alone_in(self.folder):
                return self._write(command, files, parameters)
        except OSError as error:
            raise AnalysisError(f"{self.folder}: cannot be written ({error.strerror})") from error

    def _write(
        self, command: Sequence[str], files: Sequence[Source], parameters: dict[str, Any] | None
    ) -> list[str]:
        manifest = read_manifest(self.folder) if (self.folder / MANIFEST).exists() else {}
        self._check_own(manifest)
        for name, content in self.contents.items():
            write_atomic(self.folder / name, content)
        write_manifest(self.folder, self._merged(manifest, command, files, parameters))
        for name in self._outdated(manifest):
            (self.folder / name).unlink(missing_ok=True)
        return self._replaced(manifest)

    def _replaced(self, manifest: dict[str, Any]) -> list[str]:
        """What is no longer there of the results that the manifest lists."""
        new = {entry["name"] for entry in self.entries}
        before = [
            entry["name"]
            for entry in manifest.get("entries", [])
            if entry["section"] == self.section or entry["name"] in new
        ]
        kinds = {
            "replaced": [name for name in before if name in new],
            "removed": [name for name in before if name not in new],
        }
        return [
            f"{done} in {self.folder}, of an earlier command: {', '.join(names)}"
            for done, names in kinds.items()
            if names
        ]

    def _check_own(self, manifest: dict[str, Any]) -> None:
        """Raises if a file would be replaced that no analysis wrote."""
        listed = {name for entry in manifest.get("entries", []) for name in entry["files"].values()}
        listed |= manifest.get(WRITTEN, {}).keys()
        for name, content in self.contents.items():
            path = self.folder / name
            # A run that was killed has written files that it has not listed.
            if name not in listed and path.exists() and not _holds(path, content):
                raise AnalysisError(
                    f"{path}: was not written by `python -m analysis`, and would be replaced; move "
                    "it, or give another folder"
                )

    def _merged(
        self,
        manifest: dict[str, Any],
        command: Sequence[str],
        files: Sequence[Source],
        parameters: dict[str, Any] | None,
    ) -> dict[str, Any]:
        new = {entry["name"] for entry in self.entries}
        kept = [
            entry
            for entry in manifest.get("entries", [])
            if entry["name"] not in new and entry["section"] != self.section
        ]
        commands = {
            **manifest.get("commands", {}),
            self.section: {
                "command": list(command),
                "parameters": parameters or {},
                "files": [str(file.path) for file in files],
            },
        }
        # What only an earlier run of this command has read is no longer behind anything here.
        read = files_read(commands)
        inputs = {entry["path"]: entry for entry in manifest.get("files", [])}
        inputs = {path: entry for path, entry in inputs.items() if path in read}
        for file in files:
            inputs[str(file.path)] = {"path": str(file.path), "sha256": sha256(file.path)}
        return {
            "format": FORMAT,
            "entries": kept + self.entries,
            "files": list(inputs.values()),
            "commands": commands,
            WRITTEN: self._written(manifest),
            "versions": {
                "python": platform.python_version(),
                **{package: version(package) for package in PACKAGES},
            },
        }

    def _written(self, manifest: dict[str, Any]) -> dict[str, str]:
        outdated = self._outdated(manifest)
        kept = {
            name: written
            for name, written in manifest.get(WRITTEN, {}).items()
            if name not in outdated
        }
        new = {name: hashlib.sha256(each).hexdigest() for name, each in self.contents.items()}
        return {**kept, **new}

    def _outdated(self, manifest: dict[str, Any]) -> set[str]:
        """Files of an earlier run of the command that no longer stand for anything."""
        return files_of(manifest, self.section) - set(self.contents)

    def _free(self, name: str) -> str:
        """The name, with a number if names of the data that differ have come to the same."""
        taken = {entry["name"] for entry in self.entries}
        numbered = (f"{name}-{number}" for number in count(2))
        return next(each for each in chain([name], numbered) if each not in taken)

    def _add(self, name: str, content: str | bytes) -> str:
        self.contents[name] = content.encode() if isinstance(content, str) else content
        return name

    def _enter(
        self, kind: str, name: str, caption: str, files: dict[str, str], note: str, **more: Any
    ) -> None:
        self.entries.append(
            {
                "kind": kind,
                "name": name,
                "section": self.section,
                "caption": caption,
                "note": note,
                "files": files,
                **more,
            }
        )


def _holds(path: Path, content: bytes) -> bool:
    return path.is_file() and path.read_bytes() == content


def slug(*names: str) -> str:
    """For the name of a file; the data's own names may be longer than one can be."""
    return re.sub(r"[^a-z0-9.]+", "-", "-".join(names).lower()).strip("-")[:LONGEST_NAME]
