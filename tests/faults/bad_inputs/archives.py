"""Archives and folders of training runs: damaged, hostile, or of other models."""

import gzip
import io
import os
import shutil
import tarfile
from pathlib import Path
from typing import Any, Callable, Dict, Iterator, Tuple, Union

import torch

from tests.faults.bad_inputs.case import (
    DAMAGE,
    METHODS,
    OUTPUT,
    RUN,
    WAYS,
    Case,
    Command,
    Fault,
    changed,
    half,
    nothing,
    setting,
)

OPENED_BY: Dict[str, Callable[[str], Command]] = {
    "attribute": lambda model: ("allennlp", "attribute", model, "data.jsonl", *OUTPUT, *METHODS),
    "perturb": lambda model: ("allennlp", "perturb", model, "data.jsonl", *OUTPUT, *WAYS),
    "evaluate": lambda model: ("allennlp", "evaluate", model, "data.jsonl"),
    "predict": lambda model: ("allennlp", "predict", model, "data.jsonl"),
}
WEIGHTS = "weights.th"
TOKENS = ("model", "text_field_embedder", "token_embedders", "tokens")


def member(name: str, content: bytes = b"", **more: Any) -> Tuple[tarfile.TarInfo, bytes]:
    info = tarfile.TarInfo(name)
    info.size = len(content)
    for key, value in more.items():
        setattr(info, key, value)
    return info, content


def repacked(
    *added: Tuple[tarfile.TarInfo, bytes], **replaced: Union[bytes, Callable, None]
) -> Fault:
    """
    The archive with other members. `config` and `weights` are replaced by bytes, or by a function of
    what they are; they are left out if None.
    """
    files = {"config": "config.json", "weights": WEIGHTS}
    by_name = {files[name]: content for name, content in replaced.items()}

    def fault(folder: Path) -> None:
        with tarfile.open(folder / RUN / "model.tar.gz") as archive:
            members = [
                (info, archive.extractfile(info).read() if info.isreg() else b"")
                for info in archive.getmembers()
            ]
        with tarfile.open(folder / "bad.tar.gz", "w:gz") as archive:
            for info, content in members:
                if info.name in by_name:
                    other = by_name[info.name]
                    if other is None:
                        continue
                    content = other(content) if callable(other) else other
                    info.size = len(content)
                archive.addfile(info, io.BytesIO(content))
            for info, content in added:
                archive.addfile(info, io.BytesIO(content))

    return fault


def saved(value: Any) -> bytes:
    content = io.BytesIO()
    torch.save(value, content)
    return content.getvalue()


class Payload:
    """Unpickled, it writes a file."""

    def __reduce__(self) -> Tuple:
        return os.system, ("touch ran",)


BAD_ARCHIVES: Dict[str, Fault] = {
    **{
        name: lambda folder, change=change: (folder / "bad.tar.gz").write_bytes(
            change((folder / RUN / "model.tar.gz").read_bytes())
        )
        for name, change in DAMAGE.items()
    },
    "a plain tar": lambda folder: (folder / "bad.tar.gz").write_bytes(
        gzip.decompress((folder / RUN / "model.tar.gz").read_bytes())
    ),
    "the tail missing": lambda folder: (folder / "bad.tar.gz").write_bytes(
        (folder / RUN / "model.tar.gz").read_bytes()[:-20]
    ),
    "no member": lambda folder: tarfile.open(folder / "bad.tar.gz", "w:gz").close(),
    "a member above it": repacked(member("../up.txt", b"x")),
    "an absolute member": repacked(member("/tmp/absolute.txt", b"x")),
    "a link": repacked(member("link", type=tarfile.SYMTYPE, linkname="/etc")),
    "a hard link": repacked(member("link", type=tarfile.LNKTYPE, linkname="../data.jsonl")),
    "a pipe": repacked(member("pipe", type=tarfile.FIFOTYPE)),
    "a device": repacked(member("device", type=tarfile.CHRTYPE)),
    "a member twice": repacked(member("config.json", b"{}")),
    "no config": repacked(config=None),
    "a config cut": repacked(config=half),
    "a config that is a list": repacked(config=b"[]"),
    "a config that is a program": repacked(config=b"{model: importstr '/etc/hostname'}"),
    "a config nested deeply": repacked(config=DAMAGE["deep"](b"")),
    "a config without a model": repacked(config=setting("model", to=...)),
    "a config without a reader": repacked(config=setting("dataset_reader", to=...)),
    "a function as model": repacked(config=setting("model", "type", to="os.system")),
    "a model that is not known": repacked(config=setting("model", "type", to="none_such")),
    "a reader that is not known": repacked(config=setting("dataset_reader", "type", to="none")),
    "another size": repacked(config=setting("model", "encoder", "hidden_dim", to=999)),
    "an option that is not known": repacked(config=setting("model", "attentoin", to=1)),
    "no weights": repacked(weights=None),
    "weights cut": repacked(weights=half),
    "weights that are text": repacked(weights=b"no weights"),
    "weights of another model": repacked(weights=saved({"weight": torch.ones(2)})),
    "weights that are a list": repacked(weights=saved([1, 2])),
    "weights by number": repacked(weights=saved({1: torch.ones(2)})),
    "a model of no type": repacked(config=setting("model", "type", to=...)),
    "weights with code": repacked(weights=saved({"decoder.weight": Payload()})),
    "a spaCy package": repacked(
        config=setting("dataset_reader", "tokenizer", to={"type": "spacy", "language": "json"})
    ),
    "another archive": repacked(
        config=setting("model", to={"type": "from_archive", "archive_file": f"{RUN}/model.tar.gz"})
    ),
    "a part of another archive": repacked(
        config=setting(
            "model",
            "encoder",
            to={
                "_pretrained": {
                    "archive_file": f"{RUN}/model.tar.gz",
                    "module_path": "encoder",
                }
            },
        )
    ),
    "a type that reads files": repacked(
        config=setting(*TOKENS, to={"type": "elmo_token_embedder"})
    ),
    "a transformer that is not there": repacked(
        config=setting(*TOKENS, to={"type": "pretrained_transformer", "model_name": "no/such"})
    ),
    "a transformer of the machine": repacked(
        config=setting(*TOKENS, to={"type": "pretrained_transformer", "model_name": RUN})
    ),
    "a folder to write to": repacked(config=setting("model", "serialization_dir", to="results")),
}  # fmt: skip


