"""
The models of `allennlp truth`: configs with a shortcut, from a training config or for a folder of a transformer;
copies of transformers whose tokenizer knows the shortcut tokens; and the data of a folder, split.
"""

import json
from collections.abc import Iterator, Sequence
from copy import deepcopy
from pathlib import Path
from typing import Any

from allennlp.common import Params
from allennlp.common.checks import ConfigurationError
from allennlp.data import DatasetReader, Instance

from attention_explain.data.attention_text import AttentionTextReader
from attention_explain.data.shortcut import KINDS, SHORTCUT_TOKENS, Shortcut
from attention_explain.data.sources import ReadCounts
from attention_explain.data.text_reader import TextReader
from attention_explain.errors import InputError
from attention_explain.files.atomic import write_atomic
from attention_explain.jsonnet import evaluate_file, find_config
from attention_explain.passes import generator_for
from attention_explain.pretrained.folders import TransformerFolder
from attention_explain.settings import SEED_VARIABLE

Config = dict[str, Any]
SEEDS = ("random_seed", "numpy_seed", "pytorch_seed")
READERS = ("dataset_reader", "validation_dataset_reader")
# Where shortcuts are planted: at the same positions for every training.
TEXTS_SEED = 0
# The components of a config that read a transformer from a folder, which they call `model_name`.
WITH_TRANSFORMER = ("transformer_pieces", "transformer_words", "transformer_classifier")
SPLITS = ("train", "dev", "test")
SHARES = (0.8, 0.1, 0.1)
# For a folder of a transformer.
FINE_TUNING = """local lib = import 'training_configs/lib/lib.libsonnet';
lib.fine_tuned(lib.data.text_files({train}, {dev}, {test}), {model})
"""


def training_config(path: str, seed: int) -> Config:
    """The config of a training with this seed, from a jsonnet file, or from the folder of a training."""
    found = find_config(path)
    stored = Path(found) / "config.json"
    if Path(found).is_dir():
        found = str(stored)
    if not Path(found).is_file():
        raise InputError(f"{path}: no such config of `allennlp train`, or folder of a transformer")
    config = evaluate_file(found, **{SEED_VARIABLE: str(seed)})
    if not isinstance(config, dict) or "train_data_path" not in config:
        raise InputError(f"{path}: is not a config of `allennlp train` (it has no train_data_path)")
    for part in ("dataset_reader", "model", "trainer", "data_loader"):
        if not isinstance(config.get(part), dict):
            raise InputError(f"{path}: '{part}' is missing or is not an object")
    if any("shortcut" in config.get(reader, {}) for reader in READERS):
        raise InputError(
            f"{path}: its reader plants a shortcut already; give the config without it"
        )
    if config.get("vocabulary", {}).get("type") in ("from_files", "extend", "empty"):
        raise InputError(
            f"{path}: its vocabulary is not made from the training texts, so no tokens can be added; use "
            "the type 'document_frequency'"
        )
    # The test texts are read by this command.
    config.pop("evaluate_on_test", None)
    return {**config, **dict.fromkeys(SEEDS, seed)}


def is_transformer(path: str) -> bool:
    """Whether a path is a folder in Hugging Face's layout, and not that of a training."""
    folder = Path(path).expanduser()
    if not folder.is_dir() or not (folder / "config.json").is_file():
        return False
    return "dataset_reader" not in evaluate_file(folder / "config.json")


def fine_tuning_config(model: str, splits: dict[str, str], file: Path, seed: int) -> Config:
    """The config that fine-tunes a folder; it is written to `file`, so that it can be changed and used again."""
    texts = FINE_TUNING.format(
        model=json.dumps(model), **{k: json.dumps(v) for k, v in splits.items()}
    )
    file.parent.mkdir(parents=True, exist_ok=True)
    write_atomic(file, texts)
    return training_config(str(file), seed)


def with_shortcut(config: Config, kind: str, labels: Sequence[str], share: float) -> Config:
    """The config with a shortcut planted into a share of its texts, as `lib.with_shortcut` does."""
    made = deepcopy(config)
    shortcut = {"kind": kind, "labels": list(labels), "share": share, "seed": TEXTS_SEED}
    for reader in READERS:
        if reader in made:
            made[reader]["shortcut"] = shortcut
    if transformers_in(made):
        # Their copies know the tokens.
        return made
    indexer = made["dataset_reader"].get("token_indexers", {}).get("tokens", {})
    added = made.setdefault("vocabulary", {}).setdefault("tokens_to_add", {})
    namespace = indexer.get("namespace", "tokens")
    added[namespace] = [*added.get(namespace, ()), *SHORTCUT_TOKENS]
    embedders = made["model"].get("text_field_embedder", {}).get("token_embedders", {})
    for embedder in embedders.values():
        if embedder.get("type") == "word_vectors":
            embedder["random_words"] = list(SHORTCUT_TOKENS)
    return made


