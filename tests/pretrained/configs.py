"""Configs as a user writes them, and texts for them."""

import json
from collections.abc import Sequence
from pathlib import Path

import _jsonnet
from allennlp.common import Params

TEXTS = ["a dull film", "the acting was superb", "fine acting", "the film was dull"] * 2


def write_texts(path: Path, labels: Sequence[str]) -> Path:
    lines = [{"text": text, "label": label} for text, label in zip(TEXTS, labels)]
    path.write_text("\n".join(map(json.dumps, lines)))
    return path


def evaluated(text: str) -> Params:
    """Of a config in jsonnet."""
    seed = {"ATTENTION_EXPLAIN_SEED": "1", "ATTENTION_EXPLAIN_DATA": "data"}
    others = dict.fromkeys(("LAMBDA", "STRENGTH", "BASE", "GUIDE"), "1")
    variables = {**seed, **{f"ATTENTION_EXPLAIN_{name}": value for name, value in others.items()}}
    return Params(json.loads(_jsonnet.evaluate_snippet("config", text, ext_vars=variables)))
