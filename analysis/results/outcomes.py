"""What came out for each claim, over all studies: once for each corpus, with the number it rests on."""

from pathlib import Path
from typing import Any, Dict, List, Sequence

import pandas

from analysis.claims import NAME
from analysis.claims.claim import EARLIER_COLUMNS, Claim, judged
from analysis.claims.parts import Outcome
from analysis.claims.table_rows import Tables
from analysis.papers.discovery import CLAIMS
from analysis.results.studies import StudyResults, joined
from analysis.written import markdown_text

# Whose numbers stand for a claim, if there are several models: those that the papers are about.
LEADING = ("bilstm tanh softmax", "bilstm tanh sparsemax", "tanh softmax", "bilstm tanh")


def all_claims(studies: Sequence[StudyResults]) -> pandas.DataFrame:
    """
    From the tables of outcomes: each claim, corpus and model once; of studies that have the same,
    the first is taken. Claims over all models are judged anew.
    """
    tables = []
    for study in studies:
        table = study.table(NAME).rename(columns=EARLIER_COLUMNS)
        if len(table):
            tables.append(table.assign(folder=str(study.folder), seeds=study.seeds))
    if not tables:
        return pandas.DataFrame()
    claims = pandas.concat(tables, ignore_index=True)
    claims = claims.drop_duplicates(["name", "corpus", "model"])
    together = [claim for claim in CLAIMS if claim.over_models]
    apart = claims[~claims["name"].isin([claim.name for claim in together])]
    pooled = [_over_all_models(claim, studies) for claim in together]
    return pandas.concat([apart, *pooled], ignore_index=True)


def _over_all_models(claim: Claim, studies: Sequence[StudyResults]) -> pandas.DataFrame:
    """From the tables of all studies that have it; linked is that of the first."""
    having = [study for study in studies if len(study.table(claim.table.name))]
    if not having:
        return pandas.DataFrame()
    rows = joined(having, claim.table.name)
    tables = Tables({claim.table.name: rows.drop_duplicates(ignore_index=True)})
    return judged(tables, [claim]).assign(folder=str(having[0].folder), seeds="all seeds")


def by_corpus(claims: pandas.DataFrame) -> List[Dict[str, Any]]:
    """
    For each claim and corpus a outcome over all models, the row that stands for them, and its
    table; in the order of the papers.
    """
    rows = []
    for claim in CLAIMS:
        of_claim = claims[claims["name"] == claim.name]
        for corpus, models in of_claim.groupby("corpus", sort=False):
            lead = _lead(models)
            rows.append(
                {
                    "name": claim.name,
                    "corpus": corpus,
                    "outcome": _together(models["outcome"]),
                    "lead": lead,
                    "table": str(Path(lead["folder"]) / f"{lead['table']}.csv"),
                }
            )
    return rows


def _lead(models: pandas.DataFrame) -> Dict[str, Any]:
    rows = {row["model"]: row for row in models.to_dict("records")}
    return next((rows[name] for name in LEADING if name in rows), next(iter(rows.values())))


def _together(outcomes: pandas.Series) -> str:
    """In Markdown: `holds`, if for all models; `holds for 3 of 4 models, cannot be told for 1`."""
    counts = outcomes.value_counts()
    if len(counts) == 1:
        words = outcomes.iloc[0]
        return f"**{markdown_text(words)}**" + (
            f" ({len(outcomes)} models)" if len(outcomes) > 1 else ""
        )
    order = [one.value for one in Outcome if one.value in counts.index]
    said = [f"**{order[0]}** for {counts[order[0]]} of {len(outcomes)} models"]
    return ", ".join([*said, *(f"{one} for {counts[one]}" for one in order[1:])])
