"""
Outputs of steps that are there, but are not what was written. What is wrong is told in a sentence
that names the file, and nothing is told of what is whole.
"""

import os
from functools import cache
from pathlib import Path
from typing import Any, Dict, Iterable, Mapping, Sequence

from analysis.errors import AnalysisError
from analysis.manifest import damaged_file, read_manifest
from attention_explain.files.records import Damaged, fingerprint, is_unchanged, told

DAMAGED = "is damaged: it is not what was written"


def fingerprints(folder: Path, files: Iterable[Path]) -> Dict[str, Any]:
    """Of those that are there, by their names in the folder."""
    return {str(file.relative_to(folder)): fingerprint(file) for file in files if file.is_file()}


def other_file(folder: Path, taken: Any, record: Path) -> str:
    """`taken` are the fingerprints that stand in the record."""
    if not isinstance(taken, Mapping) or not taken:
        return f"{record}: is damaged: it lists no files"
    for name, one in taken.items():
        path = folder / name
        if not path.is_file():
            return f"{path}: is missing"
        if not is_unchanged(path, one):
            return f"{path}: {DAMAGED}"
    return ""


def other_size(folder: Path, sizes: Mapping[str, Any]) -> str:
    for name, size in sizes.items():
        path = folder / name
        if not path.is_file():
            return f"{path}: is missing"
        if path.stat().st_size != size:
            return f"{path}: {DAMAGED}"
    return ""


def missing_file(files: Iterable[Path]) -> str:
    return next((f"{path}: is missing" for path in files if not path.is_file()), "")


def damaged_parquet(output: str) -> str:
    """It knows itself whether it is what was written; that it is not there at all is no damage."""
    try:
        state = os.stat(output)
    except OSError:
        return ""
    return _unsealed(output, state.st_size, state.st_mtime_ns)


@cache
def _unsealed(path: str, size: int, mtime: int) -> str:
    """All of it is read: once, as long as its size and date are the same."""
    from attention_explain.files.sealed import read_sealed

    try:
        read_sealed(path)
    except (Damaged, OSError) as error:
        return str(error) if isinstance(error, Damaged) else told(error)
    return ""


def damaged_table(folder: Path, command: Sequence[str]) -> str:
    """Of the results that a command has put into a folder; of all, if it is not known which."""
    try:
        manifest = read_manifest(folder)
    except AnalysisError as error:
        return str(error)
    # Told as `python -m analysis ...`.
    told = ["python", *command]
    own = {section for section, made in manifest["commands"].items() if made["command"] == told}
    return damaged_file(folder, manifest, own or set(manifest["commands"]))
