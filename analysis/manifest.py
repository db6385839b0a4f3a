"""What a folder of results lists: the results, which commands made them, which files they come from."""

import fcntl
import json
import os
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Dict, Iterator, Set

from analysis.errors import AnalysisError
from durable.whole import write_whole

MANIFEST = "manifest.json"
FORMAT = 1


def read_manifest(folder: Path) -> Dict[str, Any]:
    path = folder / MANIFEST
    if not path.is_file():
        raise AnalysisError(f"{folder}: no output of `python -m analysis`, {MANIFEST} is missing")
    try:
        manifest = json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise AnalysisError(f"{path}: not JSON ({error})") from error
    if manifest.get("format") != FORMAT:
        raise AnalysisError(f"{path}: has format {manifest.get('format')}, not known here")
    return manifest


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


def files_of(manifest: Dict[str, Any], section: str) -> Set[str]:
    """The names of the files of a section, in the manifest's own folder."""
    names = {
        name
        for entry in manifest.get("entries", [])
        if entry["section"] == section
        for name in entry["files"].values()
    }
    return {name for name in names if Path(name).name == name}


def files_read(commands: Dict[str, Any]) -> Set[str]:
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
        write_whole(folder / MANIFEST, json.dumps(manifest, indent=1).encode())
        for name in outdated:
            (folder / name).unlink(missing_ok=True)
