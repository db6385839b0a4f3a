"""All claims, in the order of their papers."""

from typing import List, Sequence

import pandas

from analysis.claims import (
    bastings_filippova,
    jain_wallace,
    meister,
    neely_schouten,
    pruthi,
    serrano_smith,
    wiegreffe_pinter,
)
from analysis.claims.claim import Claim
from analysis.claims.tables import Tables

CLAIMS = (
    *jain_wallace.CLAIMS,
    *serrano_smith.CLAIMS,
    *wiegreffe_pinter.CLAIMS,
    *neely_schouten.CLAIMS,
    *bastings_filippova.CLAIMS,
    *pruthi.CLAIMS,
    *meister.CLAIMS,
)
# What they rest on.
TABLES = (
    *dict.fromkeys(claim.table for claim in CLAIMS),
    meister.ACCURACY,
    bastings_filippova.APART,
    *(paper.DIFFERENCES for paper in (jain_wallace, neely_schouten, meister)),
)
COLUMNS = ("paper", "claim", "corpus", "model", "verdict", "evidence", "rule", "name", "table")


def find(name: str) -> Claim:
    return next(claim for claim in CLAIMS if claim.name == name)


def judged(tables: Tables, claims: Sequence[Claim] = CLAIMS) -> pandas.DataFrame:
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
                    judgement.verdict.value,
                    judgement.evidence,
                    claim.rule,
                    claim.name,
                    claim.table,
                )
            )
    return pandas.DataFrame(rows, columns=list(COLUMNS))
