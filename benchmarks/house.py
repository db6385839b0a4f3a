"""
The size of the code base, and how many of its files one sentence passes on its way from a config to
the verdict page: `allennlp train`, `attribute`, `faithfulness` and `verdict`, and then `python -m
analysis agreement`, `table` and `report`, run here on a few synthetic sentences with a profiler hook.

A file is on the way if one of its functions is called after the command line has been parsed. Code
that runs while a module is imported does not count, nor do other packages. A change of file is a call
from a function of one file to a function of another, whatever packages lie between; each pair of
files counts once per step. `python -m benchmarks.house` also lists the files, those with the fewest
lines in called functions first.
"""

import io
import os
import re
import sys
import tempfile
import threading
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

from benchmarks.harness import Count

PROJECT = Path(__file__).resolve().parents[1]
PACKAGES = ("attention_explain", "analysis", "benchmarks")
CONFIGS = PROJECT / "training_configs"
PAPERS = PROJECT / "analysis" / "papers"

MOST_FILES = 90
MOST_LINES = 52_476
MOST_CONFIGS = 45
# A new paper is one folder (and a study), so nothing else names one.
MOST_NAMING_PAPERS = 0
# The folder of the measures of faithfulness, whose name is an ordinary word.
NOT_NAMES = {"faithfulness", "shared"}

# As in the README, but small.
CONFIG = """
local lib = import '%s/lib/lib.libsonnet';
lib.experiment(
  data=lib.data.text_files(
    'train.jsonl', 'dev.jsonl', 'test.jsonl',
    reader={ corpus: 'planted' }, embedding={ type: 'word_vectors', embedding_dim: 8 },
  ),
  encoder=lib.encoders.bilstm,
  attention=lib.attention.tanh + lib.attention.softmax,
  training=lib.training.jain_wallace,
) + { trainer+: { num_epochs: 3 } }
"""
ALLENNLP = {
    "train": ("train", "my.jsonnet", "-s", "run"),
    "attribute": (
        *("attribute", "run", "test.jsonl", "-o", "results/mine.parquet"),
        *("--interpreters", str(CONFIGS / "interpreters" / "jain_wallace.jsonnet")),
    ),
    "faithfulness": ("faithfulness", "run", "results/mine.parquet", "-o", "results/scores.parquet"),
    "verdict": ("verdict", "run", "test.jsonl", "-o", "verdict", "--anyway"),
}
ANALYSIS = {
    "agreement": ("agreement", "results/mine.parquet", "-o", "results"),
    "table": ("table", "jain-wallace-correlations", "results/mine.parquet", "-o", "results"),
    "report": ("report", "results"),
}


@dataclass
class Way:
    """The functions of the project that a step called, and its calls from one file to another."""

    functions: set[CodeType]
    changes: set[tuple[str, str]]

    @property
    def files(self) -> set[str]:
        return {own_file(code) for code in self.functions}


def own_file(code: CodeType) -> str | None:
    """The path of the code relative to the project; None for code of other packages."""
    if code not in _files:
        path = Path(code.co_filename)
        below = path.is_absolute() and path.is_relative_to(PROJECT)
        name = path.relative_to(PROJECT).as_posix() if below else ""
        _files[code] = name if name.partition("/")[0] in PACKAGES[:-1] else None
    return _files[code]


_files: dict[CodeType, str | None] = {}


@contextmanager
def watched() -> Iterator[Way]:
    """Records the calls made in the block."""
    way = Way(set(), set())

    def hook(frame: FrameType, event: str, _: Any) -> None:
        if event != "call" or (file := own_file(frame.f_code)) is None:
            return
        caller = None
        below: FrameType | None = frame
        while below is not None and below.f_code.co_filename != __file__:
            if below.f_code.co_name == "<module>":
                return
            caller = caller or (below is not frame and own_file(below.f_code)) or None
            below = below.f_back
        way.functions.add(frame.f_code)
        if caller is not None and caller != file:
            way.changes.add((caller, file))

    threading.setprofile(hook)
    sys.setprofile(hook)
    try:
        yield way
    finally:
        sys.setprofile(None)
        threading.setprofile(None)


def allennlp(arguments: Sequence[str]) -> Callable[[], object]:
    """The command as a function, with its command line already parsed."""
    from allennlp.commands import parse_args

    kept, sys.argv = sys.argv, ["allennlp", *arguments]
    try:
        _, parsed = parse_args("allennlp")
    finally:
        sys.argv = kept
    return lambda: parsed.func(parsed)


def analysis(arguments: Sequence[str]) -> Callable[[], object]:
    """A command of `python -m analysis` as a function."""
    from analysis.__main__ import parse

    parsed = parse(list(arguments))
    return lambda: parsed.run(parsed)


