"""A claim of a paper: numbers on one side of a bound (its parts), and the outcome for the tables of a study."""

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from fnmatch import fnmatch

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
# The degrees of freedom of intervals that do not say theirs: those of the fewest seeds.
LEAST_DF = LEAST_SEEDS - 1
# The largest number of seeds that a projection considers.
MOST_SEEDS = 10


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
    seeds : the number of seeds that would decide it by projection; infinite if `MOST_SEEDS` would not.
    number : what is compared; None if it is not a single number.
    """

    words: str
    outcome: Outcome
    p: float = math.nan
    seeds: float = math.inf
    number: Estimate | None = None


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
        return Part(told, Outcome.UNKNOWN, number=number)
    if nearest > 0:
        # A difference of exactly 0 means that both are the same model, or that nothing could differ.
        if number.difference and number.mean == 0 and not number.printed:
            return Part(f"{told}, exactly 0", Outcome.UNKNOWN, number=number)
        return Part(told, Outcome.HOLDS, p, number=number)
    if furthest < 0:
        return Part(told, Outcome.FAILS, p, number=number)
    if number.printed:
        return Part(told, Outcome.UNKNOWN, p, number=number)
    seeds = seeds_to_decide(number, bound)
    return Part(f"{told} ({_detectable(number)})", Outcome.UNKNOWN, p, seeds, number)


def p_value(number: Estimate, bound: float) -> float:
    """
    Two-sided p-value from the interval, with the degrees of freedom of that interval: below .05 exactly where the
    bound lies outside. Correlations are compared on Fisher's scale, with normal tails.
    """
    away, half = _away(number, bound)
    if math.isnan(half) or math.isnan(away):
        return math.nan
    if half <= 0:
        return 1.0 if away == 0 else 0.0
    tails = _tails(number)
    return float(2 * tails.sf(abs(away) / half * tails.ppf((1 + LEVEL) / 2)))


def seeds_to_decide(number: Estimate, bound: float) -> float:
    """
    The least number of seeds, up to `MOST_SEEDS`, with which the interval would leave the bound if mean and variation
    stayed as they are; infinite if there is none, or if the interval is over texts alone.
    """
    away, half = _away(number, bound)
    seeds = number.seeds
    if not (seeds >= LEAST_SEEDS and half > 0):
        return math.inf
    own = _tails(number).ppf((1 + LEVEL) / 2)
    error = half / own * math.sqrt(seeds)
    for more in range(int(seeds) + 1, MOST_SEEDS + 1):
        # Degrees of freedom grow with the seeds.
        df = (number.df if number.df > 0 else seeds - 1) * (more - 1) / (seeds - 1)
        wide = norm if number.correlation else t(df)
        if abs(away) > wide.ppf((1 + LEVEL) / 2) * error / math.sqrt(more):
            return more
    return math.inf


def _away(number: Estimate, bound: float) -> tuple[float, float]:
    """The distance from the bound, and half of the interval on that side."""
    mean, low, high = number.mean, number.low, number.high
    if number.correlation:
        mean, low, high, bound = (_fisher(value) for value in (mean, low, high, bound))
    away = mean - bound
    return away, mean - low if away > 0 else high - mean


def _fisher(correlation: float) -> float:
    return (
        math.copysign(math.inf, correlation) if abs(correlation) >= 1 else math.atanh(correlation)
    )


def _tails(number: Estimate):  # type: ignore[no-untyped-def]
    if number.correlation:
        return norm
    return t(LEAST_DF if math.isnan(number.df) else number.df)


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


COLUMNS = ["paper", "claim", "name", "test", "scope", "corpus", "model", "protocol", "outcome"]
COLUMNS += ["evidence", "number", "low", "high", "seeds", "rule", "fails_if", "table", "corrects"]
COLUMNS += ["p", "seeds to decide"]
# The columns that identify an outcome.
KEY = ["name", "corpus", "model", "protocol"]


class ClaimTest(StrEnum):
    """Whose test of a claim it is."""

    AUTHORS = "as its authors tested it"
    CORRECTED = "after correction"


# The study of tables that a paper prints: all numbers there are of its own training.
IN_PRINT = "in print"
OWN_SCOPE, BEYOND = "the paper's", "beyond the paper"


@dataclass(frozen=True)
class Scope:
    """
    What a claim is about, as patterns with `*`: empty for anything. Corpora and models outside are judged in rows of
    their own.

    corpora, models, protocols : what the paper has.
    nothing : whether the paper has no such comparison, so that all rows are beyond it.
    """

    corpora: Sequence[str] = ()
    models: Sequence[str] = ()
    protocols: Sequence[str] = ()
    nothing: bool = False

    def covers(self, corpus: str, model: str, protocol: str = "") -> bool:
        """Whether the paper has this corpus, this model, and, if a protocol is given, this training."""
        of = [(self.corpora, corpus), (self.models, model)]
        of += [(self.protocols, protocol)] if protocol else []
        return not self.nothing and all(
            not patterns or any(fnmatch(value, pattern) for pattern in patterns)
            for patterns, value in of
        )


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
    def number(self) -> Estimate:
        """The number that decides: of the parts with the outcome of the whole, the one least sure."""
        alike = [part for part in self.parts if part.outcome is self.outcome] or list(self.parts)
        known = [part for part in alike if part.number is not None]
        least = max(known, key=lambda part: -1.0 if math.isnan(part.p) else part.p, default=None)
        nothing = Estimate(math.nan, math.nan, math.nan)
        return nothing if least is None or least.number is None else least.number

    @property
    def seeds_to_decide(self) -> float:
        """The number of seeds that would decide an inconclusive claim by projection; NaN if there is none."""
        if self.outcome is not Outcome.UNKNOWN:
            return math.nan
        open_ = [part.seeds for part in self.parts if part.outcome is Outcome.UNKNOWN]
        seeds = max(open_, default=math.inf)
        return math.nan if math.isinf(seeds) else seeds

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
    reference : the section, table or figure of the paper.
    scope : the corpora and models that the paper judges it on.
    most : whether the paper claims it of most corpora and models and not of each.
    in_print : what the paper has in place of numbers that the rule could be applied to.
    contradiction : how the paper's text contradicts its table, if it does.
    why : why ours differs, if that is known.
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
    reference: str = ""
    scope: Scope = Scope()
    most: bool = False
    in_print: str = ""
    contradiction: str = ""
    why: str = ""

    @property
    def test(self) -> ClaimTest:
        """Whether the claim is tested as its authors did, or after a correction."""
        return ClaimTest.CORRECTED if self.corrects else ClaimTest.AUTHORS


def judge_claims(tables: Tables, claims: Sequence[Claim]) -> pandas.DataFrame:
    """One row per claim, corpus, model and protocol (else study) that the tables cover."""
    rows: list[tuple] = []
    for claim in claims:
        for judgement in claim.judge(tables):
            about = (judgement.corpus, judgement.model, judgement.protocol or tables.study)
            training = "" if tables.study == IN_PRINT else about[2]
            number = judgement.number
            rows.append(
                (
                    claim.paper,
                    claim.statement,
                    claim.name,
                    claim.test.value,
                    OWN_SCOPE if claim.scope.covers(*about[:2], training) else BEYOND,
                    *about,
                    judgement.outcome.value,
                    judgement.evidence,
                    *(number.mean, number.low, number.high, number.seeds),
                    claim.rule,
                    claim.fails_if,
                    claim.table.name,
                    claim.corrects,
                    combine_p_values(judgement.parts),
                    judgement.seeds_to_decide,
                )
            )
    # Keep the type of the columns without rows, too.
    numbers = ["number", "low", "high", "seeds", "p", "seeds to decide"]
    return pandas.DataFrame(rows, columns=COLUMNS).astype(dict.fromkeys(numbers, float))


def drop_repeated(claims: pandas.DataFrame) -> pandas.DataFrame:
    """
    The rows of several studies (column `study`) without repeated findings. If two studies differ only in what they
    found, the protocol names the study as well. Nothing that differs is dropped.
    """
    once = claims.drop_duplicates([*KEY, "outcome", "evidence"]).reset_index(drop=True)
    again = once.duplicated(KEY, keep=False) & (once["protocol"] != once["study"])
    once.loc[again, "protocol"] += " (" + once.loc[again, "study"] + ")"
    return once
