"""
Estimates of the time of a step on one core. They are rough: a plan shows minutes or days. The measured time of
earlier steps corrects them (`correction`).
"""

import statistics
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from analysis.model_config import type_of
from attention_explain import defaults
from attention_explain.costs import FORWARD, passes_of_components, passes_of_measures
from attention_explain.workflow.identity import Contents, Lines
from attention_explain.workflow.resolve import OutputFile
from attention_explain.workflow.study import ATTRIBUTIONS, PERTURBATIONS, SPLITS, FileKind

# Seconds until a copy of the warm process has read its data and model.
START = 2.5
# Seconds per table.
TABLE = 15.0
# Seconds per word and epoch, forward and backward.
TRAINING = {"lstm": 3.5e-5, "affine": 1.2e-5, "cnn": 2e-5, "transformer": 4.5e-5}
OTHER_ENCODER = 1e-4
# The same for a pretrained transformer of 6 layers and width 384, fine-tuned completely.
PRETRAINED = 1.2e-3
PRETRAINED_TYPES = (
    "transformer_classifier",
    "transformer_words",
    "pretrained_transformer_mismatched",
)
# The section of `costs.toml`, by kind of file.
DECLARED_AS = {ATTRIBUTIONS: "interpreters", PERTURBATIONS: "perturbations"}
# The expected fraction of the epochs with `patience`.
STOPPED_EARLY = 0.5
# Words per text, and texts, of the `planted` corpus.
PLANTED_WORDS = 17
PLANTED_TEXTS = {"train": 2000, "dev": 400, "test": 400}
# The fraction of words in a file of trees, counting what is between spaces: each node has a class, and neutral
# texts are dropped.
WORDS_OF_TREES = 0.27


def training(config: dict[str, Any], contents: Contents) -> float:
    """Seconds for training a run."""
    return training_on(config, texts(config, "train", contents).words)


def training_on(config: dict[str, Any], words: float) -> float:
    """The same for a number of words in the training texts."""
    trainer = config.get("trainer", {})
    epochs = trainer.get("num_epochs", 20) * (STOPPED_EARLY if trainer.get("patience") else 1)
    if _is_frozen(config):
        # The frozen encoder reads each text once, the layers above it in every epoch.
        return START + words * (FORWARD * PRETRAINED + epochs * OTHER_ENCODER)
    return START + epochs * words * seconds_per_word(config)


def making(
    kind: FileKind, config: dict[str, Any], files: Iterable[OutputFile], contents: Contents
) -> float:
    """Seconds for making all files of one kind from a run, in one process."""
    seconds = START
    separate = pretrained(config) is not None
    for file in files:
        lines = texts(config, file.split, contents)
        length = lines.words / max(lines.number, 1)
        number = lines.number if file.limit is None else min(lines.number, file.limit)
        words = number * length
        seconds += words * passes(file, kind, round(length), separate) * seconds_per_word(config)
    return seconds


def passes(file: OutputFile, kind: FileKind, tokens: float, separate: bool = False) -> float:
    """
    The cost of a text of `tokens` words, in units of the time of a text in training.

    # Parameters

    separate : `bool`, optional (default = `False`)
        Whether the model needs a forward pass of its own for each subset of the tokens.
    """
    if file.evaluation is None:
        return FORWARD * passes_of_components(DECLARED_AS[kind], file.methods, tokens, separate)
    measures = file.evaluation.measures or defaults.MEASURES
    removals = file.evaluation.erasures or defaults.COMMON_ERASURES
    return FORWARD * passes_of_measures(measures, len(removals), file.methods, tokens, separate)


def texts(config: dict[str, Any], split: str, contents: Contents) -> Lines:
    """The texts of a split that the reader keeps."""
    reader = config.get("dataset_reader", {})
    options = reader if isinstance(reader, dict) else {}
    planted = {**PLANTED_TEXTS, **options.get("sizes", {})}[split]
    path = Path(config.get(SPLITS[split]) or "nowhere")
    # A file that is missing here may exist on the machine that trains.
    if type_of(reader) == "planted" or not path.exists():
        return Lines(planted, planted * PLANTED_WORDS)
    share = WORDS_OF_TREES if type_of(reader) == "sst_trees" else 1
    longest = options.get("max_tokens") if options.get("too_long") != "cut" else None
    lines = contents.lines(path, longest / share if longest else None)
    return Lines(lines.number, round(lines.words * share))


def correction(times: Iterable[tuple[float, float]], default: float = 1.0) -> float:
    """The median ratio of measured to estimated times; `default` without any."""
    ratios = [measured / estimate for measured, estimate in times if estimate > 0]
    return statistics.median(ratios) if ratios else default


def seconds_per_word(config: dict[str, Any]) -> float:
    """For training, per word and epoch."""
    if pretrained(config) is not None:
        return PRETRAINED
    model = config.get("model", {})
    encoder = model.get("encoder") if isinstance(model, dict) else None
    return TRAINING.get(type_of(encoder), OTHER_ENCODER) if encoder else OTHER_ENCODER


def _is_frozen(config: dict[str, Any]) -> bool:
    options = pretrained(config) or {}
    return options.get("train_parameters") is False and options.get("last_layer_only", True)


def pretrained(config: dict[str, Any]) -> dict[str, Any] | None:
    """The options of the pretrained transformer, which is the model or its embedder; None without one."""
    model = config.get("model", {})
    if not isinstance(model, dict):
        return None
    embedders = model.get("text_field_embedder", {}).get("token_embedders", {})
    components = [one for one in (model, *embedders.values()) if isinstance(one, dict)]
    return next((one for one in components if one.get("type") in PRETRAINED_TYPES), None)
