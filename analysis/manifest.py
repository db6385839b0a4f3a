"""
What a folder of results lists: the results, in the order in which pages show them and with titles for
them, which commands made them, which files they come from.
"""

import fcntl
import hashlib
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from itertools import takewhile
from pathlib import Path
from typing import Any

from analysis.errors import AnalysisError
from attention_explain.files.records import (
    DamagedFileError,
    read_record,
    remembered_sha256,
    write_record,
)

MANIFEST = "manifest.json"
FORMAT = 1
# The section that comes first.
CLAIMS = "The papers' claims"
# The hash of each file that was put into the folder.
WRITTEN = "written"
DAMAGED = "is damaged: it is not what was written; make it again by the command that wrote it"
# A result, as the manifest lists it.
Entry = dict[str, Any]


def read_manifest(folder: Path) -> dict[str, Any]:
    """Of a folder of results; raises `AnalysisError` where there is none, or a damaged one."""
    path = folder / MANIFEST
    try:
        manifest = read_record(path)
    except DamagedFileError as error:
        raise AnalysisError(str(error)) from error
    if manifest is None:
        raise AnalysisError(f"{folder}: no output of `python -m analysis`, {MANIFEST} is missing")
    if manifest.get("format") != FORMAT:
        raise AnalysisError(f"{path}: has format {manifest.get('format')}, not known here")
    if not _is_manifest(manifest):
        raise AnalysisError(f"{path}: is no manifest of `python -m analysis`")
    return manifest


def write_manifest(folder: Path, manifest: dict[str, Any]) -> None:
    """With a hash of itself, by which damage is known."""
    write_record(folder / MANIFEST, manifest, indent=1)


def read_listed(folder: Path, manifest: dict[str, Any], name: str) -> bytes:
    """A file of the folder, which is what was written there, if the manifest has its hash."""
    if Path(name).name != name:
        raise AnalysisError(
            f"{folder / MANIFEST}: lists the file {name!r}, which is outside its folder"
        )
    path = folder / name
    try:
        content = path.read_bytes()
    except OSError as error:
        raise AnalysisError(
            f"{path}: is listed in the manifest but cannot be read ({error.strerror})"
        ) from error
    written = manifest.get(WRITTEN, {}).get(name)
    if written is not None and hashlib.sha256(content).hexdigest() != written:
        raise AnalysisError(f"{path}: {DAMAGED}")
    return content


def damaged_file(folder: Path, manifest: dict[str, Any], sections: set[str]) -> str:
    """What is wrong with the first file of the sections that is not as it was written, if any is."""
    for name in sorted(set().union(*(files_of(manifest, section) for section in sections))):
        path = folder / name
        written = manifest.get(WRITTEN, {}).get(name)
        if not path.is_file():
            return f"{path}: is missing"
        if written is not None and remembered_sha256(path) != written:
            return f"{path}: {DAMAGED}"
    return ""


def _is_manifest(manifest: dict[str, Any]) -> bool:
    """Whether it has the shape that all readers rely on."""
    entries, files, commands = (manifest.get(key, ()) for key in ("entries", "files", "commands"))
    return (
        _all_have(
            entries, {"kind": str, "name": str, "section": str, "caption": str, "files": dict}
        )
        and all(isinstance(name, str) for entry in entries for name in entry["files"].values())
        and _all_have(files, {"path": str, "sha256": str})
        and isinstance(commands, dict)
        and _all_have(list(commands.values()), {"command": list, "parameters": dict})
        and isinstance(manifest.get("versions"), dict)
        and isinstance(manifest.get(WRITTEN, {}), dict)
    )


def _all_have(several: Any, kinds: dict[str, type]) -> bool:
    return isinstance(several, list) and all(
        isinstance(one, dict) and all(isinstance(one.get(key), kinds[key]) for key in kinds)
        for one in several
    )


@contextmanager
def alone_in(folder: Path) -> Iterator[None]:
    """One writer of a manifest at a time, where the file system can tell."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        with suppress(OSError):
            fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def drop_damaged_manifest(folder: Path) -> None:
    """So that the commands that write into the folder begin a new one."""
    with alone_in(folder):
        try:
            read_manifest(folder)
        except AnalysisError:
            (folder / MANIFEST).unlink(missing_ok=True)


def files_of(manifest: dict[str, Any], section: str) -> set[str]:
    """The names of the files of a section, in the manifest's own folder."""
    names = {
        name
        for entry in manifest.get("entries", [])
        if entry["section"] == section
        for name in entry["files"].values()
    }
    return {name for name in names if Path(name).name == name}


def files_read(commands: dict[str, Any]) -> set[str]:
    """What any of the commands has read."""
    return {path for one in commands.values() for path in one.get("files", [])}


def drop_section(folder: Path, section: str) -> None:
    """As if its command had never written into the folder."""
    with alone_in(folder):
        manifest = read_manifest(folder)
        outdated = files_of(manifest, section)
        manifest["entries"] = [
            entry for entry in manifest["entries"] if entry["section"] != section
        ]
        manifest["commands"].pop(section)
        read = files_read(manifest["commands"])
        manifest["files"] = [entry for entry in manifest["files"] if entry["path"] in read]
        manifest[WRITTEN] = {
            name: written
            for name, written in manifest.get(WRITTEN, {}).items()
            if name not in outdated
        }
        write_manifest(folder, manifest)
        for name in outdated:
            (folder / name).unlink(missing_ok=True)


def title_of(name: str, section: str = "") -> str:
    """`some_paper` is for files; what the section says already is not said again."""
    words = re.sub(r"[-_]+", " ", name).split()
    said = re.findall(r"\w+", re.sub(r"[-_]+", " ", section).lower())
    repeated = len(list(takewhile(lambda pair: pair[0].lower() == pair[1], zip(words, said))))
    title = " ".join(words[repeated:] or words)
    return title[:1].upper() + title[1:]


def in_order(entries: list[Entry]) -> list[Entry]:
    """The claims first, then what is of no paper, then papers by year; sections as written."""

    def position(entry: Entry) -> tuple[int, str]:
        if entry["section"] == CLAIMS:
            return (-1, "")
        return (year_of(entry["section"], 0), entry["section"].lower())

    return sorted(entries, key=position)


def year_of(title: str, otherwise: int) -> int:
    """When the paper of a title appeared."""
    years = re.findall(r"\b(?:19|20)\d\d\b", title)
    return int(years[-1]) if years else otherwise
