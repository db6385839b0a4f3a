"""
An archive is data, not a program: what is checked before a model that somebody else made is built.

AllenNLP unpacks whatever an archive holds, evaluates its config as a jsonnet program (which can
read files and the environment), and takes a name with a dot for the path of anything callable. Here
members are checked before they are unpacked, and the config has to be plain JSON, which it is once
training has resolved it. What that config may reach is in archive_reach.py.
"""

import gzip
import os
import shutil
import tarfile
import tempfile
import zlib
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from typing import Any, Iterator, List, Tuple, Union

from allennlp.models.archival import get_weights_path

from attention_explain.archive_reach import archives_are_trusted
from attention_explain.commands.startup.global_options import TRUST
from attention_explain.errors import InputError
from attention_explain.files.atomic import clear_leftovers, owned_name
from attention_explain.files.records import check_files, read_json

CONFIG_NAME = "config.json"
BLOCK = 1 << 20
# Begins the names of folders that archives are unpacked to.
UNPACKED = "attention_explain-archive"
# Options by which a config asks a library to run what it has downloaded.
REMOTE_CODE = "trust_remote_code"
# Set by the program. AllenNLP prefers what a config says of them: it would write to another folder, or
# read other data than was asked for.
FOLDER = "serialization_dir"
LOADERS = ("data_loader", "validation_data_loader")
OF_LOADERS = ("data_path", "reader")


@contextmanager
def checked_folder(path: Union[str, os.PathLike], weights: bool = True) -> Iterator[Path]:
    """
    The folder of a training run, or an archive unpacked for as long as this lasts; checked. If its
    weights are not needed, they may be damaged.
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
    """The members of an archive, in a folder that is gone afterwards."""
    parent = Path(tempfile.gettempdir())
    clear_leftovers(parent, UNPACKED, "-")
    folder = Path(tempfile.mkdtemp(prefix=owned_name(UNPACKED, "-")))
    try:
        try:
            with tarfile.open(path, "r:gz") as archive:
                members = archive.getmembers()
                _check_members(members, path, free=shutil.disk_usage(folder).free)
                # Of Python 3.11.4 and later; the members have been checked in any case.
                options = {"filter": "data"} if hasattr(tarfile, "data_filter") else {}
                archive.extractall(folder, members=members, **options)
                # Behind the last member is the checksum of all of them, checked when it is read.
                while archive.fileobj.read(BLOCK):
                    pass
        except (tarfile.TarError, EOFError, zlib.error, gzip.BadGzipFile) as error:
            raise InputError(f"{path}: is not a model archive, or broken ({error})") from error
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _check_members(members: List[tarfile.TarInfo], path: Path, free: int) -> None:
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
    """Refuses a config that is more than data; `archive` is what messages name."""
    if not config.is_file():
        raise InputError(f"{archive}: is no model archive (it has no {CONFIG_NAME})")
    if archives_are_trusted():
        return
    try:
        stated = read_json(config.read_bytes(), parse_constant=_no_number)
    except ValueError as error:
        raise InputError(
            f"{archive}: its {CONFIG_NAME} is not plain JSON ({error}), and as a program it is not "
            f"run; {TRUST} opens archives that run code"
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
    """Refuses a config of nothing that could be opened; `config` is how messages begin."""
    for name in ("model", "dataset_reader"):
        component = stated.get(name) if isinstance(stated, dict) else None
        if not isinstance(component, dict):
            raise InputError(f"{config} has no object '{name}'")
        if not isinstance(component.get("type"), str):
            raise InputError(f"{config} has no 'type' in its object '{name}'")


def _no_number(name: str) -> Any:
    raise ValueError(f"{name} is no number")


def _fields(stated: Any) -> Iterator[Tuple[str, Any]]:
    """All fields of all objects, with their values."""
    left = [stated]
    while left:
        value = left.pop()
        if isinstance(value, dict):
            yield from value.items()
            left += value.values()
        elif isinstance(value, list):
            left += value
