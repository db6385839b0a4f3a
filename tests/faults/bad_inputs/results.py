"""Folders of results, and of runs, as `python -m analysis` reads them."""

from pathlib import Path
from typing import Callable, Dict, Iterator

from tests.faults.bad_inputs.case import (
    DAMAGE,
    RUN,
    Case,
    Command,
    changed,
    nothing,
    setting,
    written,
)


def _notes(folder: Path) -> None:
    (folder / "temporary" / "notes").mkdir(parents=True)
    (folder / "temporary" / "notes" / "verdict.md").write_text("my notes")


def results_cases() -> Iterator[Case]:
    commands: Dict[str, Command] = {
        "report": ("analysis", "report", "results"),
        "agreement": ("analysis", "agreement", "scores.parquet", "-o", "results"),
    }
    shapes: Dict[str, Callable[[bytes], bytes]] = {
        **DAMAGE,
        "a format of tomorrow": setting("format", to=99),
        "entries that are numbers": setting("entries", to=[1]),
        "entries that are one": setting("entries", to={"kind": "table"}),
        "no entries": setting("entries", to=...),
        "files that are a word": setting("files", to="all"),
        "commands that are a list": setting("commands", to=[]),
    }
    for command, arguments in commands.items():
        for name, change in shapes.items():
            fault = changed("results/manifest.json", change)
            yield Case(f"{command}, manifest: {name}", arguments, fault, "manifest.json")
    yield Case("report, no folder", ("analysis", "report", "none"), nothing, "none")
    yield Case("report, a file", ("analysis", "report", "data.jsonl"), nothing, "data.jsonl")
    yield Case("report, an empty folder", ("analysis", "report", "temporary"), nothing, "temporary")
    notes = written("results/report.html", "<p>my notes</p>")
    yield Case("report, a page of the user", commands["report"], notes, "report.html")
    for command in (
        ("allennlp", "verdict", RUN, "data.jsonl", "-o", "temporary/notes"),
        ("analysis", "verdict", "temporary/notes"),
    ):
        yield Case(f"{command[0]} verdict, notes of the user", command, _notes, "verdict.md")
    page = ("allennlp", "attribute", RUN, "data.jsonl", "-o", "new.parquet", "--html", "mine.html")
    notes = written("mine.html", "<p>my notes</p>")
    yield Case("attribute, a page of the user", page, notes, "mine.html")
    table = ("analysis", "models", RUN, "-o", "table.csv")
    yield Case("models, a table of the user", table, written("table.csv", "a,b\n"), "table.csv")
    models = ("analysis", "models", RUN)
    for file in ("config.json", "metrics.json"):
        for name, change in DAMAGE.items():
            fault = changed(f"{RUN}/{file}", change)
            yield Case(f"models, {file}: {name}", models, fault, file)
    for file in ("config.json", "metrics.json", "model.tar.gz"):
        gone = lambda folder, file=file: (folder / RUN / file).unlink()  # noqa: E731
        yield Case(f"models, no {file}", models, gone, file)
    yield Case("models, no run", ("analysis", "models", "none"), nothing, "none")
