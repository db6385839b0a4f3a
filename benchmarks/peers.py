"""
Side by side with ferret 0.4.2, in an environment of its own, which the first run makes in the cache of the
user (`XDG_CACHE_HOME`): the same folder, the same texts, of words of one piece, since ferret takes out pieces.

- integrated gradients of a logit from the embedding of padding, 50 points of Gauss and Legendre, as ferret
  has them;
- comprehensiveness and sufficiency of four methods as ferret defines them (the largest 10 ... 100 % of the
  scores, those above 0 alone, equal sets once), of the very scores that ferret gives.

CPU time of one thread each.
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
from pathlib import Path
from typing import Any, Dict, List, Optional, Sequence

import numpy
import torch

from attention_explain.faithfulness.outputs import ErasedOutputs
from attention_explain.faithfulness.registry import ERASURES
from attention_explain.interpret.integrated_gradients import IntegratedGradients
from attention_explain.interpret.text_batch import TextBatch
from benchmarks.harness import Result, one_thread
from benchmarks.pretrained import OpenedTwice, folder, lengths

HERE = Path(__file__).parent
REQUIREMENTS = HERE / "peers-requirements.txt"
TORCH = "torch==2.13.0"
TEXTS, STEPS, TARGET = 32, 50, 1
SHARES = numpy.arange(0.1, 1.1, 0.1)


def environment() -> Optional[Path]:
    """The Python of an environment that has ferret; None, and a sentence, where it cannot be made."""
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    pinned = hashlib.sha256(REQUIREMENTS.read_bytes()).hexdigest()[:12]
    where = cache / "attention_explain" / f"peers-{pinned}"
    python, done = where / "bin" / "python", where / "done"
    if done.exists():
        return python
    venv.create(where, with_pip=True, clear=True)
    install = [python, "-m", "pip", "install", "--quiet", "--no-deps"]
    for what in ([TORCH], ["setuptools", "wheel"], ["-r", REQUIREMENTS]):
        ended = subprocess.run([*install, *what], capture_output=True, text=True)
        if ended.returncode:
            said = (ended.stderr.strip().splitlines() or ["pip says nothing"])[-1]
            print(f"no ferret to compare with: {said}", file=sys.stderr)
            return None
    done.touch()
    return python


def texts(number: int) -> List[str]:
    chance = random.Random(0)
    return [
        " ".join(f"w{chance.randrange(9000)}" for _ in range(words)) for words in lengths(number)
    ]


def ferrets(python: Path, where: Path, texts: Sequence[str]) -> Dict[str, Any]:
    given = json.dumps({"folder": str(where), "texts": list(texts), "target": TARGET})
    command = [python, HERE / "ferret_side.py"]
    # Without what this process was told to look for modules in.
    alone = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    alone["OMP_NUM_THREADS"] = "1"
    ended = subprocess.run(command, input=given, capture_output=True, text=True, env=alone)
    if ended.returncode:
        raise RuntimeError(ended.stderr.strip().splitlines()[-1])
    return json.loads(ended.stdout.splitlines()[-1])


def largest(scores: Sequence[float]) -> List[List[int]]:
    """The sets of ferret's measures: positive scores alone, no set twice in a row."""
    sets: List[List[int]] = []
    order = numpy.argsort(scores)
    for share in SHARES:
        size = int(share * len(scores))
        found = [place for place in order[-size:] if scores[place] > 0] if size else []
        if found and (not sets or set(found) != set(sets[-1])):
            sets.append(found)
    return sets


@torch.no_grad()
def measured(
    setting: OpenedTwice, batch: TextBatch, scores: Sequence[Sequence[Sequence[float]]]
) -> List[List[List[float]]]:
    """Of each text and method, comprehensiveness and sufficiency."""
    (erasure,) = ERASURES.build(["delete"]).values()
    outputs = ErasedOutputs(setting.model, batch, setting.model.embed(batch.tokens), erasure)
    asked, numbers = [], []
    for of_text in scores:
        tokens = len(of_text[0])
        kept = [numpy.ones(tokens, dtype=bool)]
        numbers.append([])
        for of_method in of_text:
            sets = largest(of_method)
            numbers[-1].append(len(sets))
            for places in sets:
                named = numpy.isin(numpy.arange(tokens), places)
                kept += [~named, named]
        asked.append(numpy.array(kept))
    found = []
    for probs, of_methods in zip(outputs(asked), numbers, strict=True):
        whole, *rest = probs[:, TARGET]
        found.append([])
        for number in of_methods:
            here, rest = rest[: 2 * number], rest[2 * number :]
            # With nothing above 0, ferret says 0 and 1.
            drops = [
                whole - numpy.mean(here[side::2]) if number else float(side) for side in (0, 1)
            ]
            found[-1].append(drops)
    return found


def compared(setting: OpenedTwice, said: Dict[str, Any], given: Sequence[str]) -> List[Result]:
    instances = [
        setting.reader.text_to_instance(text=text, id=str(number))
        for number, text in enumerate(given)
    ]
    for instance in instances:
        setting.reader.apply_token_indexers(instance)
    method = IntegratedGradients(
        setting.predictor, steps=STEPS, rule="gauss_legendre", baseline="pad", of="logit"
    )
    method.saliency_interpret_instances(instances[:1], setting.model.labels[TARGET])
    start = time.process_time()
    ours = method.saliency_interpret_instances(instances, setting.model.labels[TARGET])
    seconds = {"integrated gradients": time.process_time() - start}
    # Without what ferret says of the two special symbols.
    scores = [[of_method[1:-1] for of_method in several] for several in said["scores"]]
    apart = {
        "integrated gradients": max(
            numpy.abs(numpy.subtract(one["scores"], several[0])).max()
            for one, several in zip(ours, scores, strict=True)
        )
    }
    start = time.process_time()
    batch = TextBatch.of(setting.model, instances)
    values = measured(setting, batch, scores)
    seconds["evaluation"] = time.process_time() - start
    apart["evaluation"] = numpy.abs(numpy.subtract(values, said["measured"])).max()
    about = {
        "integrated gradients": (f"integrated gradients, {STEPS} steps", 1.0),
        "evaluation": ("comprehensiveness and sufficiency of 4 methods", 5.0),
    }
    return [
        Result(
            f"{what}, MiniLM, {len(given)} texts: ferret / ours",
            seconds[name],
            said["seconds"][name],
            at_least=asked,
            note=f"largest difference {apart[name]:.0e}",
        )
        for name, (what, asked) in about.items()
    ]


@one_thread()
def main(number: int = TEXTS) -> List[Result]:
    python = environment()
    if python is None:
        return []
    with tempfile.TemporaryDirectory() as name:
        where = folder(Path(name) / "classifier")
        given = texts(number)
        said = ferrets(python, where, given)
        return compared(OpenedTwice(where), said, given)


if __name__ == "__main__":
    print(*main(*map(int, sys.argv[1:])), sep="\n")
