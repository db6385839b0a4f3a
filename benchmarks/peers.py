"""
Side by side with ferret 0.4.2 and transformers-interpret 0.10.0, in an environment of their own, which the
first run makes in the cache of the user (`XDG_CACHE_HOME`): the same folder, the same texts, of words of one
piece, since ferret removes pieces.

- integrated gradients from the embedding of padding, 50 points of Gauss and Legendre, as both have them:
  ferret's of a logit, those of transformers-interpret of a probability and divided by their norm. Both
  rest on captum, which goes through the same products of matrices;
- comprehensiveness and sufficiency of four methods as ferret defines them (the largest 10 ... 100 % of the
  scores, those above 0 alone, equal sets of a method once), of the very scores that ferret gives. ferret
  reads a text's sets of one method together. What there is to gain is that no set is read for a second
  method (the note says how many are left), more texts at once, and the last layer for one position alone.

CPU time of one thread each. The sides run one after the other: a machine that is busy while one of them
runs slows that one down.
"""

import hashlib
import json
import os
import random
import subprocess
import sys
import tempfile
import time
import venv
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy
import torch
from allennlp.data import Instance

from attention_explain.faithfulness.removal import ERASURES, RemovalOutputs
from attention_explain.interpret.integrated_gradients import IntegratedGradients
from attention_explain.interpret.text_batch import TextBatch
from benchmarks.harness import Result, one_thread
from benchmarks.pretrained import OpenedTwice, folder, lengths

HERE = Path(__file__).parent
REQUIREMENTS = HERE / "peers-requirements.txt"
TORCH = "torch==2.13.0"
# What builds the packages that have no wheel. pip takes no dependencies here: `packaging` is one of `wheel`.
BUILD_TOOLS = ("packaging==24.2", "setuptools==75.8.0", "wheel==0.45.1")
TEXTS, STEPS, TARGET = 32, 50, 1
SHARES = numpy.arange(0.1, 1.1, 0.1)

# Ours and theirs.
Seconds = tuple[float, float]


def environment() -> Path | None:
    """The Python of an environment that has both; None, and a sentence, where it cannot be made."""
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    pinned = hashlib.sha256(REQUIREMENTS.read_bytes()).hexdigest()[:12]
    where = cache / "attention_explain" / f"peers-{pinned}"
    python, done = where / "bin" / "python", where / "done"
    if done.exists():
        return python
    error = install(where, [TORCH], ["-r", str(REQUIREMENTS)])
    if error is not None:
        print(f"nothing to compare with: {error}", file=sys.stderr)
        return None
    done.touch()
    return python


def install(where: Path, *packages: Sequence[str]) -> str | None:
    """
    Makes an environment with these packages, without their dependencies, one group after the other.
    Returns what pip says last if it fails.
    """
    venv.create(where, with_pip=True, clear=True)
    pip = [where / "bin" / "python", "-m", "pip", "install", "--quiet", "--no-deps"]
    for group in (BUILD_TOOLS, *packages):
        ended = subprocess.run([*pip, *group], capture_output=True, text=True)
        if ended.returncode:
            return (ended.stderr.strip().splitlines() or ["pip says nothing"])[-1]
    return None


def texts(number: int) -> list[str]:
    chance = random.Random(0)
    return [
        " ".join(f"w{chance.randrange(9000)}" for _ in range(words)) for words in lengths(number)
    ]


def theirs(python: Path, where: Path, texts: Sequence[str]) -> dict[str, Any]:
    asked = {"folder": str(where), "texts": list(texts), "target": TARGET, "steps": STEPS}
    given = json.dumps(asked)
    command = [python, HERE / "peers_side.py"]
    # Without what this process was told to look for modules in.
    alone = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    alone["OMP_NUM_THREADS"] = "1"
    ended = subprocess.run(command, input=given, capture_output=True, text=True, env=alone)
    if ended.returncode:
        raise RuntimeError(ended.stderr.strip().splitlines()[-1])
    return json.loads(ended.stdout.splitlines()[-1])


def largest(scores: Sequence[float]) -> list[list[int]]:
    """The sets of ferret's measures: positive scores alone, no set twice in a row."""
    sets: list[list[int]] = []
    order = numpy.argsort(scores)
    for share in SHARES:
        size = int(share * len(scores))
        found = [position for position in order[-size:] if scores[position] > 0] if size else []
        if found and (not sets or set(found) != set(sets[-1])):
            sets.append(found)
    return sets


