"""Reads and checks the jsonnet file of a study; mistakes in it raise `StudyError`."""

from collections.abc import Iterable, Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any

from attention_explain.errors import InputError
from attention_explain.jsonnet import configs_folder, evaluate_file, find_config
from attention_explain.workflow.identity import references
from attention_explain.workflow.study import (
    ATTRIBUTIONS,
    FAITHFULNESS,
    FILE_KINDS,
    RUN_FOLDERS,
    SPLITS,
    Evaluation,
    RunKey,
    Study,
    StudyError,
    StudyRun,
    StudyTable,
    TableSource,
)

STUDIES = configs_folder() / "studies"
SIZES = ("quick", "full")
DATA = "data"
# The seed with which a study is first evaluated: most studies contain it.
FIRST = 1
# The option that makes all runs refer to those of the first seed.
ONE_BASE = "one_base"
# Commands of `python -m analysis` that a study can use.
COMMANDS = ("table", "agreement", "models", "causes", "plausibility")


def study_file(name: str) -> Path:
    """The path of a study: a name in training_configs/studies, or a .jsonnet file."""
    path = Path(find_config(name)) if name.endswith(".jsonnet") else STUDIES / f"{name}.jsonnet"
    if not path.is_file():
        known = ", ".join(sorted(file.stem for file in STUDIES.glob("*.jsonnet")))
        raise StudyError(f"{path}: no such study; there are {known}, or name a .jsonnet file")
    return path


def load_study(
    name: str,
    size: str = "full",
    data: str = DATA,
    seeds: int | None = None,
    corpora: Sequence[str] = (),
    models: Sequence[str] = (),
) -> Study:
    """
    The study with the selected seeds, corpora and models.

    # Parameters

    data : `str`
        The folder of the corpora, for lib/data.libsonnet.
    seeds : `Optional[int]`
        The number of seeds; if the study names fewer, the next unused numbers are added.
    corpora : `Sequence[str]`
        Only these corpora; all if empty.
    models : `Sequence[str]`
        Only the runs with these names and those that they refer to; all if empty.
    """
    path = study_file(name)
    first = read_study(path, size, data, FIRST)
    chosen = _chosen_corpora(first["corpora"], corpora, path)
    numbers = _seeds(first["seeds"], seeds, path)
    runs: dict[RunKey, StudyRun] = {}
    for index, seed in enumerate(numbers):
        stated = first if seed == FIRST else read_study(path, size, data, seed)
        for corpus in chosen:
            for key, run in stated["corpora"][corpus].items():
                if index < run.get("seeds", len(numbers)):
                    made = _run(RunKey(corpus, key, seed), run, path)
                    runs[made.key] = made
    if not runs:
        raise StudyError(f"{path}: names no runs")
    # A table may use runs that only some corpora have.
    all_runs = [
        _run(RunKey(corpus, key, FIRST), run, path)
        for corpus, named in first["corpora"].items()
        for key, run in named.items()
    ]
    tables = tuple(_table(table, path, all_runs) for table in first["tables"])
    if models:
        runs = _chosen_models(runs, models, path)
    one_base = numbers[0] if first.get(ONE_BASE) else None
    return Study(path.stem, first["title"], size, tuple(corpora), numbers, runs, tables, one_base)


def read_study(path: Path, size: str, data: str, seed: int) -> dict[str, Any]:
    """The checked content of a study file for a size, a data folder and a seed."""
    if size not in SIZES:
        raise StudyError(f"there is no size '{size}'; there are {', '.join(SIZES)}")
    return _checked(_evaluated(path, size, data, seed), path)


def load_runs(
    name: str, size: str, data: str, seed: int
) -> tuple[dict[str, dict[str, StudyRun]], int | None]:
    """
    All runs of a study for a seed, by corpus and name; and the seed of all runs that others refer to, None if each
    refers to its own seed.
    """
    path = study_file(name)
    stated = read_study(path, size, data, seed)
    runs = {
        corpus: {run: _run(RunKey(corpus, run, seed), one, path) for run, one in runs.items()}
        for corpus, runs in stated["corpora"].items()
    }
    return runs, _seeds(stated["seeds"], None, path)[0] if stated.get(ONE_BASE) else None


def _evaluated(path: Path, size: str, data: str, seed: int) -> Any:
    try:
        return evaluate_file(
            path,
            ATTENTION_EXPLAIN_SIZE=size,
            ATTENTION_EXPLAIN_DATA=data,
            ATTENTION_EXPLAIN_SEED=str(seed),
        )
    except InputError as error:
        raise StudyError(str(error)) from error


def _checked(stated: Any, path: Path) -> dict[str, Any]:
    _check_keys(stated, ("title", "seeds", "corpora", "tables", ONE_BASE), f"{path}", 4)
    if not isinstance(stated.get(ONE_BASE, False), bool):
        raise StudyError(f"{path}: '{ONE_BASE}' is neither true nor false")
    if not isinstance(stated["tables"], list):
        raise StudyError(f"{path}: 'tables' is not a list")
    _check_keys(stated["corpora"], None, f"{path}: 'corpora'")
    for corpus, runs in stated["corpora"].items():
        _check_keys(runs, None, f"{path}: the corpus '{corpus}'")
        for name, run in runs.items():
            where = f"{path}: the run '{name}' of {corpus}"
            kinds = (kind.name for kind in FILE_KINDS)
            _check_keys(run, ("config", *kinds, "split", "seeds"), where, 1)
            _check_keys(run["config"], None, f"{where}: its config")
    return stated