def transformers_in(config: Any) -> list[str]:
    """The folders of transformers that a config names, each once."""
    return list(dict.fromkeys(one["model_name"] for one in _with_transformer(config)))


def with_copies(config: Config, copies: dict[str, str]) -> Config:
    """The config with other folders of transformers."""
    made = deepcopy(config)
    for one in _with_transformer(made):
        one["model_name"] = copies[one["model_name"]]
    return made


def _with_transformer(config: Any) -> Iterator[Config]:
    if isinstance(config, dict):
        if config.get("type") in WITH_TRANSFORMER and isinstance(config.get("model_name"), str):
            yield config
        config = list(config.values())
    if isinstance(config, list):
        for each in config:
            yield from _with_transformer(each)


def save_copy(name: str, target: Path) -> None:
    """Save a copy of a transformer that knows the shortcut tokens, unless it exists."""
    if not (target / "config.json").is_file():
        TransformerFolder.opened(name).save_with_words(SHORTCUT_TOKENS, target)


def reader_of(config: Config, name: str = READERS[0]) -> TextReader:
    """The reader of a config; an error if it cannot plant shortcuts."""
    options = _options_of(config, name)
    try:
        reader = DatasetReader.from_params(Params(deepcopy(options)))
    except ConfigurationError as error:
        raise InputError(f"the dataset reader of the config: {error.message}") from error
    if not isinstance(reader, TextReader) or reader.noun != "text":
        raise InputError(
            f"the dataset reader '{options.get('type')}' does not read single texts, into which a shortcut "
            "can be planted"
        )
    return reader


def _options_of(config: Config, name: str) -> Config:
    """Of the reader of that name, or of the one that reads all texts."""
    return config[name if name in config else READERS[0]]


def labels_of(config: Config) -> list[str]:
    """The classes of the training texts, in order; an error if there is only one."""
    path = config["train_data_path"]
    labels = sorted(set(reader_of(config).labels_in(path)))
    if len(labels) < 2:
        raise InputError(
            f"{path}: has texts of {len(labels)} class only; a shortcut needs two or more"
        )
    return labels


def possible_kinds(kinds: Sequence[str] | None, labels: Sequence[str]) -> list[str]:
    """The given kinds, or all that are defined for these classes."""
    if kinds is None:
        return [kind for kind in KINDS if kind != "ordered" or len(labels) == 2]
    for kind in kinds:
        # Raises for a kind that is not defined for them.
        Shortcut(kind, list(labels))
    return list(dict.fromkeys(kinds))


def texts_of(config: Config, name: str, path: str, part: str | None = None) -> list[Instance]:
    """The texts of a file as a reader of the config reads them, or those of a part of a shortcut."""
    options = {**_options_of(config, name)}
    if part is not None:
        options["shortcut"] = {**options["shortcut"], "part": part}
    return list(reader_of({READERS[0]: options}).read(path))


def split_data(path: str, folder: Path) -> dict[str, str]:
    """
    The files of the splits: those of a folder with a file for each; or of one file, 80, 10 and 10 % at random,
    written as jsonl.
    """
    if Path(path).is_dir():
        found = {split: sorted(Path(path).glob(f"{split}.*")) for split in SPLITS}
        for split, files in found.items():
            if len(files) != 1:
                raise InputError(
                    f"{path}: has {len(files)} files named {split}.*; a folder of data needs one of each of "
                    f"{', '.join(SPLITS)}"
                )
        return {split: str(file) for split, (file,) in found.items()}
    reader = AttentionTextReader()
    texts = list(reader._labelled(path, ReadCounts()))
    texts.sort(key=lambda text: generator_for(TEXTS_SEED, text.id, "split").initial_seed())
    ends = [0]
    for share in SHARES:
        ends.append(min(len(texts), ends[-1] + round(share * len(texts))))
    ends[-1] = len(texts)
    made = {}
    for split, start, end in zip(SPLITS, ends, ends[1:], strict=False):
        lines = [
            json.dumps(
                {"id": text.id, "label": text.label}
                | ({"text": text.text} if text.tokens is None else {"tokens": list(text.tokens)})
            )
            for text in texts[start:end]
        ]
        if not lines:
            raise InputError(f"{path}: has {len(texts)} texts, too few to be split")
        folder.mkdir(parents=True, exist_ok=True)
        file = folder / f"{split}.jsonl"
        write_atomic(file, "\n".join(lines) + "\n")
        made[split] = str(file)
    return made
