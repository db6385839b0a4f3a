"""
A case is a command and what is wrong with one of the things that it reads. It begins in a folder in
which everything is right.
"""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Callable, Dict, Tuple, Union

from tests.faults.commands import Zygote
from tests.training.runs import run_config

Command = Tuple[str, ...]
# Makes the fault in a folder.
Fault = Callable[[Path], None]


@dataclass(frozen=True)
class Case:
    """`told` has to stand in the sentence: the name of the file, or of the option."""

    name: str
    command: Command
    fault: Fault
    told: str = ""


WORDS = {"1": ("fine", "good", "great", "superb"), "0": ("dull", "bad", "poor", "awful")}
LINES = [
    {"text": f"{start} {word} film", "label": label}
    for label, words in WORDS.items()
    for word in words
    for start in ("a", "one", "what a")
]
GOOD = "".join(json.dumps(line) + "\n" for line in LINES).encode()
CONFIG = run_config(
    [],
    reader={"type": "attention_text", "tokenizer": {"type": "just_spaces"}},
    data="data.jsonl",
)
STUDY = {
    "title": "Mine",
    "seeds": [1],
    "corpora": {"mine": {"base": {"config": CONFIG, "attributions": {"all": ["attention"]}}}},
    "tables": [{"command": "table", "arguments": ["jain-wallace"], "from": ["attributions/all"]}],
}
METHODS = ("--interpreters", "attention", "gradient")
WAYS = ("--perturbations", "uniform")
OUTPUT = ("-o", "new.parquet")
RUN = "mine"


def prepared(zygote: Zygote, folder: Path) -> Path:
    """Texts, a config, a model of them, its scores, and results and a study of these."""
    folder.mkdir()
    (folder / "data.jsonl").write_bytes(GOOD)
    (folder / "config.json").write_text(json.dumps(CONFIG))
    (folder / "study.jsonnet").write_text(json.dumps(STUDY))
    for command in (
        ("allennlp", "train", "config.json", "-s", RUN),
        ("allennlp", "attribute", RUN, "data.jsonl", "-o", "scores.parquet", *METHODS),
        ("allennlp", "perturb", RUN, "data.jsonl", "-o", "perturbed.parquet", *WAYS),
        ("analysis", "agreement", "scores.parquet", "-o", "results"),
        ("workflow", "plan", "study.jsonnet"),
    ):
        ended = zygote.run(command, folder)
        assert ended.code == 0, ended.said
    return folder


def written(name: str, content: Union[str, bytes]) -> Fault:
    content = content.encode() if isinstance(content, str) else content
    return lambda folder: (folder / name).write_bytes(content)


def changed(name: str, change: Callable[[bytes], bytes]) -> Fault:
    def fault(folder: Path) -> None:
        content = (folder / name).read_bytes()
        (folder / name).unlink()
        (folder / name).write_bytes(change(content))

    return fault


def both(first: Fault, second: Fault) -> Fault:
    def fault(folder: Path) -> None:
        first(folder)
        second(folder)

    return fault


def nothing(folder: Path) -> None:
    pass


def half(content: bytes) -> bytes:
    return content[: len(content) // 2]


def flipped(content: bytes) -> bytes:
    """In many places, but neither at the beginning nor at the end."""
    damaged = bytearray(content)
    for position in range(len(content) // 10, 9 * len(content) // 10, 7):
        damaged[position] ^= 0x55
    return bytes(damaged)


# What can happen to any file.
DAMAGE: Dict[str, Callable[[bytes], bytes]] = {
    "empty": lambda content: b"",
    "half": half,
    "flipped": flipped,
    "zeros": lambda content: bytes(len(content)),
    "text": lambda content: b"no such thing\n",
    "a list": lambda content: b"[1, 2]\n",
    "a number": lambda content: b"3\n",
    "deep": lambda content: b"[" * 100_000 + b"]" * 100_000,
    "latin-1": lambda content: "caf\xe9 ".encode("latin-1") * 50,
}


def setting(*path: str, to: Any) -> Callable[[bytes], bytes]:
    """JSON with another value somewhere in it; `...` takes it out."""

    def change(content: bytes) -> bytes:
        whole = json.loads(content)
        position = whole
        for key in path[:-1]:
            position = position[key]
        if to is ...:
            del position[path[-1]]
        else:
            position[path[-1]] = to
        return json.dumps(whole).encode()

    return change