def spoiled(value: float) -> Callable[[bytes], bytes]:
    """Weights of which one is not finite."""

    def change(content: bytes) -> bytes:
        weights = torch.load(io.BytesIO(content))
        weights["decoder.weight"].view(-1)[0] = value
        return saved(weights)

    return change


def run_faults() -> Dict[str, Fault]:
    """What can be wrong with the folder of a run."""
    faults: Dict[str, Fault] = {}
    for file in ("config.json", "best.th"):
        for name, change in DAMAGE.items():
            faults[f"{file} {name}"] = changed(f"{RUN}/{file}", change)
        faults[f"no {file}"] = lambda folder, file=file: (folder / RUN / file).unlink()
    for name in ("empty", "half"):
        faults[f"vocabulary {name}"] = changed(f"{RUN}/vocabulary/tokens.txt", DAMAGE[name])
    faults["no vocabulary"] = lambda folder: shutil.rmtree(folder / RUN / "vocabulary")
    return faults


def archive_cases() -> Iterator[Case]:
    for command, of in OPENED_BY.items():
        for name, fault in BAD_ARCHIVES.items():
            yield Case(f"{command}, archive: {name}", of("bad.tar.gz"), fault, "")
        yield Case(f"{command}, no archive", of("none.tar.gz"), nothing, "none.tar.gz")
    for command in ("attribute", "perturb", "evaluate"):
        for option, value in (
            ("held_out", "data.jsonl"),
            ("held_out", "http://127.0.0.1:9/data.jsonl"),
            ("guide", ["scores.parquet"]),
            ("erased", {"share": 0.5, "by": "gradient", "files": "scores.parquet"}),
        ):
            fault = repacked(config=setting("dataset_reader", option, to=value))
            name = f"{command}, archive: {option} {value}"
            yield Case(name, OPENED_BY[command]("bad.tar.gz"), fault, option)
    explained_by = {name: of for name, of in OPENED_BY.items() if name != "evaluate"}
    explained_by["verdict"] = lambda model: (
        *("allennlp", "verdict", model, "data.jsonl", "-o", "new", "--methods", "gradient"),
    )
    for command, of in explained_by.items():
        for value in (float("nan"), float("inf")):
            fault = repacked(weights=spoiled(value))
            yield Case(f"{command}, weights: {value}", of("bad.tar.gz"), fault, "is not finite")
    evaluate = ("allennlp", "evaluate", "bad.tar.gz", "data.jsonl")
    other_data = setting("data_loader", "data_path", to="config.json")
    yield Case("evaluate, archive: other data", evaluate, repacked(config=other_data), "data_path")
    for name, value in (("no", ...), ("null as", None), ("a list as", [])):
        fault = repacked(config=setting("data_loader", to=value))
        yield Case(f"evaluate, archive: {name} data_loader", evaluate, fault, "data_loader")
    for command in ("attribute", "evaluate"):
        for name, fault in run_faults().items():
            yield Case(f"{command}, run: {name}", OPENED_BY[command](RUN), fault, "")