def ways(names: Iterable[str] = (*ALLENNLP, *ANALYSIS)) -> dict[str, Way]:
    """The way through each of these steps and those before it, run in a temporary folder."""
    from attention_explain.data.planted.__main__ import main as write_corpus

    steps: list[tuple[str, Callable[[Sequence[str]], Callable[[], object]], Sequence[str]]] = [
        *((name, allennlp, arguments) for name, arguments in ALLENNLP.items()),
        *((name, analysis, arguments) for name, arguments in ANALYSIS.items()),
    ]
    last = max(position for position, (name, *_) in enumerate(steps) if name in set(names))
    kept, said, passed = os.getcwd(), io.StringIO(), {}
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        try:
            Path("my.jsonnet").write_text(CONFIG % CONFIGS)
            with redirect_stdout(said), redirect_stderr(said):
                write_corpus(["easy", "-o", ".", "--sizes", "400", "20", "20"])
                for name, command, arguments in steps[: last + 1]:
                    work = command(arguments)
                    with watched() as way:
                        work()
                    passed[name] = way
        except (Exception, SystemExit):
            print(said.getvalue(), file=sys.stderr)
            raise
        finally:
            os.chdir(kept)
    return passed


def files_of(passed: dict[str, Way]) -> set[str]:
    return set().union(*(way.files for way in passed.values()))


def counts(passed: dict[str, Way]) -> Iterator[Count]:
    for name, way in passed.items():
        note = f"{len(way.changes)} changes of file"
        yield Count(f"way of a sentence, {name}", len(way.files), "files", note=note)
    to_verdict = {name: passed[name] for name in ALLENNLP}
    changes = set().union(*(way.changes for way in to_verdict.values()))
    note = f"{len(changes)} changes of file"
    name = "way of a sentence, from config to verdict page"
    yield Count(name, len(files_of(to_verdict)), "files", MOST_FILES, note)
    for package in PACKAGES:
        yield Count(f"package {package}", len(list((PROJECT / package).rglob("*.py"))), "files")
    yield Count("attention_explain and analysis", source_lines(), "lines", MOST_LINES)
    naming = files_naming_papers()
    said = ", ".join(path.relative_to(PROJECT).as_posix() for path in naming)
    name = "files of analysis and workflow that name a paper, outside of the papers' folders"
    yield Count(name, len(naming), "files", MOST_NAMING_PAPERS, said)
    yield Count("training_configs", len(training_configs()), "files", MOST_CONFIGS)


def training_configs() -> list[Path]:
    """The training configs and the libraries that they import."""
    return [path for path in CONFIGS.rglob("*") if path.suffix in (".jsonnet", ".libsonnet")]


def source_lines() -> int:
    """The number of lines of the two packages, including comments and docstrings."""
    return sum(
        len(path.read_text(encoding="utf-8").splitlines())
        for package in PACKAGES[:-1]
        for path in (PROJECT / package).rglob("*.py")
    )


def files_naming_papers() -> list[Path]:
    """
    The files outside of the papers' folders that contain the name of such a folder, written as a module
    (`_`) or as users type it (`-`), also in comments.
    """
    folders = {path.parent for path in PAPERS.glob("*/__init__.py")}
    folders -= {PAPERS / name for name in NOT_NAMES}
    names = "|".join(folder.name.replace("_", "[-_]") for folder in folders)
    pattern = re.compile(rf"(?<![\w-])(?:{names})(?!\w)")
    return [
        path
        for package in ("analysis", "attention_explain/workflow")
        for path in sorted((PROJECT / package).rglob("*.py"))
        if path.parent not in folders and pattern.search(path.read_text(encoding="utf-8"))
    ]


def listed(passed: dict[str, Way]) -> Iterator[str]:
    """One line per file on the way: how much of it is used, and by which step."""
    lines: Counter = Counter()
    names: dict[str, set[str]] = {}
    for way in passed.values():
        for code in way.functions:
            names.setdefault(own_file(code), set()).add(code.co_name)
    for code in set().union(*(way.functions for way in passed.values())):
        lines[own_file(code)] += len({line for *_, line in code.co_lines() if line})
    for file, used in sorted(lines.items(), key=lambda entry: (entry[1], entry[0])):
        whole = len((PROJECT / file).read_text(encoding="utf-8").splitlines())
        steps = ", ".join(name for name, way in passed.items() if file in way.files)
        callers = {
            first for way in passed.values() for first, other in way.changes if other == file
        }
        yield (
            f"{used:4} of {whole:3} lines  {file} ({steps}; called from {len(callers)} files): "
            f"{', '.join(sorted(names[file]))}"
        )


def main() -> list[Count]:
    return list(counts(ways()))


if __name__ == "__main__":
    found = ways()
    print(*counts(found), *listed(found), sep="\n")
