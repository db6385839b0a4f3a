"""`python -m attention_explain.data.planted PRESET -o DIR`: the corpus as jsonl files."""

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from attention_explain.data.planted.corpus import DEFAULT_SIZES, SPLITS, PlantedCorpus
from attention_explain.data.planted.settings import PRESETS
from attention_explain.files.atomic import write_atomic
from attention_explain.files.records import read_json


def export(corpus: PlantedCorpus, folder: Path) -> None:
    """Writes train.jsonl, dev.jsonl and test.jsonl, which the `attention_text` reader reads."""
    folder.mkdir(parents=True, exist_ok=True)
    for split in SPLITS:
        path = folder / f"{split}.jsonl"
        sentences = corpus.split(split)
        lines = (json.dumps(sentence.as_json()) + "\n" for sentence in sentences)
        write_atomic(path, "".join(lines))
        print(f"{path}: {len(sentences)} texts")


def _knob(argument: str) -> tuple[str, Any]:
    name, equals, value = argument.partition("=")
    if not equals:
        raise ValueError(f"--set takes KNOB=VALUE, but got {argument!r}")
    try:
        return name, read_json(value)
    except json.JSONDecodeError:
        return name, value


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m attention_explain.data.planted",
        description="Writes train.jsonl, dev.jsonl and test.jsonl of the planted corpus.",
    )
    parser.add_argument("preset", help=", ".join(PRESETS))
    parser.add_argument("-o", "--output", type=Path, required=True, metavar="DIR")
    parser.add_argument(
        "--sizes",
        type=int,
        nargs=3,
        default=list(DEFAULT_SIZES.values()),
        metavar=("TRAIN", "DEV", "TEST"),
    )
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument(
        "--set",
        nargs="+",
        action="extend",
        default=[],
        metavar="KNOB=VALUE",
        help="turn a knob of the preset, as in min_tokens=30",
    )
    args = parser.parse_args(arguments)
    try:
        corpus = PlantedCorpus(
            args.preset,
            overrides=dict(_knob(argument) for argument in args.set),
            sizes=dict(zip(SPLITS, args.sizes, strict=True)),
            seed=args.seed,
        )
        export(corpus, args.output)
    except (ValueError, OSError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
