"""The steps at the end of a plan: tables, the verdicts on the papers' claims, and the page of it all."""

import hashlib
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Dict, Iterable, List, Sequence

from analysis.errors import AnalysisError
from analysis.manifest import MANIFEST, drop_section, read_manifest
from workflow import costs
from workflow.identity import fit_for_a_file, hash_of
from workflow.steps import REPORT, TABLE, Step, record_of_table
from workflow.study import SAME_TEXTS, Table

ANALYSIS = Path(__file__).resolve().parents[1] / "analysis"
# These write a file, all others a folder.
WRITE_A_FILE = ("models", "causes")


@dataclass(frozen=True)
class Part:
    """What of a table goes into a folder."""

    folder: Path
    about: str
    runs: List[Any]


@dataclass(frozen=True)
class Asked:
    """
    A table to be made.

    files : what it is made from, each with the step that makes it.
    """

    table: Table
    folder: Path
    about: str
    files: Dict[str, str]


def parts(table: Table, results: Path, made: Sequence[Any]) -> List[Part]:
    """A corpus has a folder of its own for what cannot be made of several at once."""
    chosen = [each for each in made if table.only is None or each.run.key.name in table.only]
    corpora = dict.fromkeys(each.run.key.corpus for each in chosen)
    if table.command not in SAME_TEXTS or len(corpora) == 1:
        return [Part(results, table.name, chosen)]
    return [
        Part(
            results / corpus,
            f"{table.name} of {corpus}",
            [each for each in chosen if each.run.key.corpus == corpus],
        )
        for corpus in corpora
    ]


def table_steps(asked: Sequence[Asked], results: Path) -> List[Step]:
    """Each table that has any files; verdicts and a page for each folder that gets any table."""
    code = hash_of(_sources(ANALYSIS))
    tables = [_table(one, code) for one in asked if one.files]
    folders: Dict[str, List[Step]] = {}
    for step in tables:
        folders.setdefault(step.outputs[0], []).append(step)
    steps = list(tables)
    for name, made in folders.items():
        folder = Path(name)
        verdicts = _of_folder(TABLE, "claims", folder, results, made, code)
        page = _of_folder(REPORT, "report", folder, results, [*made, verdicts], code)
        steps += [verdicts, page]
    return steps


def _table(asked: Asked, code: str) -> Step:
    table, folder = asked.table, asked.folder
    # What the files are, and not where they lie.
    names = [Path(file).name for file in asked.files]
    identity = hash_of([code, table.command, table.arguments, names])
    output = folder / f"{table.name}.csv" if table.command in WRITE_A_FILE else folder
    name = table.arguments[:1] if table.command == "table" else ()
    options = table.arguments[len(name) :]
    command = ("-m", "analysis", table.command, *name, *asked.files, *options, "-o", str(output))
    return Step(
        f"table-{fit_for_a_file(folder.name)}-{fit_for_a_file(table.name)}-{identity}",
        TABLE,
        asked.about,
        asked.about,
        (command,),
        (str(folder),),
        tuple(dict.fromkeys(asked.files.values())),
        identity,
        costs.TABLE,
    )


def _of_folder(
    kind: str, command: str, folder: Path, results: Path, tables: Sequence[Step], code: str
) -> Step:
    """What is made of all tables of a folder."""
    identity = hash_of([code, sorted(table.identity for table in tables)])
    about = command if folder == results else f"{command} of {folder.name}"
    return Step(
        f"{command}-{fit_for_a_file(folder.name)}-{identity}",
        kind,
        about,
        about,
        (("-m", "analysis", command, str(folder)),),
        (str(folder),),
        tuple(table.name for table in tables),
        identity,
        costs.TABLE,
    )


def drop_others(results: Path, steps: Iterable[Step]) -> None:
    """Tables that the study had once, and no longer asks for; what was added by hand stays."""
    wanted = {(step.folder, step.table) for step in steps if step.kind == TABLE}
    for folder in sorted({path.parent for path in results.rglob(MANIFEST)}):
        for section, made in _commands(folder).items():
            # python -m analysis table NAME ..., or python -m analysis NAME ...
            name = next(word for word in made["command"][3:] if word != "table")
            record = record_of_table(folder, TABLE, name)
            if record.is_file() and (folder, name) not in wanted:
                drop_section(folder, section)
                record.unlink()


def _commands(folder: Path) -> Dict[str, Any]:
    # The step that writes into the folder will say what is wrong with it.
    with suppress(AnalysisError):
        return read_manifest(folder)["commands"]
    return {}


def _sources(folder: Path) -> Dict[str, str]:
    """What the analysis is: tables are made again when it changes."""
    return {
        path.relative_to(folder).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*"))
        if path.suffix in (".py", ".csv")
    }
