"""
Adapters that PEFT has saved, such as LoRA's: small changes to the weights of a base model in another folder.
They are merged into it once, and the merged model is an ordinary folder.
"""

import hashlib
import re
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from attention_explain.errors import InputError
from attention_explain.files.records import read_json
from attention_explain.pretrained.families import quiet
from attention_explain.pretrained.folders import (
    HUB,
    SAFELY,
    TOKENIZERS,
    TransformerFolder,
    files_that_count,
    shortly,
)

# What PEFT saves.
ADAPTER, ADAPTER_WEIGHTS = "adapter_config.json", "adapter_model.safetensors"
# The last layer of a head, with one row per label.
LABELS_LAYER = re.compile(r"(?:^|\.)(?:classifier|score|out_proj)\.weight$")


def is_adapter(folder: Path) -> bool:
    """Whether it has an adapter, not a whole model."""
    return (folder / ADAPTER).is_file()


def whole(folder: Path, fetched: bool = False) -> Path:
    """
    The folder itself, or that of the merged model if it has an adapter.

    # Parameters

    folder : `Path`
    fetched : `bool`, optional (default = `False`)
        Whether the adapter is from the Hub, so that its base model may be, too.
    """
    return _merged(folder, fetched) if is_adapter(folder) else folder


def _merged(folder: Path, fetched: bool) -> Path:
    try:
        import peft
    except ImportError as error:
        raise InputError(
            f"{folder}: holds an adapter ({ADAPTER}), for example of LoRA, which is not a whole model; "
            "with PEFT (pip install peft) it is merged when it is opened. Or merge it yourself "
            "(`model.merge_and_unload()`), save the merged model and the tokenizer to a new folder with "
            "save_pretrained, and use that folder"
        ) from error
    stated = _config(folder)
    if not (folder / ADAPTER_WEIGHTS).is_file():
        raise InputError(
            f"{folder}: has no {ADAPTER_WEIGHTS}; save the adapter again with PEFT's save_pretrained "
            "(pickled weights of adapters are not read)"
        )
    base = _base(folder, stated, fetched)
    target = _kept(folder, base)
    if target.is_dir():
        return target
    shapes = _shapes(folder)
    rows = [shape[0] for name, shape in shapes.items() if LABELS_LAYER.search(name)]
    labels = rows[-1] if rows else len(base.labels)
    model, info = base._loaded(labels)
    own = [name for name in shapes if "lora_" not in name]
    missing = [
        *(name for name in info["missing_keys"] if not _among(name, own)),
        *(name for name, *_ in info["mismatched_keys"] if not _among(name, own)),
    ]
    if missing:
        raise InputError(
            f"{folder}: neither the adapter nor its base model {base.path} has the weights "
            f"{', '.join(sorted(missing))} of a head with {labels} labels; train the adapter with "
            "task_type='SEQ_CLS', which saves the head"
        )
    if labels != len(base.labels):
        model.config.id2label = {number: f"LABEL_{number}" for number in range(labels)}
        model.config.label2id = {name: number for number, name in model.config.id2label.items()}
    try:
        with quiet():
            merged = peft.PeftModel.from_pretrained(model, str(folder)).merge_and_unload()
    except Exception as error:
        raise InputError(
            f"{folder}: PEFT cannot merge this adapter into {base.path} ({shortly(error)})"
        ) from error
    unfinished = target.with_name(f".{target.name}.unfinished")
    try:
        shutil.rmtree(unfinished, ignore_errors=True)
        unfinished.mkdir(parents=True)
        with quiet():
            merged.save_pretrained(unfinished)
            _tokenizer(folder, base).save_pretrained(unfinished)
        unfinished.rename(target)
    except OSError as error:
        raise InputError(
            f"{folder}: the merged model cannot be saved to {target} ({shortly(error)}); the variable "
            "HF_HOME names another folder"
        ) from error
    return target


def _config(folder: Path) -> dict[str, Any]:
    file = folder / ADAPTER
    try:
        stated = read_json(file.read_bytes())
    except ValueError as error:
        raise InputError(f"{file}: is not JSON ({error})") from error
    if not isinstance(stated, dict):
        raise InputError(f"{file}: is no object")
    for name in ("auto_mapping", "megatron_config"):
        if stated.get(name):
            raise InputError(
                f"{file}: has the field '{name}', by which code outside transformers would be loaded; "
                "merge the adapter yourself"
            )
    return stated


def _base(folder: Path, stated: Mapping[str, Any], fetched: bool) -> TransformerFolder:
    name = stated.get("base_model_name_or_path")
    if not isinstance(name, str) or not name:
        raise InputError(f"{folder / ADAPTER}: does not name its base (base_model_name_or_path)")
    for path in (Path(name).expanduser(), folder / name):
        if path.is_dir():
            if is_adapter(path):
                raise InputError(f"{folder}: its base {path} is an adapter, too; merge that first")
            return TransformerFolder.opened(path)
    if fetched or name.startswith(HUB):
        return TransformerFolder.opened(f"{HUB}{name.removeprefix(HUB)}")
    raise InputError(
        f"{folder / ADAPTER}: its base model {name!r} is no folder; write the path of a folder as "
        f"base_model_name_or_path, or {HUB}{name} to have it downloaded from the Hub"
    )


def _kept(folder: Path, base: TransformerFolder) -> Path:
    """Where the merged model is, or will be: by the content of both."""
    from huggingface_hub.constants import HF_HOME

    digest = hashlib.sha256()
    adapter = [folder / ADAPTER, folder / ADAPTER_WEIGHTS]
    for file in (*adapter, *files_that_count(folder), *files_that_count(base.path)):
        digest.update(file.name.encode() + b"\0")
        with open(file, "rb") as opened:
            while block := opened.read(1 << 20):
                digest.update(block)
    return Path(HF_HOME) / "attention_explain" / f"{folder.name}-{digest.hexdigest()[:16]}"


def _shapes(folder: Path) -> dict[str, list[int]]:
    from safetensors import SafetensorError, safe_open

    file = folder / ADAPTER_WEIGHTS
    try:
        with safe_open(file, "pt") as weights:
            names = list(weights.keys())
            return {name: weights.get_slice(name).get_shape() for name in names}
    except SafetensorError as error:
        raise InputError(
            f"{file}: is broken ({shortly(error)}); download or copy it again"
        ) from error


def _among(name: str, saved: list[str]) -> bool:
    return any(each.endswith(f".{name}") for each in saved)


def _tokenizer(folder: Path, base: TransformerFolder) -> Any:
    """The adapter's own, or that of its base."""
    from transformers import AutoTokenizer

    if not any(file.is_file() for name in TOKENIZERS for file in folder.glob(name)):
        return base.tokenizer()
    return AutoTokenizer.from_pretrained(folder, **SAFELY)
