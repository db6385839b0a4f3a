"""
Checks of model archives before they are opened: an archive must be data, not a program.

AllenNLP unpacks all members of an archive, evaluates its config as a jsonnet program (which can read files and the
environment), and imports any name with a dot. Here members are checked before they are unpacked, and the config must
be plain JSON, as training writes it. archive_reach.py limits what that config may refer to.
"""

import gzip
import os
import shutil
import tarfile
import tempfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from typing import Any

from allennlp.models.archival import get_weights_path

from attention_explain.archive_reach import archives_are_trusted
from attention_explain.commands.startup.global_options import TRUST
from attention_explain.errors import InputError
from attention_explain.files.atomic import clear_leftovers, owned_name
from attention_explain.files.records import check_files, read_json

CONFIG_NAME = "config.json"
BLOCK = 1 << 20
# The beginning of the names of folders for unpacked archives.
UNPACKED = "attention_explain-archive"
# The option with which a config lets a library run downloaded code.
REMOTE_CODE = "trust_remote_code"
# Options that the program sets. AllenNLP would prefer those of the config, and write to another folder or read
# other data.
FOLDER = "serialization_dir"
LOADERS = ("data_loader", "validation_data_loader")
OF_LOADERS = ("data_path", "reader")


@contextmanager
def checked_folder(path: str | os.PathLike, weights: bool = True) -> Iterator[Path]:
    """
    Yield the checked folder of a training run, or a temporary folder with an unpacked archive. Weights that are not
    needed may be damaged.
    """
    path = Path(path)
    if path.is_dir():
        weights_names = [Path(get_weights_path(path)).name] if weights else []
        check_files(path, [CONFIG_NAME, "vocabulary", *weights_names])
        check_config(path / CONFIG_NAME, path)
        yield path
        return
    with unpacked(path) as folder:
        check_config(folder / CONFIG_NAME, path)
        yield folder


@contextmanager
def unpacked(path: Path) -> Iterator[Path]:
    """Yield a temporary folder with the members of an archive."""
    parent = Path(tempfile.gettempdir())
    clear_leftovers(parent, UNPACKED, "-")
    folder = Path(tempfile.mkdtemp(prefix=owned_name(UNPACKED, "-")))
    try:
        try:
            with tarfile.open(path, "r:gz") as archive:
                members = archive.getmembers()
                _check_members(members, path, free=shutil.disk_usage(folder).free)
                # Python 3.11.4 and later; the members have been checked in any case.
                options: dict[str, Any] = (
                    {"filter": "data"} if hasattr(tarfile, "data_filter") else {}
                )
                archive.extractall(folder, members=members, **options)
                # The checksum of all members comes last, and is checked when it is read.
                while archive.fileobj is not None and archive.fileobj.read(BLOCK):
                    pass
        except (tarfile.TarError, EOFError, zlib.error, gzip.BadGzipFile) as error:
            raise InputError(f"{path}: is not a model archive, or broken ({error})") from error
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _check_members(members: list[tarfile.TarInfo], path: Path, free: int) -> None:
    seen = set()
    for member in members:
        name = PurePosixPath(member.name)
        if name.is_absolute() or ".." in name.parts or "\\" in member.name:
            raise InputError(f"{path}: has the member '{member.name}', outside of its folder")
        if not (member.isreg() or member.isdir()):
            raise InputError(
                f"{path}: has the member '{member.name}', which is neither a file nor a folder"
            )
        if member.isreg() and name in seen:
            raise InputError(f"{path}: has the member '{member.name}' twice")
        seen.add(name)
    size = sum(member.size for member in members)
    if size > free:
        raise InputError(
            f"{path}: unpacks to {size / 1e9:.1f} GB, but {tempfile.gettempdir()} has "
            f"{free / 1e9:.1f} GB left"
        )


def check_config(config: Path, archive: Path) -> None:
    """Raise if a config is more than data; messages name `archive`."""
    if not config.is_file():
        raise InputError(f"{archive}: is not a model archive (it has no {CONFIG_NAME})")
    if archives_are_trusted():
        return
    try:
        stated = read_json(config.read_bytes(), parse_constant=_no_number)
    except ValueError as error:
        raise InputError(
            f"{archive}: its {CONFIG_NAME} is not plain JSON ({error}), and programs are not run; "
            f"{TRUST} opens archives that run code"
        ) from error
    check_components(stated, f"{archive}: its {CONFIG_NAME}")
    for name, value in _fields(stated):
        if name == REMOTE_CODE and value:
            raise InputError(
                f"{archive}: its {CONFIG_NAME} has '{REMOTE_CODE}', which would run code from "
                f"elsewhere; {TRUST} opens archives that run code"
            )
        if name == FOLDER:
            raise InputError(
                f"{archive}: its {CONFIG_NAME} has '{FOLDER}', which would write to {value!r}; {TRUST} "
                "opens archives that do"
            )
    for loader in LOADERS:
        given = stated[loader] if isinstance(stated.get(loader), dict) else {}
        for name in OF_LOADERS:
            if name in given:
                raise InputError(
                    f"{archive}: its {CONFIG_NAME} has '{loader}.{name}', which would replace the data "
                    f"that you give; {TRUST} opens archives that do"
                )


def check_components(stated: Any, config: str) -> None:
    """Raise if a config has no model or dataset reader; messages begin with `config`."""
    for name in ("model", "dataset_reader"):
        component = stated.get(name) if isinstance(stated, dict) else None
        if not isinstance(component, dict):
            raise InputError(f"{config} has no object '{name}'")
        if not isinstance(component.get("type"), str):
            raise InputError(f"{config} has no 'type' in its object '{name}'")


def _no_number(name: str) -> Any:
    raise ValueError(f"{name} is not a number")


def _fields(stated: Any) -> Iterator[tuple[str, Any]]:
    """All fields of all objects, with their values."""
    left = [stated]
    while left:
        value = left.pop()
        if isinstance(value, dict):
            yield from value.items()
            left += value.values()
        elif isinstance(value, list):
            left += value
