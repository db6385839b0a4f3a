"""A claim of a paper: numbers on one side of a bound (its parts), and the outcome for the tables of a study."""

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum

import pandas
from scipy.stats import norm, t

from analysis.claims.table_rows import TableRow, Tables, TypedTable
from analysis.performance import NOTHING
from analysis.statistics.intervals import LEAST_SEEDS, LEVEL
from analysis.written import Estimate, number

# Bounds of several papers. Half of the most that two distributions can diverge, log 2.
FAR = 0.347
# A change of the output's probability that a reader would call small.
SMALL = 0.1
# From half an interval to the distance that is told from the bound in four of five repetitions.
POWER = 0.8
DETECTABLE = 1 + norm.ppf(POWER) / norm.ppf((1 + LEVEL) / 2)
# What is known by the fewest seeds that make an interval has the widest tails.
TAILS = t(LEAST_SEEDS - 1)


class Outcome(StrEnum):
    """Of a claim, or of a part of it."""

    HOLDS = "holds"
    FAILS = "does not hold"
    UNKNOWN = "inconclusive"
    NOTHING = NOTHING


@dataclass(frozen=True)
class Part:
    """
    words : what is compared with what, with the numbers.
    p : how likely a number so far from the bound were, if it were on the bound; two-sided, NaN
        where there is no interval.
    """

    words: str
    outcome: Outcome
    p: float = math.nan


def above(words: str, number: Estimate, bound: float = 0.0) -> Part:
    """The part that the number is above the bound: it holds if the whole interval is."""
    return _part(words, number, number.low - bound, number.high - bound, bound)


def below(words: str, number: Estimate, bound: float = 0.0) -> Part:
    """The part that the number is below the bound: it holds if the whole interval is."""
    return _part(words, number, bound - number.high, bound - number.low, bound)


def _part(words: str, number: Estimate, nearest: float, furthest: float, bound: float) -> Part:
    """From how far on the right side of the bound the ends of the interval are."""
    if number.nothing:
        return Part(number.nothing, Outcome.NOTHING)
    told, p = f"{words} {number}", p_value(number, bound)
    if math.isnan(nearest) or math.isnan(furthest):
        return Part(told, Outcome.UNKNOWN)
    if nearest > 0:
        # Two that do not differ at all are one, or nothing was there to make a difference.
        if number.difference and number.mean == 0:
            return Part(f"{told}, exactly 0", Outcome.UNKNOWN)
        return Part(told, Outcome.HOLDS, p)
    if furthest < 0:
        return Part(told, Outcome.FAILS, p)
    return Part(f"{told} ({_detectable(number)})", Outcome.UNKNOWN, p)


def p_value(number: Estimate, bound: float) -> float:
    """
    Two-sided, from the interval: below .05 exactly where the bound lies outside. Further out it
    falls as slowly as `TAILS` do, whatever the number rests on, and so is never too small.
    """
    away = number.mean - bound
    half = number.mean - number.low if away > 0 else number.high - number.mean
    if math.isnan(half) or math.isnan(away):
        return math.nan
    if half <= 0:
        return 1.0 if away == 0 else 0.0
    return float(2 * TAILS.sf(abs(away) / half * TAILS.ppf((1 + LEVEL) / 2)))


def detectable(number: Estimate) -> float:
    """How far from the bound a number with such an interval has to be to be told from it."""
    return DETECTABLE * (number.high - number.low) / 2


def _detectable(estimate: Estimate) -> str:
    return f"it takes {number(detectable(estimate))} from the bound to be seen"


def combine_outcomes(parts: Sequence[Part]) -> Outcome:
    """
    The outcome of a claim from those of its parts: it holds only if all do, and fails if any does, beyond what
    one of that number fails at random.
    """
    outcomes = [part.outcome for part in parts]
    if Outcome.NOTHING in outcomes:
        return Outcome.NOTHING
    if Outcome.FAILS in outcomes:
        return Outcome.FAILS if combine_p_values(parts) < 1 - LEVEL else Outcome.UNKNOWN
    return Outcome.HOLDS if all(one is Outcome.HOLDS for one in outcomes) else Outcome.UNKNOWN


