"""
An archive is data, not a program: what is checked before a model that somebody else made is built.

AllenNLP unpacks whatever an archive holds, evaluates its config as a jsonnet program (which can
read files and the environment), and takes a name with a dot for the path of anything callable. Here
members are checked before they are unpacked, the config has to be plain JSON, which it is once
training has resolved it, and classes go by the names that they are registered under.
"""

import gzip
import os
import shutil
import sys
import tarfile
import tempfile
import zlib
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path, PurePosixPath
from typing import Any, Iterator, List, Optional, Union

from allennlp.common.checks import ConfigurationError
from allennlp.models.archival import get_weights_path

from command_line.options_of_all import TRUST, TRUST_VARIABLE
from durable.records import Damaged, check_files, read_json
from durable.whole import clear_leftovers, owned_name

CONFIG_NAME = "config.json"
BLOCK = 1 << 20
# Begins the names of folders that archives are unpacked to.
UNPACKED = "attention_explain-archive"
# Options by which a config asks a library to run what it has downloaded.
REMOTE_CODE = "trust_remote_code"

# Whether archives may do what a program may; and whether a name has to be a registered one.
_trusted: ContextVar[bool] = ContextVar("trusted", default=False)
_registered_only: ContextVar[bool] = ContextVar("registered_only", default=False)


def archives_are_trusted() -> bool:
    return _trusted.get() or os.environ.get(TRUST_VARIABLE) == "yes"


@contextmanager
def trusting(trusted: bool) -> Iterator[None]:
    """For a while; False changes nothing."""
    token = _trusted.set(trusted or archives_are_trusted())
    try:
        yield
    finally:
        _trusted.reset(token)


@contextmanager
def names_of_an_archive() -> Iterator[None]:
    """Classes that are named meanwhile are named by an archive."""
    token = _registered_only.set(not archives_are_trusted())
    try:
        yield
    finally:
        _registered_only.reset(token)


def class_by_path(name: str, base: type) -> Optional[type]:
    """
    What a name with a dot stands for in an archive; None where it may stand for anything. A class
    of the kind that is wanted, of a module that is imported already (by a plugin, or
    `--include-package`), is as good as a registered one, and nothing else is.
    """
    if not _registered_only.get():
        return None
    module, _, last = name.rpartition(".")
    named = getattr(sys.modules.get(module), last, None)
    if isinstance(named, type) and issubclass(named, base):
        return named
    raise ConfigurationError(
        f"the archive asks for '{name}', which is no registered {base.__name__}; if it is a class of "
        f"yours, name its package with --include-package; {TRUST} opens archives that run code"
    )


@contextmanager
def checked_folder(path: Union[str, os.PathLike], weights: bool = True) -> Iterator[Path]:
    """
    The folder of a training run, or an archive unpacked for as long as this lasts; checked. If its
    weights are not needed, they may be damaged.
    """
    path = Path(path)
    if path.is_dir():
        try:
            used = (
                CONFIG_NAME,
                "vocabulary",
                *([Path(get_weights_path(path)).name] if weights else []),
            )
            check_files(path, used)
        except Damaged as error:
            raise ConfigurationError(str(error)) from error
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
            raise ConfigurationError(
                f"{path}: is not a model archive, or broken ({error})"
            ) from error
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _check_members(members: List[tarfile.TarInfo], path: Path, free: int) -> None:
    seen = set()
    for member in members:
        name = PurePosixPath(member.name)
        if name.is_absolute() or ".." in name.parts or "\\" in member.name:
            raise ConfigurationError(
                f"{path}: has the member '{member.name}', outside of its folder"
            )
        if not (member.isreg() or member.isdir()):
            raise ConfigurationError(
                f"{path}: has the member '{member.name}', which is neither a file nor a folder"
            )
        if member.isreg() and name in seen:
            raise ConfigurationError(f"{path}: has the member '{member.name}' twice")
        seen.add(name)
    size = sum(member.size for member in members)
    if size > free:
        raise ConfigurationError(
            f"{path}: unpacks to {size / 1e9:.1f} GB, but {tempfile.gettempdir()} has "
            f"{free / 1e9:.1f} GB left"
        )


def check_config(config: Path, archive: Path) -> None:
    """Refuses a config that is more than data; `archive` is what messages name."""
    if not config.is_file():
        raise ConfigurationError(f"{archive}: is no model archive (it has no {CONFIG_NAME})")
    if archives_are_trusted():
        return
    try:
        stated = read_json(config.read_bytes(), parse_constant=_no_number)
    except ValueError as error:
        raise ConfigurationError(
            f"{archive}: its {CONFIG_NAME} is not plain JSON ({error}), and as a program it is not "
            f"run; {TRUST} opens archives that run code"
        ) from error
    check_components(stated, f"{archive}: its {CONFIG_NAME}")
    if _asks_for_remote_code(stated):
        raise ConfigurationError(
            f"{archive}: its {CONFIG_NAME} has '{REMOTE_CODE}', which would run code from elsewhere; "
            f"{TRUST} opens archives that run code"
        )


def check_components(stated: Any, config: str) -> None:
    """Refuses a config of nothing that could be opened; `config` is how messages begin."""
    for name in ("model", "dataset_reader"):
        component = stated.get(name) if isinstance(stated, dict) else None
        if not isinstance(component, dict):
            raise ConfigurationError(f"{config} has no object '{name}'")
        if not isinstance(component.get("type"), str):
            raise ConfigurationError(f"{config} has no 'type' in its object '{name}'")


def _no_number(name: str) -> Any:
    raise ValueError(f"{name} is no number")


def _asks_for_remote_code(stated: Any) -> bool:
    left = [stated]
    while left:
        one = left.pop()
        if isinstance(one, dict):
            if one.get(REMOTE_CODE):
                return True
            left += one.values()
        elif isinstance(one, list):
            left += one
    return False
