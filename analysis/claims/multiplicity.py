"""Correction for the number of claims: how many were judged, and how many outcomes remain decided."""

from dataclasses import dataclass
from typing import Literal

import pandas
from scipy.stats import false_discovery_control

from analysis.claims.claim import Outcome
from analysis.statistics.intervals import LEVEL
from analysis.statistics.significance import ALPHA

DEPENDENCE = (
    "This takes outcomes to be independent or positively dependent, as those that share texts, models or scores mostly "
    "are."
)
DECIDED = (Outcome.HOLDS.value, Outcome.FAILS.value)


@dataclass(frozen=True)
class Multiplicity:
    """
    Counts of outcomes before and after correction.

    judged : the number of outcomes, without those that have nothing to judge.
    decided : the number that hold or do not hold.
    expected_false : the largest expected number of false decisions, if every bound were exactly true.
    remaining : the number of decided outcomes after the procedure of Benjamini and Hochberg.
    lost : the rows of decided outcomes that do not remain.
    without_p : the number of decided outcomes without a p-value.
    whatever_dependence : the number that remains by Benjamini and Yekutieli, whatever the dependence.
    """

    judged: int
    decided: int
    expected_false: float
    remaining: int
    lost: pandas.DataFrame
    without_p: int = 0
    whatever_dependence: int = 0

    @property
    def sentence(self) -> str:
        """The counts as text, for pages."""
        said = (
            f"{self.judged} outcomes were judged and {self.decided} decided. Each is wrong in at most 5 % of "
            f"repetitions, so up to {self.expected_false:.1f} of all are expected to be decided by chance"
        )
        if self.without_p == self.decided:
            return f"{said}."
        return (
            f"{said}. With the share of false ones among the decided held to 5 % (Benjamini & Hochberg), {self.remaining} of "
            f"{self.decided - self.without_p} remain decided. {DEPENDENCE} For any dependence (Benjamini & Yekutieli), "
            f"{self.whatever_dependence} remain."
        )


def multiplicity(claims: pandas.DataFrame) -> Multiplicity:
    """Count the outcomes in rows of `claims.csv`, of one study or of all."""
    tested = claims[claims["outcome"] != Outcome.NOTHING.value]
    decided = tested["outcome"].isin(DECIDED)
    p = (
        tested["p"].astype(float)
        if "p" in tested
        else pandas.Series(float("nan"), index=tested.index)
    )
    known = decided & p.notna()
    remaining, whatever = (known & _kept(p, method) for method in ("bh", "by"))
    return Multiplicity(
        judged=len(tested),
        decided=int(decided.sum()),
        expected_false=(1 - LEVEL) * len(tested),
        remaining=int(remaining.sum()),
        lost=tested[known & ~remaining],
        without_p=int((decided & ~known).sum()),
        whatever_dependence=int(whatever.sum()),
    )


def _kept(p: pandas.Series, method: Literal["bh", "by"]) -> pandas.Series:
    """Which p-values remain significant after correction."""
    kept = pandas.Series(False, index=p.index)
    if p.notna().any():
        kept[p.notna()] = false_discovery_control(p[p.notna()], method=method) <= ALPHA
    return kept
