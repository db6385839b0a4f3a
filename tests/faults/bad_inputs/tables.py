"""Parquet files: damaged, of another kind, without a column, or told otherwise."""

import json
from pathlib import Path
from typing import Any, Callable, Dict, Iterator

import numpy
import pyarrow
import pyarrow.parquet

from tests.faults.bad_inputs.case import DAMAGE, OUTPUT, RUN, Case, Command, Fault


def rewritten(
    change: Callable[[pyarrow.Table], pyarrow.Table], file: str = "scores.parquet"
) -> Fault:
    """As another program would write it, without the hashes of ours."""

    def fault(folder: Path) -> None:
        table = pyarrow.parquet.read_table(folder / file)
        others = {key: value for key, value in table.schema.metadata.items() if key != b"sealed"}
        table = change(table.replace_schema_metadata(others))
        pyarrow.parquet.write_table(table, folder / "bad.parquet")

    return fault


def without(name: str) -> Fault:
    return rewritten(lambda table: table.drop_columns([name]))


def with_column(name: str, values: Callable[[pyarrow.Table], Any]) -> Fault:
    def change(table: pyarrow.Table) -> pyarrow.Table:
        place = table.column_names.index(name)
        return table.set_column(place, name, pyarrow.array(values(table)))

    return rewritten(change)


def told_otherwise(content: bytes) -> Fault:
    key = b"attention_explain"
    return rewritten(
        lambda table: table.replace_schema_metadata({**table.schema.metadata, key: content})
    )


BAD_TABLES: Dict[str, Fault] = {
    **{
        name: lambda folder, change=change: (folder / "bad.parquet").write_bytes(
            change((folder / "scores.parquet").read_bytes())
        )
        for name, change in DAMAGE.items()
    },
    "a folder": lambda folder: (folder / "bad.parquet").mkdir(),
    "of perturbations": lambda folder: (folder / "perturbed.parquet").rename(folder / "bad.parquet"),
    "of nobody": rewritten(lambda table: table.replace_schema_metadata({})),
    "no row": rewritten(lambda table: table.slice(0, 0)),
    "no id": without("id"),
    "no tokens": without("tokens"),
    "no scores of a method": without("gradient"),
    "scores that are words": with_column("gradient", lambda table: [["x"]] * len(table)),
    "scores that are numbers": with_column("gradient", lambda table: numpy.ones(len(table))),
    "one score per text": with_column("gradient", lambda table: [[1.0]] * len(table)),
    "ids that are all the same": with_column("id", lambda table: ["x"] * len(table)),
    "tokens that are null": with_column("tokens", lambda table: [None] * len(table)),
    "told in a list": told_otherwise(b"[]"),
    "told in no JSON": told_otherwise(b"{"),
    "told deeply": told_otherwise(DAMAGE["deep"](b"")),
    "told not in UTF-8": told_otherwise(b"\xff\xfe"),
    "told nothing": told_otherwise(b"{}"),
    "told a format of tomorrow": told_otherwise(b'{"format": 99}'),
    "told a format alone": told_otherwise(b'{"format": 1}'),
}  # fmt: skip
TABLES_READ_BY: Dict[str, Command] = {
    "agreement": ("analysis", "agreement", "bad.parquet", "-o", "new"),
    "causes": ("analysis", "causes", "bad.parquet"),
    "table": ("analysis", "table", "jain-wallace-correlations", "bad.parquet", "-o", "new"),
}


# Of scores from elsewhere, as jsonl, next to a column that is right.
BAD_COLUMNS: Dict[str, Any] = {
    "a word": "much",
    "numbers in a string": "0.1 0.2 0.3",
    "one number": 0.5,
    "a list of words": ["0.1", "0.2", "0.3"],
    "a list of lists": [[0.1], [0.2], [0.3]],
    "an object": {"a": 0.1},
    "too few scores": [0.1],
}


def elsewhere(column: str, value: Any) -> Fault:
    """The scores as another program would write them, with one more column."""

    def fault(folder: Path) -> None:
        rows = pyarrow.parquet.read_table(folder / "scores.parquet").to_pylist()
        lines = [
            {"id": row["id"], "tokens": row["tokens"], "mine": row["gradient"], column: value}
            for row in rows
        ]
        content = "".join(json.dumps(line) + "\n" for line in lines)
        (folder / "bad.jsonl").write_text(content)

    return fault


def table_cases() -> Iterator[Case]:
    command = ("allennlp", "faithfulness", RUN, "bad.jsonl", "--data", "data.jsonl", *OUTPUT)
    for name, value in BAD_COLUMNS.items():
        fault = elsewhere("theirs", value)
        yield Case(f"faithfulness, a column of {name}", command, fault, "line 1, 'theirs'")
    for control in ("random", "search"):
        fault = elsewhere(control, [0.1])
        yield Case(f"faithfulness, a column {control}", command, fault, f"called '{control}'")
    for command, arguments in TABLES_READ_BY.items():
        for name, fault in BAD_TABLES.items():
            # A table takes files of both kinds, and says which is missing.
            told = "" if (command, name) == ("table", "of perturbations") else "bad.parquet"
            yield Case(f"{command}, parquet: {name}", arguments, fault, told)
    other = json.dumps([{"type": "other-model", "file": "bad.parquet"}])
    command = ("allennlp", "perturb", RUN, "data.jsonl", *OUTPUT, "--perturbations", other[1:-1])
    # It takes no more of the file than what that model says of each text.
    for name in (*DAMAGE, "a folder", "no row", "no id", "ids that are all the same"):
        yield Case(f"perturb by another model: {name}", command, BAD_TABLES[name], "bad.parquet")
