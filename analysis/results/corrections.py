"""What the corrected top-k measure, the true total variation and the random controls change."""

from typing import Iterator, List, Sequence

import pandas

from analysis.claims.jain_wallace import CORRELATIONS
from analysis.claims.neely_schouten import AS_PUBLISHED, CORRECTED, TOP_K
from analysis.claims.wiegreffe_pinter import ADVERSARIES
from analysis.formats import cell, markdown
from analysis.results.studies import StudyResults, joined


def corrections(studies: Sequence[StudyResults]) -> Iterator[str]:
    yield from _top_k(studies)
    yield from _total_variation(studies)
    yield from _controls(studies)


def _top_k(studies: Sequence[StudyResults]) -> Iterator[str]:
    table = joined(studies, TOP_K)
    if table.empty:
        return
    chosen = table[(table["k"] == "non-zero") & (table["predicted"] == "overall")]
    keys = ["corpus", "model", "importance"]
    rows = []
    for values, found in chosen.groupby(keys, sort=False):
        by_measure = {row["measure"]: row for row in found.to_dict("records")}
        if AS_PUBLISHED in by_measure and CORRECTED in by_measure:
            old, new = by_measure[AS_PUBLISHED], by_measure[CORRECTED]
            rows.append(
                {
                    **dict(zip(keys, values, strict=True)),
                    "as published": _interval(old),
                    "its chance": cell(old["permuted mean"]),
                    "corrected": _interval(new),
                    "chance": cell(new["permuted mean"]),
                }
            )
    if rows:
        yield (
            "**Top-k agreement (k = non-zero weights of sparsemax).** The published measure leaves out the "
            "pairs of which each is in another list, and gives lists that have nothing in common nearly "
            "the best mark. Chance is what the same importance in random order gets."
        )
        yield markdown(pandas.DataFrame(rows))


def _total_variation(studies: Sequence[StudyResults]) -> Iterator[str]:
    table = joined(studies, ADVERSARIES)
    if table.empty or "published tvd" not in table:
        return
    known = table[table["published tvd"].notna()].drop_duplicates(["corpus", "model", "lambda"])
    if known.empty:
        return
    rows = [
        {
            "corpus": row["corpus"],
            "lambda": f"{row['lambda as published']:g}",
            "TVD as published": cell(row["published tvd"] / 2),
            "true TVD of theirs": cell(row["published tvd"]),
            "TVD here": _interval(row, "tvd"),
            "JSD published": cell(row["published jsd"]),
            "JSD here": _interval(row, "jsd"),
        }
        for row in known.to_dict("records")
    ]
    yield (
        "**Total variation.** Wiegreffe & Pinter's code halves it once too often: the true one is twice "
        "what is published, and a lambda of theirs is half of that which weighs the true one the same."
    )
    yield markdown(pandas.DataFrame(rows))


def _controls(studies: Sequence[StudyResults]) -> Iterator[str]:
    table = joined(studies, CORRELATIONS)
    if table.empty:
        return
    chosen = table[(table["predicted"] == "overall") & (table["scores"] == "attention")]
    chosen = chosen.drop_duplicates(["corpus", "model", "importance"])
    rows: List[dict] = [
        {
            "corpus": row["corpus"],
            "model": row["model"],
            "importance": row["importance"],
            "tau": _interval(row),
            "random": cell(row["random mean"]),
            "permuted": cell(row["permuted mean"]),
            "above permuted": _interval(row, "above permuted"),
            "p <= .05": cell(row["significant"]),
            "after BH": cell(row["significant BH"]),
        }
        for row in chosen.to_dict("records")
    ]
    yield (
        "**Random controls.** Kendall's tau of attention with random scores, and with the importance in "
        "random order. The share of texts with p <= .05, and what is left of it when the number of texts "
        "is taken into account (Benjamini-Hochberg)."
    )
    yield markdown(pandas.DataFrame(rows))


def _interval(row: dict, name: str = "") -> str:
    mean = row[name] if name in row else row["mean"]
    low, high = (row[f"{name} {end}".strip()] for end in ("low", "high"))
    return f"{cell(mean)} [{cell(low)}, {cell(high)}]"
