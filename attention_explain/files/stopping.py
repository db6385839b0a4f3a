"""
Verdicts add texts until the answer is decided: the random order in which they are added, and the record of how far
a verdict came and why it stopped.
"""

import hashlib
import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields
from enum import StrEnum
from pathlib import Path
from typing import Any

from attention_explain.files.records import read_record, write_record

# In the folder of a verdict.
RECORD = ".stopped.json"
# The number of texts before the first decision, and by how much it grows from one to the next.
FIRST, GROWTH = 20, 1.5


class Stop(StrEnum):
    """Why no more texts were added."""

    DECIDED = "decided"
    MORE_DO_NOT_HELP = "more texts do not help"
    DATA = "data ended"
    BUDGET = "budget ended"


@dataclass(frozen=True)
class Stopped:
    """
    why : None while texts are added.
    texts : the number of texts used.
    available : the number of texts that could have been used.
    seconds : spent on these texts, by all runs of the command.
    seed : determines the order in which texts are added.
    earlier : the number of verdicts that were written for fewer of these texts.
    """

    why: str | None = None
    texts: int = 0
    available: int = 0
    seconds: float = 0.0
    seed: int | None = None
    earlier: int = 0

    def __str__(self) -> str:
        return f"{self.texts} of {self.available} texts used: {self.why}"

    def write(self, folder: Path) -> None:
        """Record it in the folder of the verdict."""
        write_record(folder / RECORD, asdict(self))

    def as_json(self) -> dict[str, Any]:
        """For programs, without the time: the same command writes the same file."""
        return {
            "why": self.why,
            "texts": self.texts,
            "available": self.available,
            "earlier_verdicts": self.earlier,
        }


def read_stopped(folder: Path) -> Stopped:
    """The record of a folder; empty if it has none."""
    record = read_record(folder / RECORD) or {}
    known = {
        name: record[name] for name in [each.name for each in fields(Stopped)] if name in record
    }
    return Stopped(**known)


def next_number(texts: int, available: int) -> int:
    """The number of texts at the next decision: 20, 30, 45, 68, ..."""
    return min(max(FIRST, math.ceil(GROWTH * texts)), available)


def seeded_order(ids: Sequence[str], seed: int | None) -> list[int]:
    """The positions of texts in a random order that depends on nothing but their ids and the seed."""
    keys = [hashlib.blake2b(f"{seed or 0} {name}".encode()).digest() for name in ids]
    return sorted(range(len(ids)), key=keys.__getitem__)
