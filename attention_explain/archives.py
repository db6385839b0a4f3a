"""
Trained models as files: archives and folders of training runs, checked and opened, and told apart by content.
A folder of transformers is as good as an archive.

An archive must be data, not a program. AllenNLP unpacks all members of an archive, evaluates its config as a
jsonnet program (which can read files and the environment), and imports any name with a dot. Here members are
checked before they are unpacked, and the config must be plain JSON, as training writes it. archive_reach.py
limits what that config may refer to.
"""

import gzip
import hashlib
import os
import pickle
import shutil
import tarfile
import tempfile
import textwrap
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from os import PathLike
from pathlib import Path, PurePosixPath
from typing import Any

import torch
from allennlp.common import Params, params
from allennlp.common.checks import ConfigurationError, check_for_gpu
from allennlp.data import DatasetReader, Vocabulary
from allennlp.models import Model
from allennlp.models.archival import CONFIG_NAME, Archive, get_weights_path, load_archive

from attention_explain.archive_reach import archives_are_trusted, limited_to_archive, trusting
from attention_explain.commands.startup.global_options import TRUST
from attention_explain.data.any_reader import warn_once
from attention_explain.data.example import ORIGIN_NAMESPACE, TEXT, TEXTS_OF_PAIRS
from attention_explain.data.pair_reader import PairReader
from attention_explain.data.sources import local_path
from attention_explain.data.tokenizers import PUNCTUATION
from attention_explain.errors import InputError
from attention_explain.files.atomic import clear_leftovers, owned_name
from attention_explain.files.records import check_files, read_json
from attention_explain.pretrained.adapters import whole
from attention_explain.pretrained.folders import (
    SAID,
    TransformerFolder,
    files_that_count,
)
from attention_explain.sentences import NO_NUMBERS

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


# Of a training run, made before its first epoch.
VOCABULARY = "vocabulary"

# A set, which AllenNLP writes in an order that changes from process to process.
NAMESPACES = "non_padded_namespaces.txt"

# How the texts for a folder are read, unless overrides say otherwise.
READER = "transformer_text"

# What reading a file raises that is broken, or of another kind or model than was expected; torch has
# no exceptions of its own for that.
BROKEN = (EOFError, OSError, pickle.UnpicklingError, RuntimeError)


def open_archive(
    path: str | PathLike,
    cuda_device: int = -1,
    overrides: str | dict[str, Any] = "",
    weights_file: str | None = None,
    trust: bool = False,
) -> Archive:
    """
    The archive, training run, or folder of transformers at a path or URL; with other weights, where
    they are named. It may run no code of its own, unless it is to be trusted.
    """
    check_device(cuda_device)
    location = local_path(path)
    location = whole(location)
    if is_transformer_folder(location):
        if weights_file is not None:
            raise InputError(f"{path}: has its own weights, and takes none of {weights_file}")
        return open_transformer(location, cuda_device, overrides)
    if location.is_dir() and not (location / CONFIG_NAME).exists():
        raise InputError(f"{path}: the folder of no training run (it has no {CONFIG_NAME})")
    try:
        with (
            trusting(trust),
            checked_folder(location, weights=weights_file is None) as folder,
            limited_to_archive(folder, overrides),
        ):
            if overrides:
                changed = Params.from_file(folder / CONFIG_NAME, overrides).as_dict(quiet=True)
                check_components(changed, f"{path}: with these overrides its config")
            return load_archive(folder, cuda_device, overrides, weights_file)
    except FileNotFoundError as error:
        if location.is_dir() and not (location / VOCABULARY).exists():
            raise InputError(
                f"{path}: holds no finished training (it has no {VOCABULARY})"
            ) from error
        # Says itself what is missing.
        raise
    except BROKEN as error:
        what = path if weights_file is None else f"{path} with the weights of {weights_file}"
        rejected = isinstance(error, pickle.UnpicklingError) and "Weights only" in str(error)
        reason = NO_NUMBERS if rejected else textwrap.shorten(str(error), 300, placeholder=" ...")
        raise InputError(f"{what}: is not a model archive, or broken ({reason})") from error


@dataclass(frozen=True, eq=False)
class OpenedModel(PathLike):
    """
    A model that jobs use in place of a path.

    archive : the model, ready to be explained, with its reader and config.
    path : where it was loaded from; None for a model in memory.
    """

    archive: Archive
    name: str
    path: Path | None = None

    def __fspath__(self) -> str:
        return self.name

    def __str__(self) -> str:
        return self.name


def open_to_explain(
    path: str | PathLike,
    cuda_device: int = -1,
    overrides: str | dict[str, Any] = "",
    trust: bool = False,
) -> Archive:
    """The same, whose model says what methods may ask of it; an opened model is returned as it is."""
    if isinstance(path, OpenedModel):
        return path.archive
    # Imported here, because models are trained with archives.
    from attention_explain.models.explainable import explainable

    archive = open_archive(path, cuda_device, overrides, trust=trust)
    return archive._replace(model=explainable(archive.model))


