"""Every number of RESULTS.md, and of what the README says was found, is a cell of a csv file."""

import re
from pathlib import Path

import pytest

from analysis.results import words
from analysis.results.page import BEGIN, END
from tests.analysis.results.citations import table, uncited_numbers, wrong_numbers

ROOT = Path(__file__).resolve().parents[3]
SAID = Path(words.__file__).read_text(encoding="utf-8")
# Of the README's section and of sentences around numbers.
SAID += (Path(words.__file__).parent / "page.py").read_text(encoding="utf-8")


def section():
    """The lines of the README's section."""
    lines = (ROOT / "README.md").read_text(encoding="utf-8").split("\n")
    return range(lines.index(BEGIN) + 2, lines.index(END) + 1)


@pytest.mark.parametrize(
    "page", ["RESULTS.md", "README.md", "results/README.md", "results/claims.md"]
)
def test_every_number_is_that_of_its_cell(page):
    assert not wrong_numbers(ROOT, page)
    assert any(row["page"] == page for row in table(ROOT / "results" / "numbers.csv"))


def test_no_other_number_is_there():
    assert not uncited_numbers(ROOT, "RESULTS.md", SAID)
    assert not uncited_numbers(ROOT, "README.md", SAID, section())


def test_the_page_can_be_read_at_once():
    text = (ROOT / "RESULTS.md").read_bytes()
    assert text.count(b"\n") <= 250 and len(text) <= 20_000


def test_what_pages_link_is_there():
    pages = [ROOT / "RESULTS.md", *(ROOT / "results").glob("*.md")]
    pages += (ROOT / "results").glob("*/README.md")
    for page in pages:
        for link in re.findall(r"\]\(([^)#]+)", page.read_text(encoding="utf-8")):
            assert link.startswith("http") or (page.parent / link).exists(), (page, link)


def test_figures_are_small():
    assert not [path for path in (ROOT / "results").rglob("*.svg") if path.stat().st_size > 200_000]
