"""
The single experiments of a study, as configs for `allennlp train`. Experiments are defined in studies only; the
printed configs are derived from them.
"""

import json
import re
import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from analysis.model_config import ModelConfig
from attention_explain.files.atomic import check_new, check_outputs, write_atomic
from attention_explain.workflow.identity import (
    Reference,
    fit_for_a_file,
    references,
    with_references,
)
from attention_explain.workflow.study import ATTRIBUTIONS, SPLITS, StudyError, StudyRun
from attention_explain.workflow.study_file import DATA, FIRST, SIZES, load_runs, study_file

# Encloses the name of a variable in a string of the config. Unicode reserves it for private use.
MARK = "\ue000"
# A string in JSON.
STRING = re.compile(r'"((?:[^"\\]|\\.)*)"')


@dataclass(frozen=True)
class Experiments:
    """
    All experiments of a study, for one size, data folder and seed.

    runs : by corpus and name.
    one_base : the seed of all runs that others refer to; None if each refers to its own seed.
    """

    study: str
    size: str
    data: str
    seed: int
    runs: dict[str, dict[str, StudyRun]]
    one_base: int | None

    def to_text(self) -> str:
        """One line per experiment: corpus, run, model, and the runs that must be trained first."""
        rows = [("corpus", "run", "what it is")]
        for corpus, runs in self.runs.items():
            for name, run in runs.items():
                needed = sorted(references(run.config))
                needs = f", needs {' and '.join(needed)}" if needed else ""
                rows.append((corpus, name, _describe(run.config) + needs))
        wide, wider = (max(len(row[column]) for row in rows) for column in (0, 1))
        return "\n".join(f"{row[0]:{wide}}  {row[1]:{wider}}  {row[2]}" for row in rows)

    def config(self, corpus: str, name: str) -> str:
        """
        The config of a run as jsonnet: what the study trains, except that the files of other runs are variables
        at the top, each below the commands that make the file.
        """
        run = self._run(corpus, name)
        lines = [
            f"The run {name} on {corpus} ({_describe(run.config)}) of the study {self.study},",
            f"size {self.size}, seed {self.seed}; made by",
            f"  {self._command(corpus, name, self.seed)} -o FILE.jsonnet",
            "and trained by",
            f"  allennlp train FILE.jsonnet -s {shlex.quote(_folder(corpus, name))}",
        ]
        variables: dict[str, str] = {}

        def variable(reference: Reference) -> str:
            words = filter(None, (reference.kind, reference.run, reference.listed))
            name = re.sub(r"\W", "_", "_".join(words))
            variables[name] = self._variable(name, corpus, reference)
            return f"{MARK}{name}{MARK}"

        config = _jsonnet(with_references(run.config, variable))
        return _comment(lines) + "".join(variables.values()) + config + "\n"

    def _run(self, corpus: str, name: str) -> StudyRun:
        runs = _find(self.runs, corpus, f"{self.study}: there is no corpus")
        return _find(runs, name, f"{self.study}: there is no run")

    def _command(self, corpus: str, name: str, seed: int) -> str:
        """The command that prints the config of a run."""
        words = ["python", "-m", "attention_explain.workflow", "config", self.study, corpus, name]
        options = (
            ("--size", self.size, SIZES[-1]),
            ("--data", self.data, DATA),
            ("--seed", str(seed), str(FIRST)),
        )
        for option, value, usual in options:
            words += [] if value == usual else [option, value]
        return shlex.join(words)

    def _variable(self, variable: str, corpus: str, reference: Reference) -> str:
        """The definition of a variable for a file of another run, below the commands that make the file."""
        name, listed = reference.run, reference.listed
        run = self._run(corpus, name)
        seed = reference.seed(self.seed, self.one_base)
        folder = path = _folder(corpus, name)
        file = f"{Path(folder).name}.jsonnet"
        commands = [
            f"{self._command(corpus, name, seed)} -o {shlex.quote(file)}",
            shlex.join(["allennlp", "train", file, "-s", folder]),
        ]
        if reference.method is not None:
            path = f"{folder}-{fit_for_a_file(reference.method)}"
            commands += [
                _attribute(folder, run.config[data], f"{path}/{split}.parquet", [reference.method])
                for split, data in SPLITS.items()
                if data in run.config
            ]
        elif reference.kind == "attributions":
            path = f"{folder}-{listed}.parquet"
            methods = _find(run.files[ATTRIBUTIONS], listed, f"{name} has no attributions")
            commands.append(_attribute(folder, run.config[SPLITS[run.split]], path, methods))
        lines = ["", f"This config needs files of the run {name} with seed {seed}:"]
        lines += [f"  {command}" for command in commands]
        lines.append("Their path; change it if they are elsewhere:")
        return f"{_comment(lines)}local {variable} = {json.dumps(path)};\n"


def load_experiments(
    study: str, size: str = SIZES[-1], data: str = DATA, seed: int = FIRST
) -> Experiments:
    """The experiments of a study."""
    if seed < 0:
        raise StudyError(f"the seed is {seed}, but must be 0 or more")
    return Experiments(study, size, data, seed, *load_runs(study, size, data, seed))


def write_config(config: str, path: Path, study: str, force: bool) -> None:
    """Write a config; replaces an existing file only with `force`, and never the study itself."""
    check_outputs({".jsonnet": [path]}, [study_file(study)])
    check_new(path, force)
    path.parent.mkdir(parents=True, exist_ok=True)
    write_atomic(path, config)


def _find(known: Mapping[str, Any], name: str, message: str) -> Any:
    if name not in known:
        raise StudyError(f"{message} '{name}'; there are {', '.join(known)}")
    return known[name]


def _folder(corpus: str, name: str) -> str:
    """The folder of a run in the comments."""
    return f"runs/{fit_for_a_file(f'{corpus}-{name}')}"


def _describe(config: dict[str, Any]) -> str:
    try:
        return ModelConfig(config).name
    except (AttributeError, KeyError, TypeError):
        return "no attention_classifier"


def _attribute(folder: str, data: str, output: str, methods: list[Any]) -> str:
    words = [method if isinstance(method, str) else json.dumps(method) for method in methods]
    return shlex.join(
        ["allennlp", "attribute", folder, data, "-o", output, "--interpreters", *words]
    )


def _comment(lines: list[str]) -> str:
    return "".join(f"// {line}".rstrip() + "\n" for line in lines)


def _jsonnet(config: Any) -> str:
    """JSON with the names between marks as variables: `name + "/rest"`."""

    def expression(string: re.Match) -> str:
        pieces = string[1].split(MARK)
        if len(pieces) == 1:
            return string[0]
        # Text, name, text, name, ..., text.
        terms = [piece if index % 2 else f'"{piece}"' for index, piece in enumerate(pieces)]
        return " + ".join(term for term in terms if term != '""')

    return STRING.sub(expression, json.dumps(config, indent=2, ensure_ascii=False))