def is_transformer_folder(path: Path) -> bool:
    """Of transformers, and no training run of AllenNLP, which has a `config.json`, too."""
    if not (path / CONFIG_NAME).is_file():
        return False
    try:
        stated = read_json((path / CONFIG_NAME).read_bytes())
    except (OSError, ValueError):
        return False
    return isinstance(stated, dict) and "model_type" in stated and "model" not in stated


def check_device(cuda_device: int) -> None:
    """Says that a GPU is not there before anything is loaded."""
    try:
        check_for_gpu(cuda_device)
    except ConfigurationError as error:
        raise InputError(
            f"cuda_device is {cuda_device}, but there is no such GPU here; -1 is the CPU"
        ) from error


def archive_sha256(path: str | PathLike) -> str:
    """
    Of an archive file; or of config, weights and vocabulary of a training run; or of config, weights
    and tokenizer of a transformer. A model in memory has the hash of its weights.
    """
    if isinstance(path, OpenedModel):
        if path.path is None:
            return weights_sha256(path.archive.model)
        path = path.path
    location = whole(local_path(path))
    digest = hashlib.sha256()
    if location.is_file():
        _add_file(digest, location)
        return digest.hexdigest()
    for file in _files_that_count(location):
        digest.update(file.relative_to(location).as_posix().encode() + b"\0")
        if file.name == NAMESPACES:
            digest.update(b"".join(sorted(file.read_bytes().splitlines(keepends=True))))
        else:
            _add_file(digest, file)
    return digest.hexdigest()


def weights_sha256(model: torch.nn.Module) -> str:
    """Of what the model has learned, wherever it lies and whenever it was written."""
    digest = hashlib.sha256()
    for name, values in sorted(model.state_dict().items()):
        values = values.detach().cpu().contiguous()
        digest.update(f"{name} {values.dtype} {tuple(values.shape)}".encode() + b"\0")
        digest.update(values.view(-1).view(torch.uint8).numpy())
    return digest.hexdigest()


def _files_that_count(run: Path) -> list[Path]:
    if is_transformer_folder(run):
        return files_that_count(run)
    vocabulary = sorted(
        file for file in run.glob(f"{VOCABULARY}/*") if not file.name.startswith(".")
    )
    return [run / CONFIG_NAME, Path(get_weights_path(run)), *vocabulary]


def _add_file(digest: "hashlib._Hash", path: Path) -> None:
    with open(path, "rb") as file:
        while block := file.read(1 << 20):
            digest.update(block)


def open_transformer(
    path: Path, cuda_device: int = -1, overrides: str | dict[str, Any] = ""
) -> Archive:
    """Of a folder that `is_transformer_folder` knows; overrides change the config below."""
    folder = TransformerFolder.opened(path)
    stated = _config(folder)
    if overrides:
        given = params.parse_overrides(overrides) if isinstance(overrides, str) else overrides
        stated = params.with_overrides(stated, given)
        check_components(stated, f"{path}: with these overrides its config")
    if stated["dataset_reader"]["type"] == READER:
        stated["dataset_reader"].setdefault("disallowed_fields", list(TEXTS_OF_PAIRS))
    if folder.head in SAID:
        warn_once(f"{path}: {SAID[folder.head]}")
        if stated["dataset_reader"]["type"] == READER:
            stated["dataset_reader"]["read_labels"] = False
    config = Params(stated)
    with limited_to_archive(folder.path, overrides):
        reader = DatasetReader.from_params(config.duplicate()["dataset_reader"])
        if isinstance(reader, PairReader) and reader.pairs:
            raise InputError(
                f"{path}: the dataset reader '{stated['dataset_reader']['type']}' reads pairs for an "
                "attention_pair_classifier; a folder of transformers reads them with its own reader, "
                f"'{READER}', from fields such as 'premise' and 'hypothesis'"
            )
        model = Model.from_params(
            config.duplicate()["model"], vocab=label_vocabulary(folder.labels)
        )
    if cuda_device >= 0:
        model.cuda(cuda_device)
    return Archive(model.eval(), config, reader, reader, None)


def _config(folder: TransformerFolder) -> dict[str, Any]:
    name = str(folder.path)
    return {
        "model": {"type": "transformer_classifier", "model_name": name, "own_head": True},
        "dataset_reader": {
            "type": READER,
            "tokenizer": {"type": "written_words", "split": PUNCTUATION, "model_name": name},
            "token_indexers": {
                "tokens": {"type": "transformer_pieces", "model_name": name, "as_written": True}
            },
        },
    }


def label_vocabulary(labels: Iterable[str]) -> Vocabulary:
    """Labels, and that the model has read strings; words and pieces are the tokenizer's."""
    vocabulary = Vocabulary()
    vocabulary.add_tokens_to_namespace(list(labels), "labels")
    vocabulary.add_token_to_namespace(TEXT, ORIGIN_NAMESPACE)
    return vocabulary
