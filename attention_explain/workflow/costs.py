"""
Estimates of the time of a step on one core of a present-day machine. They are rough on purpose: plans are in
minutes or days. The real time of earlier steps corrects them (`correction`).
"""

import statistics
from pathlib import Path
from typing import Any, Dict, Iterable, Optional, Tuple

from analysis.model_config import type_of
from attention_explain import defaults
from attention_explain.costs import FORWARD, passes_of_components, passes_of_measures
from attention_explain.workflow.contents import Contents, Lines
from attention_explain.workflow.resolve import MadeFile
from attention_explain.workflow.study import ATTRIBUTIONS, PERTURBATIONS, SPLITS, FileKind

# Seconds. A copy of a process that has imported everything has read its data and model.
START = 2.5
TABLE = 15.0
# Per word and epoch, forward and backward.
TRAINING = {"lstm": 3.5e-5, "affine": 1.2e-5, "cnn": 2e-5, "transformer": 4.5e-5}
OTHER_ENCODER = 1e-4
# A pretrained transformer of 6 layers and 384 numbers a state, all of which is trained.
PRETRAINED = 1.2e-3
PRETRAINED_TYPES = (
    "transformer_classifier",
    "transformer_words",
    "pretrained_transformer_mismatched",
)
# The section of `costs.toml`, by kind of file.
DECLARED_AS = {ATTRIBUTIONS: "interpreters", PERTURBATIONS: "perturbations"}
# With `patience`, of the epochs allowed.
STOPPED_EARLY = 0.5
# The embedded corpus.
PLANTED_WORDS = 17
PLANTED_TEXTS = {"train": 2000, "dev": 400, "test": 400}
# Of what stands between spaces, words: a tree has a class before each node, and the neutral ones are left out.
WORDS_OF_TREES = 0.27


def training(config: Dict[str, Any], contents: Contents) -> float:
    trainer = config.get("trainer", {})
    epochs = trainer.get("num_epochs", 20) * (STOPPED_EARLY if trainer.get("patience") else 1)
    read = texts(config, "train", contents).words
    if _is_frozen(config):
        # It reads each text once, and what is above it in every epoch.
        return START + read * (FORWARD * PRETRAINED + epochs * OTHER_ENCODER)
    return START + epochs * read * _a_word(config)


def making(
    kind: FileKind, config: Dict[str, Any], files: Iterable[MadeFile], contents: Contents
) -> float:
    """Files of a run, all of a kind, in one process."""
    seconds = START
    apart = _pretrained(config) is not None
    for file in files:
        read = texts(config, file.split, contents)
        a_text = read.words / max(read.number, 1)
        number = read.number if file.limit is None else min(read.number, file.limit)
        seconds += number * a_text * passes(file, kind, round(a_text), apart) * _a_word(config)
    return seconds


def passes(file: MadeFile, kind: FileKind, tokens: float, apart: bool = False) -> float:
    """
    The cost of a text of `tokens` words, in units of the time of a text in training.

    # Parameters

    apart : `bool`, optional (default = `False`)
        Whether the model reads each set of tokens in a pass of its own.
    """
    if file.judging is None:
        return FORWARD * passes_of_components(DECLARED_AS[kind], file.methods, tokens, apart)
    measures = file.judging.measures or defaults.MEASURES
    erasures = file.judging.erasures or defaults.COMMON_ERASURES
    return FORWARD * passes_of_measures(measures, len(erasures), file.methods, tokens, apart)


def texts(config: Dict[str, Any], split: str, contents: Contents) -> Lines:
    """As many as the reader keeps."""
    reader = config.get("dataset_reader", {})
    options = reader if isinstance(reader, dict) else {}
    planted = {**PLANTED_TEXTS, **options.get("sizes", {})}[split]
    path = Path(config.get(SPLITS[split]) or "nowhere")
    # What cannot be read here may be on the machine that trains.
    if type_of(reader) == "planted" or not path.exists():
        return Lines(planted, planted * PLANTED_WORDS)
    share = WORDS_OF_TREES if type_of(reader) == "sst_trees" else 1
    longest = options.get("max_tokens") if options.get("too_long") != "cut" else None
    lines = contents.lines(path, longest / share if longest else None)
    return Lines(lines.number, round(lines.words * share))


def correction(taken: Iterable[Tuple[float, float]], otherwise: float = 1.0) -> float:
    """From what it really took, and estimates; `otherwise` if there are none."""
    ratios = [real / estimate for real, estimate in taken if estimate > 0]
    return statistics.median(ratios) if ratios else otherwise


def _a_word(config: Dict[str, Any]) -> float:
    if _pretrained(config) is not None:
        return PRETRAINED
    model = config.get("model", {})
    encoder = model.get("encoder") if isinstance(model, dict) else None
    return TRAINING.get(type_of(encoder), OTHER_ENCODER) if encoder else OTHER_ENCODER


def _is_frozen(config: Dict[str, Any]) -> bool:
    part = _pretrained(config) or {}
    return part.get("train_parameters") is False and part.get("last_layer_only", True)


def _pretrained(config: Dict[str, Any]) -> Optional[Dict[str, Any]]:
    """The model that is a pretrained transformer, or its embedder that is one; None if there is none."""
    model = config.get("model", {})
    if not isinstance(model, dict):
        return None
    embedders = model.get("text_field_embedder", {}).get("token_embedders", {})
    parts = [part for part in (model, *embedders.values()) if isinstance(part, dict)]
    return next((part for part in parts if part.get("type") in PRETRAINED_TYPES), None)
