"""The last steps of a plan: tables, the outcomes of the papers' claims, and the report page."""

import hashlib
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from analysis.errors import AnalysisError
from analysis.manifest import MANIFEST, drop_section, read_manifest
from attention_explain.workflow import costs
from attention_explain.workflow.identity import fit_for_a_file, hash_of
from attention_explain.workflow.kinds import (
    REPORT,
    TABLE,
    ReportStep,
    ResultsStep,
    TableStep,
    record_of_result,
)
from attention_explain.workflow.resolve import ResolvedRun
from attention_explain.workflow.steps import Step
from attention_explain.workflow.study import SAME_TEXTS, StudyTable, TableSource

ANALYSIS = Path(__file__).resolve().parents[2] / "analysis"
# Commands that write one file; the others write a folder.
WRITE_A_FILE = ("models", "causes")


# Finds the path of a table's input and the name of the step that makes it; None if a run has none.
Finder = Callable[[TableSource, ResolvedRun], tuple[str, str] | None]


@dataclass(frozen=True)
class WantedTable:
    """
    A table of a study, with its results folder.

    files : its inputs, each with the name of the step that makes it.
    """

    table: StudyTable
    folder: Path
    about: str
    files: dict[str, str]


def wanted_tables(
    table: StudyTable, results: Path, runs: Sequence[ResolvedRun], find: Finder
) -> list[WantedTable]:
    """The table; or one per corpus, each in its own folder, if it cannot combine several corpora."""
    chosen = [run for run in runs if table.only is None or run.run.key.name in table.only]
    corpora = dict.fromkeys(run.run.key.corpus for run in chosen)
    if table.command not in SAME_TEXTS or len(corpora) == 1:
        return [WantedTable(table, results, table.name, _files(table, chosen, find))]
    return [
        WantedTable(
            table,
            results / corpus,
            f"{table.name} of {corpus}",
            _files(table, [run for run in chosen if run.run.key.corpus == corpus], find),
        )
        for corpus in corpora
    ]


def _files(table: StudyTable, runs: Sequence[ResolvedRun], find: Finder) -> dict[str, str]:
    inputs = (find(source, run) for source in table.sources for run in runs)
    return dict(each for each in inputs if each is not None)


def table_steps(wanted: Sequence[WantedTable], results: Path) -> list[Step]:
    """Steps for all tables that have inputs, and claims and a report for folders with more than csv files."""
    code = hash_of(_sources(ANALYSIS))
    tables = [_table_step(one, code) for one in wanted if one.files]
    folders: dict[str, list[TableStep]] = {}
    for step in tables:
        folders.setdefault(step.folder, []).append(step)
    steps: list[Step] = list(tables)
    for name, made in folders.items():
        # A folder of plain csv files has no manifest to make a report from.
        if all(step.file for step in made):
            continue
        folder = Path(name)
        claims = _of_folder(TableStep, TABLE, "claims", folder, results, made, code)
        page = _of_folder(ReportStep, REPORT, "report", folder, results, [*made, claims], code)
        steps += [claims, page]
    return steps


def _table_step(wanted: WantedTable, code: str) -> TableStep:
    table, folder = wanted.table, wanted.folder
    # Names contain the identity of the file; the folder does not matter.
    names = [Path(file).name for file in wanted.files]
    identity = hash_of([code, table.command, table.arguments, names])
    file = str(folder / f"{table.name}.csv") if table.command in WRITE_A_FILE else None
    name = table.arguments[:1] if table.command == "table" else ()
    options = table.arguments[len(name) :]
    return TableStep(
        kind=TABLE,
        name=f"table-{fit_for_a_file(folder.name)}-{fit_for_a_file(table.name)}-{identity}",
        about=wanted.about,
        group=wanted.about,
        identity=identity,
        needs=tuple(dict.fromkeys(wanted.files.values())),
        seconds=costs.TABLE,
        folder=str(folder),
        result=table.name,
        command=(
            *("-m", "analysis", table.command, *name, *wanted.files, *options),
            *("-o", file or str(folder)),
        ),
        file=file,
    )


def _of_folder(
    step: type[ResultsStep],
    kind: str,
    command: str,
    folder: Path,
    results: Path,
    tables: Sequence[Step],
    code: str,
) -> ResultsStep:
    """A step that needs all tables of a folder."""
    identity = hash_of([code, sorted(table.identity for table in tables)])
    about = command if folder == results else f"{command} of {folder.name}"
    return step(
        kind=kind,
        name=f"{command}-{fit_for_a_file(folder.name)}-{identity}",
        about=about,
        group=about,
        identity=identity,
        needs=tuple(table.name for table in tables),
        seconds=costs.TABLE,
        folder=str(folder),
        result=command,
        command=("-m", "analysis", command, str(folder)),
    )


def drop_unwanted(results: Path, steps: Iterable[Step]) -> None:
    """Remove tables that the study no longer contains; tables that were added by hand stay."""
    wanted = {(Path(step.folder), step.result) for step in steps if isinstance(step, TableStep)}
    for folder in sorted({path.parent for path in results.rglob(MANIFEST)}):
        for section, made in _commands(folder).items():
            # python -m analysis table NAME ..., or python -m analysis NAME ...
            name = next(word for word in made["command"][3:] if word != "table")
            record = record_of_result(folder, TABLE, name)
            if record.is_file() and (folder, name) not in wanted:
                drop_section(folder, section)
                record.unlink()


def _commands(folder: Path) -> dict[str, Any]:
    # The step that writes into the folder will report a damaged manifest.
    with suppress(AnalysisError):
        return read_manifest(folder)["commands"]
    return {}


def _sources(folder: Path) -> dict[str, str]:
    """Hashes of the code of the analysis: tables are made again when it changes."""
    return {
        path.relative_to(folder).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*"))
        if path.suffix in (".py", ".csv")
    }