def combine_p_values(parts: Sequence[Part]) -> float:
    """
    Of a claim: that all of its parts hold is as sure as the least sure of them; that one of several
    fails has had as many chances.
    """
    failed = [part.p for part in parts if part.outcome is Outcome.FAILS]
    if failed:
        return min(1.0, len(parts) * min(failed))
    known = [part.p for part in parts]
    return math.nan if any(map(math.isnan, known)) else max(known, default=math.nan)


COLUMNS = ("paper", "claim", "name", "test", "corpus", "model", "protocol", "outcome", "evidence")
COLUMNS += ("rule", "fails_if", "table", "corrects", "p")
# What one outcome is about.
KEY = ["name", "corpus", "model", "protocol"]


class ClaimTest(StrEnum):
    """Whose way of telling a claim is."""

    AUTHORS = "as its authors tested it"
    CORRECTED = "after correction"


@dataclass(frozen=True)
class Judgement:
    """
    How the parts of a claim fare for one model, or for all models of a corpus.

    protocol : how the model was trained, where the table says so.
    """

    corpus: str
    model: str
    parts: tuple[Part, ...]
    protocol: str = ""

    @classmethod
    def of(cls, row: TableRow, *parts: Part) -> "Judgement":
        """Of the model that the row is about."""
        return cls(row.corpus, row.model, parts, row.protocol)

    @property
    def outcome(self) -> Outcome:
        """Of the whole claim."""
        return combine_outcomes(self.parts)

    @property
    def evidence(self) -> str:
        """What is said of the parts, each thing once."""
        said = dict.fromkeys(part.words for part in self.parts)
        by_chance = self.outcome is Outcome.UNKNOWN and any(
            part.outcome is Outcome.FAILS for part in self.parts
        )
        if by_chance:
            said[f"one of {len(self.parts)} parts may be so by chance"] = None
        return "; ".join(said)


@dataclass(frozen=True)
class Claim:
    """
    name : unlike any other's.
    statement : the claim, in our words.
    rule : when its parts hold, for people.
    fails_if : the outcome that would make it fail.
    table : which it rests on.
    judge : a judgement for each model or corpus that the tables have the numbers of.
    corrects : the name of the claim that this one tests again, after a correction.
    others : other tables that it reads, where they are there.
    over_models : whether it is one of all models together, whichever study they are of.
    paper : the title of its paper, which knows it: it is not given twice.
    """

    name: str
    statement: str
    rule: str
    fails_if: str
    table: TypedTable
    judge: Callable[[Tables], Iterable[Judgement]]
    corrects: str = ""
    others: tuple[TypedTable, ...] = ()
    over_models: bool = False
    paper: str = ""

    @property
    def test(self) -> ClaimTest:
        """Whether the claim is tested as its authors did, or after a correction."""
        return ClaimTest.CORRECTED if self.corrects else ClaimTest.AUTHORS


def judge_claims(tables: Tables, claims: Sequence[Claim]) -> pandas.DataFrame:
    """
    A row for each claim, corpus, model and training protocol that the tables have the numbers of.
    Where a table was written without protocols, its study stands for one.
    """
    rows: list[tuple] = []
    for claim in claims:
        for judgement in claim.judge(tables):
            rows.append(
                (
                    claim.paper,
                    claim.statement,
                    claim.name,
                    claim.test.value,
                    judgement.corpus,
                    judgement.model,
                    judgement.protocol or tables.study,
                    judgement.outcome.value,
                    judgement.evidence,
                    claim.rule,
                    claim.fails_if,
                    claim.table.name,
                    claim.corrects,
                    combine_p_values(judgement.parts),
                )
            )
    # Without rows, too: what is joined to others keeps its kind.
    return pandas.DataFrame(rows, columns=list(COLUMNS)).astype({"p": float})


def drop_repeated(claims: pandas.DataFrame) -> pandas.DataFrame:
    """
    Of the rows of several studies (column `study`): what two have found alike once, by the first;
    where they differ in claim, corpus, model and protocol by nothing, but in what they found, the
    study is said with the protocol. Nothing that differs is dropped.
    """
    once = claims.drop_duplicates([*KEY, "outcome", "evidence"]).reset_index(drop=True)
    again = once.duplicated(KEY, keep=False) & (once["protocol"] != once["study"])
    once.loc[again, "protocol"] += " (" + once.loc[again, "study"] + ")"
    return once