def kept_sets(of_methods: Sequence[Sequence[float]]) -> numpy.ndarray:
    """The whole text; then of each method, set by set, the text without it and the set alone."""
    tokens = len(of_methods[0])
    kept = [numpy.ones(tokens, dtype=bool)]
    for of_method in of_methods:
        for positions in largest(of_method):
            named = numpy.isin(numpy.arange(tokens), positions)
            kept += [~named, named]
    return numpy.array(kept)


@torch.no_grad()
def measured(
    setting: OpenedTwice, instances: Sequence[Instance], scores: Sequence[Sequence[Sequence[float]]]
) -> list[list[list[float]]]:
    """Of each text and method, comprehensiveness and sufficiency."""
    batch = TextBatch.of(setting.model, instances)
    (erasure,) = ERASURES.build(["delete"]).values()
    outputs = RemovalOutputs(setting.model, batch, setting.model.embed(batch.tokens), erasure)
    values = []
    for probs, of_methods in zip(outputs(list(map(kept_sets, scores))), scores, strict=True):
        whole, *rest = probs[:, TARGET]
        values.append([])
        for number in (len(largest(of_method)) for of_method in of_methods):
            here, rest = rest[: 2 * number], rest[2 * number :]
            # With nothing above 0, ferret says 0 and 1.
            drops = [
                whole - numpy.mean(here[side::2]) if number else float(side) for side in (0, 1)
            ]
            values[-1].append(drops)
    return values


def integrated(setting: OpenedTwice, instances: Sequence[Instance], of: str) -> list[Any]:
    method = IntegratedGradients(
        setting.predictor, steps=STEPS, rule="gauss_legendre", baseline="pad", of=of
    )
    explained = method.saliency_interpret_instances(instances, setting.model.labels[TARGET])
    return [numpy.array(each["scores"]) for each in explained]


def compared(setting: OpenedTwice, said: dict[str, Any], given: Sequence[str]) -> Iterator[Result]:
    instances = [
        setting.reader.text_to_instance(text=text, id=str(number))
        for number, text in enumerate(given)
    ]
    for instance in instances:
        setting.reader.apply_token_indexers(instance)
    # Without what they say of the two special symbols.
    scores = [[of_method[1:-1] for of_method in several] for several in said["scores"]]
    normed = [of_text[1:-1] for of_text in said["normed"]]

    def result(what: str, seconds: Seconds, asked: float, apart: float, more: str = "") -> Result:
        name = f"{what}, MiniLM, {len(given)} texts"
        return Result(name, *seconds, at_least=asked, note=f"largest difference {apart:.0e}{more}")

    # The first pass of a process is slower than all others.
    integrated(setting, instances[:1], "logit")
    ours, seconds = timed(lambda: integrated(setting, instances, "logit"))
    yield result(
        f"integrated gradients, {STEPS} steps: ferret / ours",
        (seconds, said["seconds"]["integrated gradients"]),
        asked=1.0,
        apart=furthest(ours, [first for first, *_ in scores]),
    )
    ours, seconds = timed(lambda: integrated(setting, instances, "probability"))
    yield result(
        f"integrated gradients, {STEPS} steps: transformers-interpret / ours",
        (seconds, said["seconds"]["normed"]),
        asked=1.0,
        apart=furthest([each / numpy.linalg.norm(each) for each in ours], normed),
    )
    ours, seconds = timed(lambda: measured(setting, instances, scores))
    sets = [kept_sets(of_methods) for of_methods in scores]
    distinct = sum(len(numpy.unique(each, axis=0)) for each in sets)
    yield result(
        "comprehensiveness and sufficiency of 4 methods: ferret / ours",
        (seconds, said["seconds"]["evaluation"]),
        asked=5.0,
        apart=furthest(ours, said["measured"]),
        more=f"; {distinct} of {sum(map(len, sets))} sets are distinct",
    )


def timed(work: Callable[[], list[Any]]) -> tuple[list[Any], float]:
    start = time.process_time()
    made = work()
    return made, time.process_time() - start


def furthest(ours: Sequence[Any], others: Sequence[Any]) -> float:
    return max(
        float(numpy.abs(numpy.subtract(one, other)).max())
        for one, other in zip(ours, others, strict=True)
    )


@one_thread()
def main(number: int = TEXTS) -> list[Result]:
    python = environment()
    if python is None:
        return []
    with tempfile.TemporaryDirectory() as name:
        where = folder(Path(name) / "classifier")
        given = texts(number)
        said = theirs(python, where, given)
        return list(compared(OpenedTwice(where), said, given))


if __name__ == "__main__":
    print(*main(*map(int, sys.argv[1:])), sep="\n")
