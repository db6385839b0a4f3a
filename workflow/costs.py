"""
About how long a step takes on one core of a present-day machine. Rough on purpose: a plan is told
in minutes or days. What earlier steps really took corrects it (`correction`).
"""

import statistics
from pathlib import Path
from typing import Any, Dict, Iterable, Tuple

from analysis.model_config import type_of
from workflow import passes as declared
from workflow.contents import Contents
from workflow.resolve import MadeFile
from workflow.study import ATTRIBUTIONS, FAITHFULNESS, PERTURBATIONS, SPLITS, FileKind

# Seconds. A process has imported everything, and read its data.
START = 8.0
TABLE = 15.0
# Per word and epoch, forward and backward.
TRAINING = {"lstm": 3.5e-5, "affine": 1.2e-5, "cnn": 2e-5, "transformer": 4.5e-5}
OTHER_ENCODER = 1e-4
# What methods declare, by kind of file.
DECLARED_AS = {
    ATTRIBUTIONS: "interpreters",
    PERTURBATIONS: "perturbations",
    FAITHFULNESS: "faithfulness",
}
# With `patience`, of the epochs allowed.
STOPPED_EARLY = 0.5
# The embedded corpus.
PLANTED_WORDS = 17
PLANTED_TEXTS = {"train": 2000, "dev": 400, "test": 400}
WORDS_A_TEXT = 30


def training(config: Dict[str, Any], contents: Contents) -> float:
    trainer = config.get("trainer", {})
    epochs = trainer.get("num_epochs", 20) * (STOPPED_EARLY if trainer.get("patience") else 1)
    return START + epochs * words(config, "train", contents) * _a_word(config)


def making(
    kind: FileKind, config: Dict[str, Any], files: Iterable[MadeFile], contents: Contents
) -> float:
    """Files of a run, all of a kind, in one process."""
    seconds = START
    for file in files:
        read = words(config, file.split, contents)
        if file.limit is not None:
            read = min(read, file.limit * WORDS_A_TEXT)
        seconds += read * sum(passes(kind, method) for method in file.methods) * _a_word(config)
    return seconds


def passes(kind: FileKind, method: Any) -> float:
    """Of a text of usual length, in the time of one that is trained on."""
    options = method if isinstance(method, dict) else {}
    found = declared.passes(DECLARED_AS[kind], type_of(method), options, WORDS_A_TEXT)
    return found.in_training


def words(config: Dict[str, Any], split: str, contents: Contents) -> float:
    reader = config.get("dataset_reader", {})
    if type_of(reader) == "planted":
        sizes = reader.get("sizes", {}) if isinstance(reader, dict) else {}
        return PLANTED_WORDS * {**PLANTED_TEXTS, **sizes}[split]
    path = Path(config.get(SPLITS[split]) or "nowhere")
    # What cannot be read here may be on the machine that trains.
    return contents.words(path) if path.exists() else PLANTED_WORDS * PLANTED_TEXTS[split]


def correction(taken: Iterable[Tuple[float, float]], otherwise: float = 1.0) -> float:
    """From what it really took, and estimates; `otherwise` if there are none."""
    ratios = [real / estimate for real, estimate in taken if estimate > 0]
    return statistics.median(ratios) if ratios else otherwise


def _a_word(config: Dict[str, Any]) -> float:
    model = config.get("model", {})
    encoder = model.get("encoder") if isinstance(model, dict) else None
    return TRAINING.get(type_of(encoder), OTHER_ENCODER) if encoder else OTHER_ENCODER
