"""
The single experiments of a study: which there are, and the config of each as `allennlp train` takes it.
Studies are the one place where experiments are stated; what is printed here is derived from them.
"""

import json
import re
import shlex
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Dict, List, Mapping, Optional

from analysis.model_config import ModelConfig
from attention_explain.files.whole import Costly, check_new, check_outputs, write_whole
from attention_explain.workflow.errors import StudyError
from attention_explain.workflow.identity import (
    Reference,
    fit_for_a_file,
    references,
    with_references,
)
from attention_explain.workflow.study import ATTRIBUTIONS, SPLITS, StudyRun
from attention_explain.workflow.study_file import DATA, FIRST, SIZES, load_runs, study_file

# Stands around the name of a variable in a string of the config, until the config is text. Unicode
# keeps it free for such uses.
MARK = "\ue000"
# A string in JSON.
STRING = re.compile(r'"((?:[^"\\]|\\.)*)"')


@dataclass(frozen=True)
class Experiments:
    """
    All of a study, for a size, a folder of data and a seed.

    runs : by corpus and name.
    one_base : the seed of the runs that others refer to, None for their own.
    """

    study: str
    size: str
    data: str
    seed: int
    runs: Dict[str, Dict[str, StudyRun]]
    one_base: Optional[int]

    def listed(self) -> str:
        """A line for each: corpus, run, what it is, and which runs have to be there before."""
        rows = [("corpus", "run", "what it is")]
        for corpus, runs in self.runs.items():
            for name, run in runs.items():
                needed = sorted(references(run.config))
                needs = f", needs {' and '.join(needed)}" if needed else ""
                rows.append((corpus, name, _what(run.config) + needs))
        wide, wider = (max(len(row[column]) for row in rows) for column in (0, 1))
        return "\n".join(f"{row[0]:{wide}}  {row[1]:{wider}}  {row[2]}" for row in rows)

    def config(self, corpus: str, name: str) -> str:
        """
        The config of a run as a jsonnet file: just what the study trains, except that the files of
        other runs are variables at its beginning, each below the commands that make it.
        """
        run = self._run(corpus, name)
        lines = [
            f"The run {name} on {corpus} ({_what(run.config)}) of the study {self.study},",
            f"size {self.size}, seed {self.seed}; made by",
            f"  {self._command(corpus, name, self.seed)} -o FILE.jsonnet",
            "and trained by",
            f"  allennlp train FILE.jsonnet -s {shlex.quote(_folder(corpus, name))}",
        ]
        variables: Dict[str, str] = {}

        def variable(reference: Reference) -> str:
            said = "_".join(filter(None, (reference.kind, reference.run, reference.listed)))
            word = re.sub(r"\W", "_", said)
            variables[word] = self._needed(word, corpus, reference)
            return f"{MARK}{word}{MARK}"

        config = _jsonnet(with_references(run.config, variable))
        return _comment(lines) + "".join(variables.values()) + config + "\n"

    def _run(self, corpus: str, name: str) -> StudyRun:
        runs = _chosen(self.runs, corpus, f"{self.study}: there is no corpus")
        return _chosen(runs, name, f"{self.study}: there is no run")

    def _command(self, corpus: str, name: str, seed: int) -> str:
        """Prints the config of a run."""
        words = ["python", "-m", "attention_explain.workflow", "config", self.study, corpus, name]
        options = (
            ("--size", self.size, SIZES[-1]),
            ("--data", self.data, DATA),
            ("--seed", str(seed), str(FIRST)),
        )
        for option, value, usual in options:
            words += [] if value == usual else [option, value]
        return shlex.join(words)

    def _needed(self, word: str, corpus: str, reference: Reference) -> str:
        """The variable that stands for what another run makes, below what makes that."""
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
            methods = _chosen(run.files[ATTRIBUTIONS], listed, f"{name} has no attributions")
            commands.append(_attribute(folder, run.config[SPLITS[run.split]], path, methods))
        lines = ["", f"It needs what the run {name} makes, with seed {seed}:"]
        lines += [f"  {command}" for command in commands]
        lines.append("This is where it lies; change it if it lies elsewhere:")
        return f"{_comment(lines)}local {word} = {json.dumps(path)};\n"


def load_experiments(
    study: str, size: str = SIZES[-1], data: str = DATA, seed: int = FIRST
) -> Experiments:
    if seed < 0:
        raise StudyError(f"the seed is {seed}, but must be 0 or more")
    return Experiments(study, size, data, seed, *load_runs(study, size, data, seed))


def write_config(config: str, path: Path, study: str, force: bool) -> None:
    """Whole or not at all; in the place of a file that is there only by `force`, never of the study."""
    try:
        check_outputs({".jsonnet": [path]}, [study_file(study)])
        check_new(path, force)
    except Costly as error:
        raise StudyError(str(error)) from error
    path.parent.mkdir(parents=True, exist_ok=True)
    write_whole(path, config)


def _chosen(known: Mapping[str, Any], name: str, otherwise: str) -> Any:
    if name not in known:
        raise StudyError(f"{otherwise} '{name}'; there are {', '.join(known)}")
    return known[name]


def _folder(corpus: str, name: str) -> str:
    """Where the comments put a run."""
    return f"runs/{fit_for_a_file(f'{corpus}-{name}')}"


def _what(config: Dict[str, Any]) -> str:
    try:
        return ModelConfig(config).name
    except (AttributeError, KeyError, TypeError):
        return "no attention_classifier"


def _attribute(folder: str, data: str, output: str, methods: List[Any]) -> str:
    told = [method if isinstance(method, str) else json.dumps(method) for method in methods]
    return shlex.join(
        ["allennlp", "attribute", folder, data, "-o", output, "--interpreters", *told]
    )


def _comment(lines: List[str]) -> str:
    return "".join(f"// {line}".rstrip() + "\n" for line in lines)


def _jsonnet(config: Any) -> str:
    """JSON, in which the names between marks are variables: `name + "/rest"`."""

    def expression(string: re.Match) -> str:
        pieces = string[1].split(MARK)
        if len(pieces) == 1:
            return string[0]
        # Text, name, text, name, ..., text.
        said = [piece if place % 2 else f'"{piece}"' for place, piece in enumerate(pieces)]
        return " + ".join(one for one in said if one != '""')

    return STRING.sub(expression, json.dumps(config, indent=2, ensure_ascii=False))
