"""
Agreements as claims read them: rows of the papers' tables, with both kinds of importance that
attention is compared with, and the differences between rows.
"""

import math
from dataclasses import dataclass
from typing import Any, Callable, Dict, Iterator, Optional, Sequence, Tuple

from analysis.agreement.agreements import Pair
from analysis.claims.claim import Judgement
from analysis.claims.parts import Part
from analysis.claims.table_rows import (
    TableRow,
    column,
    estimated,
    estimated_if_known,
    first_where,
    grouped,
    paired,
)
from analysis.papers.shared.agreeing import DIFFERENCE, OF_SCALED
from analysis.written import Estimate, number

IMPORTANCE = ("gradient", "leave-one-out")
# With both things that are called gradient.
EVERY_IMPORTANCE = ("gradient", "gradient norm", "leave-one-out")


@dataclass(frozen=True, kw_only=True)
class AgreementRow(TableRow):
    """
    How two columns agree.

    first, second : those columns.
    scores, importance : what the paper calls them.
    predicted, group : the class of the texts, or `overall`.
    k : of the measure, if only the first k tokens count.
    importance_of : of inputs, or of hidden states.
    compared : whether signs count.
    scaled : between chance and the best that ties allow; tables may have been written without.
    """

    first: str = ""
    second: str = ""
    scores: str = ""
    importance: str = ""
    predicted: str = ""
    group: str = ""
    measure: str = ""
    k: str = ""
    importance_of: str = ""
    compared: str = ""
    mean: Estimate = estimated()
    ceiling: float = math.nan
    scaled: Optional[Estimate] = estimated_if_known("scaled")
    random_mean: float = math.nan
    permuted_mean: float = math.nan
    above_permuted: Optional[Estimate] = estimated_if_known("above permuted", difference=True)
    significant: float = math.nan
    significant_bh: float = column("significant BH", math.nan)

    @property
    def placed(self) -> Estimate:
        """The scaled agreement; the mean, if the table has no scaled values."""
        return self.mean if self.scaled is None else self.scaled

    def in_words(self, measure: str) -> str:
        """What `placed` is the number of: `tau with gradient .200 of at most .215, scaled`."""
        if self.scaled is None:
            return measure
        return f"{measure} {number(self.mean.mean)} of at most {number(self.ceiling)}, scaled"

    @property
    def known_by(self) -> tuple:
        """As tables of differences name it."""
        measure = f"{self.measure}:k={self.k}" if self.k else self.measure
        return self.corpus, measure, self.model, str(Pair(self.first, self.second))


@dataclass(frozen=True, kw_only=True)
class DifferenceRow(TableRow):
    """One agreement less another, on the same texts: of their measures, and of their scaled values."""

    measure: str
    first_model: str
    first_pair: str
    second_model: str
    second_pair: str
    difference: Optional[Estimate] = paired(DIFFERENCE)
    of_scaled: Optional[Estimate] = paired(OF_SCALED)

    @property
    def ends(self) -> Tuple[tuple, tuple]:
        """What was subtracted from what, each as `AgreementRow.known_by`."""
        return (
            (self.corpus, self.measure, self.first_model, self.first_pair),
            (self.corpus, self.measure, self.second_model, self.second_pair),
        )


def of_each(
    rows: Sequence[AgreementRow], kinds: Sequence[str] = IMPORTANCE, **equal: Any
) -> Iterator[Tuple[str, AgreementRow]]:
    """The first row with these values for each kind of importance, where there is one."""
    for name in kinds:
        row = first_where(rows, importance=name, **equal)
        if row is not None:
            yield name, row


def judged_differences(
    rows: Sequence[AgreementRow],
    compared: Sequence[DifferenceRow],
    alike: Sequence[str],
    of: Dict[str, Any],
    less: Dict[str, Any],
    part: Callable[[str, Estimate], Part],
    placed: bool = True,
    kinds: Sequence[str] = IMPORTANCE,
) -> Iterator[Judgement]:
    """
    A judgement for each corpus, protocol and each values of the fields `alike`, which the model is called by.
    Its parts, one for each kind of importance: the scaled agreement of the row with the values `of` less that of
    the row with the values `less`.

    compared : what was compared on the same texts.
    part : from words (`with gradient`) and the difference.
    scaled : by scaled values, where the table has them; else by the measure itself.
    kinds : of importance.
    """
    for (corpus, protocol, *names), group in grouped(rows, "corpus", "protocol", *alike):
        subtracted = dict(of_each(group, kinds, **less))
        parts = [
            part(f"with {name}", less_than(compared, row, subtracted[name], placed))
            for name, row in of_each(group, kinds, **of)
            if name in subtracted
        ]
        if parts:
            yield Judgement(corpus, " ".join(names), tuple(parts), protocol)


def less_than(
    compared: Sequence[DifferenceRow], row: AgreementRow, other: AgreementRow, placed: bool = True
) -> Estimate:
    """
    The scaled value of the one agreement less that of the other, or if not `placed` the measure itself, on the
    same texts if it is among those compared; else as if they were independent.
    """
    of_scaled = placed and row.scaled is not None and other.scaled is not None
    first, second = (one.placed if of_scaled else one.mean for one in (row, other))
    for one in compared:
        difference = one.of_scaled if of_scaled else one.difference
        if difference is None:
            continue
        if one.ends == (row.known_by, other.known_by):
            return first.minus(second, difference)
        if one.ends == (other.known_by, row.known_by):
            return first.minus(second, difference.negative())
    return first.minus(second)
