"""A claim of a paper, and claims judged by the tables of a study."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Callable, Iterable, List, Sequence, Tuple

import pandas

from analysis.claims.parts import Outcome, Part, whole, whole_p
from analysis.claims.table_rows import TableRow, Tables, TypedTable

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
    parts: Tuple[Part, ...]
    protocol: str = ""

    @classmethod
    def of(cls, row: TableRow, *parts: Part) -> "Judgement":
        """Of the model that the row is about."""
        return cls(row.corpus, row.model, parts, row.protocol)

    @property
    def outcome(self) -> Outcome:
        """Of the whole claim."""
        return whole(self.parts)

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
    test : whether it is tested as its authors did, or as it has to be after a correction.
    corrects : the name of the claim that is tested again, if its authors' test is a claim here.
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
    test: ClaimTest = ClaimTest.AUTHORS
    corrects: str = ""
    others: Tuple[TypedTable, ...] = ()
    over_models: bool = False
    paper: str = ""


def judged(tables: Tables, claims: Sequence[Claim]) -> pandas.DataFrame:
    """
    A row for each claim, corpus, model and training protocol that the tables have the numbers of.
    Where a table was written without protocols, its study stands for one.
    """
    rows: List[tuple] = []
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
                    whole_p(judgement.parts),
                )
            )
    # Without rows, too: what is joined to others keeps its kind.
    return pandas.DataFrame(rows, columns=list(COLUMNS)).astype({"p": float})


def each_once(claims: pandas.DataFrame) -> pandas.DataFrame:
    """
    Of the rows of several studies (column `study`): what two have found alike once, by the first;
    where they differ in claim, corpus, model and protocol by nothing, but in what they found, the
    study is said with the protocol. Nothing that differs is dropped.
    """
    once = claims.drop_duplicates([*KEY, "outcome", "evidence"]).reset_index(drop=True)
    again = once.duplicated(KEY, keep=False) & (once["protocol"] != once["study"])
    once.loc[again, "protocol"] += " (" + once.loc[again, "study"] + ")"
    return once
