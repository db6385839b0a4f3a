"""Numbers of a page compared with the csv files, written from the definition: cell by cell."""

import csv
import json
import re
from pathlib import Path

NUMBER = re.compile(r"[-+]?\d+(?:,\d{3})*(?:\.\d+)?")
NOT_PROSE = re.compile(r"`[^`]*`|\]\([^)]*\)|<!--.*?-->")
# Columns whose texts may have numbers in them: names, and dates. What is evidence is none.
NAMES = {
    "claims.csv": ("paper", "claim", "corpus", "model"),
    "beside-print.csv": ("paper", "exhibit", "corpus", "model", "quantity"),
    "claims-in-print.csv": ("paper", "reference", "instead of numbers", "contradiction"),
    "studies.csv": ("study", "corpora", "finished"),
    "answer.csv": ("method",),
}


def table(path):
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def next_position(line: str, shown: str, start: int = 0) -> int:
    """Where a number, and no part of another, stands next; -1 if it does not."""
    found = re.compile(rf"(?<![\d.]){re.escape(shown)}(?!\d)").search(line, start)
    return found.start() if found else -1


def wrong_numbers(root: Path, page: str):
    """Those that numbers.csv lists and the page, or the cell, does not have."""
    lines = (root / page).read_text(encoding="utf-8").split("\n")
    found, reached = [], {}
    for cited in table(root / "results" / "numbers.csv"):
        if cited["page"] != page:
            continue
        cell = table(root / cited["file"])[int(cited["row"]) - 1][cited["column"]]
        shown = cited["number"]
        # In the order in which they are listed, none twice.
        number = int(cited["line"])
        position = next_position(lines[number - 1], shown, reached.get(number, 0))
        reached[number] = max(position + len(shown), reached.get(number, 0))
        value = float(shown.replace(" %", "").replace(",", ""))
        digits = len(shown.replace(" %", "").partition(".")[2])
        # Shares are written as percent, with the sign or, as ends of an interval, without, and cut at 0 and 1.
        percent = 100 * float(cell)
        near = [
            abs(value - each) <= 0.5 * 10**-digits + 1e-9
            for each in (
                (percent,) if "%" in shown else (float(cell), min(100.0, max(0.0, percent)))
            )
        ]
        if position < 0 or not any(near):
            found.append((cited, cell))
    return found


def uncited_numbers(root: Path, page: str, words: str, lines=None):
    """Those that are neither cited nor in what is said whatever the numbers are, nor in names."""
    cited = {}
    for row in table(root / "results" / "numbers.csv"):
        if row["page"] == page:
            cited.setdefault(int(row["line"]), []).append(row["number"])
    said = set(NUMBER.findall(words))
    for name, columns in NAMES.items():
        if (root / "results" / name).is_file():
            for row in table(root / "results" / name):
                said |= {each for column in columns for each in NUMBER.findall(row[column])}
    for account in (root / "results").glob("*/study.json"):
        written = json.loads(account.read_text(encoding="utf-8"))
        said |= set(NUMBER.findall(json.dumps([written["machine"], written["versions"]])))
    left = []
    for position, line in enumerate((root / page).read_text(encoding="utf-8").split("\n"), 1):
        if lines is not None and position not in lines:
            continue
        for number in cited.get(position, []):
            at = next_position(line, number)
            line = f"{line[:at]} {line[at + len(number) :]}" if at >= 0 else line
        line = NOT_PROSE.sub(" ", line)
        left += [(position, each) for each in NUMBER.findall(line) if each not in said]
    return left