def _check_keys(
    stated: Any, known: Sequence[str] | None, where: str, needed: int | None = None
) -> None:
    """Raise unless all keys are known and the first `needed` of the known keys (all if None) are present."""
    if not isinstance(stated, dict):
        raise StudyError(f"{where}: is not an object")
    if known is None:
        return
    for key in stated:
        if key not in known:
            raise StudyError(f"{where}: unknown key '{key}'; known are {', '.join(known)}")
    for key in known[:needed]:
        if key not in stated:
            raise StudyError(f"{where}: '{key}' is missing")


def _chosen_corpora(stated: dict[str, Any], wanted: Sequence[str], path: Path) -> tuple[str, ...]:
    for corpus in wanted:
        if corpus not in stated:
            raise StudyError(
                f"{path}: there is no corpus '{corpus}' in this study; there are "
                f"{', '.join(stated)}"
            )
    return tuple(wanted) or tuple(stated)


def _chosen_models(
    runs: dict[RunKey, StudyRun], wanted: Sequence[str], path: Path
) -> dict[RunKey, StudyRun]:
    known = dict.fromkeys(key.name for key in runs)
    for name in wanted:
        if name not in known:
            raise StudyError(
                f"{path}: there is no model '{name}' in this study; there are {', '.join(known)}"
            )
    chosen = set(wanted)
    left = list(wanted)
    while left:
        name = left.pop()
        for run in runs.values():
            if run.key.name == name:
                referred = references([run.config, *run.files.values()]) - chosen
                chosen |= referred
                left += referred
    return {key: run for key, run in runs.items() if key.name in chosen}


def _seeds(stated: Any, number: int | None, path: Path) -> tuple[int, ...]:
    if not isinstance(stated, list) or not all(isinstance(seed, int) for seed in stated):
        raise StudyError(f"{path}: 'seeds' is not a list of whole numbers")
    if number is None:
        return tuple(stated)
    if number < 1:
        raise StudyError(f"the number of seeds is {number}, but must be 1 or more")
    more = (seed for seed in range(1, number + len(stated) + 1) if seed not in stated)
    return tuple([*stated, *more][:number])


def _run(key: RunKey, stated: dict[str, Any], path: Path) -> StudyRun:
    config = stated["config"]
    split = stated.get("split", "test" if SPLITS["test"] in config else "dev")
    if SPLITS.get(split) not in config:
        raise StudyError(f"{path}: the run '{key.name}' of {key.corpus} has no data for '{split}'")
    files = {kind: stated.get(kind.name, {}) for kind in FILE_KINDS}
    where = f"of the run '{key.name}' of {key.corpus}"
    for kind, named in files.items():
        if not isinstance(named, dict) or not all(
            isinstance(one, kind.stated_as) for one in named.values()
        ):
            what = "lists of methods" if kind.stated_as is list else "objects"
            raise StudyError(f"{path}: '{kind.name}' {where} must map names to {what}")
    for name, evaluation in files[FAITHFULNESS].items():
        _check_keys(
            evaluation,
            tuple(field.name for field in fields(Evaluation)),
            f"{path}: the faithfulness '{name}' {where}",
            1,
        )
        limit = evaluation.get("limit", 1)
        if type(limit) is not int or limit < 1:
            raise StudyError(
                f"{path}: the faithfulness '{name}' {where} has the limit {limit!r}, but it must be a "
                "whole number of at least 1"
            )
        if evaluation["attributions"] not in files[ATTRIBUTIONS]:
            raise StudyError(
                f"{path}: the faithfulness '{name}' {where} uses the attributions "
                f"'{evaluation['attributions']}', which the run does not have"
            )
    return StudyRun(key, config, files, split)


def _table(stated: Any, path: Path, runs: Iterable[StudyRun]) -> StudyTable:
    where = f"{path}: a table"
    _check_keys(stated, ("command", "from", "arguments", "only"), where, 2)
    command = stated["command"]
    if command not in COMMANDS:
        raise StudyError(
            f"{where}: there is no command '{command}'; there are {', '.join(COMMANDS)}"
        )
    arguments = tuple(map(str, stated.get("arguments", [])))
    if command == "table" and not arguments:
        raise StudyError(f"{where}: the command 'table' needs the name of a table")
    runs = list(runs)
    known = {str(RUN_FOLDERS): RUN_FOLDERS}
    for run in runs:
        for kind, lists in run.files.items():
            known.update(
                {str(source): source for source in (TableSource(kind, name) for name in lists)}
            )
    for source in stated["from"]:
        if source not in known:
            raise StudyError(
                f"{where} uses '{source}', which no run has; there are {', '.join(sorted(known))}"
            )
    only = stated.get("only")
    names = {run.key.name for run in runs}
    for name in only or ():
        if name not in names:
            raise StudyError(f"{where} uses the run '{name}', which the study does not have")
    sources = tuple(known[source] for source in stated["from"])
    return StudyTable(command, arguments, sources, None if only is None else tuple(only))
