"""A claim, its parts, and what comes out of them; and claims judged by the tables of a study."""

import math
from dataclasses import dataclass
from enum import StrEnum
from typing import Callable, Iterable, List, Sequence, Tuple

import pandas

from analysis.claims.table_rows import Tables, TypedTable
from analysis.performance import NOTHING
from analysis.written import Estimate

# Bounds of several papers. Half of the most that two distributions can diverge, log 2.
FAR = 0.347
# A change of the output's probability that a reader would call small.
SMALL = 0.1
# The names that columns of `claims.csv` had in earlier versions.
EARLIER_COLUMNS = {"verdict": "outcome"}
COLUMNS = ("paper", "claim", "corpus", "model", "outcome", "evidence", "rule", "name", "table")


class Outcome(StrEnum):
    """Of a claim, or of a part of it. Only a claim of several parts can hold partly."""

    HOLDS = "holds"
    PARTLY = "holds partly"
    FAILS = "does not hold"
    UNKNOWN = "cannot be told"
    NOTHING = NOTHING


@dataclass(frozen=True)
class Part:
    """
    words : what is held against what, with the numbers.
    outcome : any but `PARTLY`, which is for claims of several parts.
    """

    words: str
    outcome: Outcome


@dataclass(frozen=True)
class Judgement:
    """How the parts of a claim fare for one model, or for all models of a corpus."""

    corpus: str
    model: str
    parts: Tuple[Part, ...]

    @property
    def outcome(self) -> Outcome:
        """Of the whole claim."""
        return whole([part.outcome for part in self.parts])

    @property
    def evidence(self) -> str:
        """What is said of the parts, each thing once."""
        return "; ".join(dict.fromkeys(part.words for part in self.parts))


@dataclass(frozen=True)
class Claim:
    """
    name : unlike any other's.
    statement : the claim, in our words.
    rule : when its parts hold, for people.
    table : which it rests on.
    judge : a judgement for each model or corpus that the tables have the numbers of.
    beside : other tables that it reads, where they are there.
    over_models : whether it is one of all models together, whichever study they are of.
    paper : the title of its paper, which knows it: it is not given twice.
    """

    name: str
    statement: str
    rule: str
    table: TypedTable
    judge: Callable[[Tables], Iterable[Judgement]]
    beside: Tuple[TypedTable, ...] = ()
    over_models: bool = False
    paper: str = ""


def above(words: str, number: Estimate, bound: float = 0.0) -> Part:
    """The part that the number is above the bound: it holds if the whole interval is."""
    return _part(words, number, number.low - bound, number.high - bound)


def below(words: str, number: Estimate, bound: float = 0.0) -> Part:
    """The part that the number is below the bound: it holds if the whole interval is."""
    return _part(words, number, bound - number.high, bound - number.low)


def _part(words: str, number: Estimate, nearest: float, furthest: float) -> Part:
    """From how far on the right side of the bound the ends of the interval are."""
    if number.nothing:
        return Part(number.nothing, Outcome.NOTHING)
    told = f"{words} {number}"
    if math.isnan(nearest) or math.isnan(furthest):
        return Part(told, Outcome.UNKNOWN)
    if nearest > 0:
        # Two that do not differ at all are one, or nothing was there to make a difference.
        same = number.difference and number.mean == 0
        return Part(
            f"{told}, exactly 0" if same else told, Outcome.UNKNOWN if same else Outcome.HOLDS
        )
    return Part(told, Outcome.FAILS if furthest < 0 else Outcome.UNKNOWN)


def whole(parts: Sequence[Outcome]) -> Outcome:
    """
    The outcome of a claim from those of its parts: one that fails is not made good by one that
    holds.
    """
    if Outcome.NOTHING in parts:
        return Outcome.NOTHING
    if all(part is Outcome.UNKNOWN for part in parts):
        return Outcome.UNKNOWN
    if all(part is Outcome.HOLDS for part in parts):
        return Outcome.HOLDS
    return Outcome.PARTLY if Outcome.HOLDS in parts else Outcome.FAILS


def judged(tables: Tables, claims: Sequence[Claim]) -> pandas.DataFrame:
    """A row for each claim, corpus and model that the tables have the numbers of."""
    rows: List[tuple] = []
    for claim in claims:
        for judgement in claim.judge(tables):
            rows.append(
                (
                    claim.paper,
                    claim.statement,
                    judgement.corpus,
                    judgement.model,
                    judgement.outcome.value,
                    judgement.evidence,
                    claim.rule,
                    claim.name,
                    claim.table.name,
                )
            )
    return pandas.DataFrame(rows, columns=list(COLUMNS))
