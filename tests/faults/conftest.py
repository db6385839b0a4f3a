"""What the soak tests share, and the figures that they end with."""

from pathlib import Path
from typing import Dict, List

import pytest

from tests.faults.commands import Zygote
from tests.faults.jobs import prepared

# By table, its rows; a row is a figure by its name.
Figures = Dict[str, List[Dict[str, object]]]
FIGURES = pytest.StashKey[Figures]()


def pytest_configure(config: pytest.Config) -> None:
    config.stash[FIGURES] = {}


@pytest.fixture(scope="session")
def figures(pytestconfig) -> Figures:
    return pytestconfig.stash[FIGURES]


@pytest.fixture(scope="session")
def zygote(tmp_path_factory):
    started = Zygote(tmp_path_factory.mktemp("zygote"))
    yield started
    started.close()


@pytest.fixture(scope="session")
def inputs(zygote, tmp_path_factory) -> Path:
    """To be copied, never to be written to."""
    return prepared(zygote, tmp_path_factory.mktemp("inputs") / "inputs")


def pytest_terminal_summary(terminalreporter, config: pytest.Config) -> None:
    for title, rows in config.stash[FIGURES].items():
        terminalreporter.write_sep("-", title)
        for line in _lines(rows):
            terminalreporter.write_line(line)


def _lines(rows: List[Dict[str, object]]) -> List[str]:
    """As a table of Markdown, for the docs."""
    names = list(rows[0])
    cells = [names, *([str(row.get(name, "")) for name in names] for row in rows)]
    widths = [max(len(line[position]) for line in cells) for position in range(len(names))]
    lines = [
        "| " + " | ".join(cell.ljust(width) for cell, width in zip(line, widths)) + " |"
        for line in cells
    ]
    return [lines[0], "|" + "|".join("-" * (width + 2) for width in widths) + "|", *lines[1:]]
