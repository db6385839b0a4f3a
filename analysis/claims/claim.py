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

# Bounds that several papers share. Half of log 2, the largest divergence of two distributions.
FAR = 0.347
# A change of the output probability that a reader would call small.
SMALL = 0.1
# Factor from half an interval to the distance from the bound that is detected in four of five repetitions.
POWER = 0.8
DETECTABLE = 1 + norm.ppf(POWER) / norm.ppf((1 + LEVEL) / 2)
# The widest tails: those of an interval over the fewest seeds.
TAILS = t(LEAST_SEEDS - 1)


class Outcome(StrEnum):
    """The outcome of a claim, or of one part of it."""

    HOLDS = "holds"
    FAILS = "does not hold"
    UNKNOWN = "inconclusive"
    NOTHING = NOTHING


@dataclass(frozen=True)
class Part:
    """
    One comparison of a number with a bound.

    words : what is compared, with the numbers.
    p : two-sided p-value of the distance from the bound; NaN where there is no interval.
    """

    words: str
    outcome: Outcome
    p: float = math.nan


def above(words: str, number: Estimate, bound: float = 0.0) -> Part:
    """States that the number is above the bound; holds if the whole interval is."""
    return _part(words, number, number.low - bound, number.high - bound, bound)


def below(words: str, number: Estimate, bound: float = 0.0) -> Part:
    """States that the number is below the bound; holds if the whole interval is."""
    return _part(words, number, bound - number.high, bound - number.low, bound)


def _part(words: str, number: Estimate, nearest: float, furthest: float, bound: float) -> Part:
    """`nearest` and `furthest`: distances of the ends of the interval from the bound, positive on the right side."""
    if number.nothing:
        return Part(number.nothing, Outcome.NOTHING)
    told, p = f"{words} {number}", p_value(number, bound)
    if math.isnan(nearest) or math.isnan(furthest):
        return Part(told, Outcome.UNKNOWN)
    if nearest > 0:
        # A difference of exactly 0 means that both are the same model, or that nothing could differ.
        if number.difference and number.mean == 0:
            return Part(f"{told}, exactly 0", Outcome.UNKNOWN)
        return Part(told, Outcome.HOLDS, p)
    if furthest < 0:
        return Part(told, Outcome.FAILS, p)
    return Part(f"{told} ({_detectable(number)})", Outcome.UNKNOWN, p)


def p_value(number: Estimate, bound: float) -> float:
    """
    Two-sided p-value from the interval: below .05 exactly where the bound lies outside. It falls as slowly as
    `TAILS`, whatever the number rests on, so it is never too small.
    """
    away = number.mean - bound
    half = number.mean - number.low if away > 0 else number.high - number.mean
    if math.isnan(half) or math.isnan(away):
        return math.nan
    if half <= 0:
        return 1.0 if away == 0 else 0.0
    return float(2 * TAILS.sf(abs(away) / half * TAILS.ppf((1 + LEVEL) / 2)))


def detectable(number: Estimate) -> float:
    """The distance from the bound that a number with such an interval needs to be detected."""
    return DETECTABLE * (number.high - number.low) / 2


def _detectable(estimate: Estimate) -> str:
    return f"it takes {number(detectable(estimate))} from the bound to be seen"


def combine_outcomes(parts: Sequence[Part]) -> Outcome:
    """The outcome of a claim: it holds if all parts do, and fails if one does (corrected)."""
    outcomes = [part.outcome for part in parts]
    if Outcome.NOTHING in outcomes:
        return Outcome.NOTHING
    if Outcome.FAILS in outcomes:
        return Outcome.FAILS if combine_p_values(parts) < 1 - LEVEL else Outcome.UNKNOWN
    return Outcome.HOLDS if all(one is Outcome.HOLDS for one in outcomes) else Outcome.UNKNOWN


def combine_p_values(parts: Sequence[Part]) -> float:
    """The largest p of the parts; if parts fail, their smallest, times the number of parts."""
    failed = [part.p for part in parts if part.outcome is Outcome.FAILS]
    if failed:
        return min(1.0, len(parts) * min(failed))
    known = [part.p for part in parts]
    return math.nan if any(map(math.isnan, known)) else max(known, default=math.nan)


COLUMNS = ["paper", "claim", "name", "test", "corpus", "model", "protocol", "outcome", "evidence"]
COLUMNS += ["rule", "fails_if", "table", "corrects", "p"]
# The columns that identify an outcome.
KEY = ["name", "corpus", "model", "protocol"]


class ClaimTest(StrEnum):
    """Whose test of a claim it is."""

    AUTHORS = "as its authors tested it"
    CORRECTED = "after correction"


@dataclass(frozen=True)
class Judgement:
    """
    The parts of a claim for one model, or for all models of a corpus.

    protocol : how the model was trained, if the table says so.
    """

    corpus: str
    model: str
    parts: tuple[Part, ...]
    protocol: str = ""

    @classmethod
    def of(cls, row: TableRow, *parts: Part) -> "Judgement":
        """Build the judgement of the model of this row."""
        return cls(row.corpus, row.model, parts, row.protocol)

    @property
    def outcome(self) -> Outcome:
        """The outcome of the whole claim."""
        return combine_outcomes(self.parts)

    @property
    def evidence(self) -> str:
        """The words of the parts, without repetitions."""
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
    A claim of a paper as a rule over tables.

    name : unique.
    statement : the claim, in our words.
    rule : when it holds, in words.
    fails_if : what would make it fail, in words.
    table : the table that it rests on.
    judge : yields a judgement for each model or corpus that the tables have the numbers of.
    corrects : the name of the claim that this one tests again, after a correction.
    others : other tables that it reads, if they exist.
    over_models : whether it is about the models of all studies together.
    paper : the title of its paper; set when papers are discovered.
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
    """One row per claim, corpus, model and protocol (else study) that the tables cover."""
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
    # Keep the type of the column without rows, too.
    return pandas.DataFrame(rows, columns=COLUMNS).astype({"p": float})


def drop_repeated(claims: pandas.DataFrame) -> pandas.DataFrame:
    """
    The rows of several studies (column `study`) without repeated findings. If two studies differ only in what they
    found, the protocol names the study as well. Nothing that differs is dropped.
    """
    once = claims.drop_duplicates([*KEY, "outcome", "evidence"]).reset_index(drop=True)
    again = once.duplicated(KEY, keep=False) & (once["protocol"] != once["study"])
    once.loc[again, "protocol"] += " (" + once.loc[again, "study"] + ")"
    return once
