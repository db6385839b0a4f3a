"""Where the cause of a label is known: how often does a method put a cause first?"""

from typing import Dict, Sequence

import numpy
import pandas
from scipy.stats import binomtest

from analysis.attributions import Attributions
from analysis.errors import AnalysisError


def causes_table(attributions: Attributions) -> pandas.DataFrame:
    """
    For each method the share of correctly predicted texts whose highest score is at a token of the
    rationale, with a 95 % interval (Wilson); and the share that a blind guess would have.
    """
    table = attributions.table
    if "rationale" not in table or table["rationale"].isna().all():
        raise AnalysisError(
            f"{attributions.path}: its texts have no rationale, so their causes are not known"
        )
    table = table[(table["label"] == table["predicted"]) & table["rationale"].notna()]
    if table.empty:
        raise AnalysisError(f"{attributions.path}: no text with a rationale is predicted correctly")
    chance = table["rationale"].map(numpy.mean).mean()
    rows = [
        {"method": method, **_summary(table[method], table["rationale"]), "chance": chance}
        for method in attributions.methods
    ]
    return pandas.DataFrame(rows).sort_values("cause first", ascending=False, ignore_index=True)


def causes_of_several(files: Sequence[Attributions]) -> pandas.DataFrame:
    """The tables of several files under each other, `file` in front."""
    tables = [causes_table(file) for file in files]
    names = [file.path.stem for file in files]
    return pandas.concat(tables, keys=names, names=["file"]).reset_index(level=0)


def side_by_side(table: pandas.DataFrame) -> pandas.DataFrame:
    """Methods as rows, files as columns, in the order in which they came."""
    shares = table.pivot(index="method", columns="file", values="cause first")
    shares = shares[table["file"].unique()]
    return shares.sort_values(shares.columns[0], ascending=False).reset_index()


def _summary(scores: pandas.Series, rationales: pandas.Series) -> Dict[str, float]:
    defined = scores.notna()
    found = [
        cause_first(one, other)
        for one, other in zip(scores[defined], rationales[defined], strict=True)
    ]
    if not found:
        return {"cause first": numpy.nan, "low": numpy.nan, "high": numpy.nan, "n": 0}
    interval = binomtest(round(sum(found)), len(found)).proportion_ci(method="wilson")
    return {
        "cause first": float(numpy.mean(found)),
        "low": interval.low,
        "high": interval.high,
        "n": len(found),
    }


def cause_first(scores: Sequence[float], rationale: Sequence[int]) -> float:
    """
    1 if the highest score is a cause's, 0 if not; where several tokens share the highest score, the
    share of causes among them, which is what breaking the tie at random gives on average.
    """
    scores = numpy.asarray(scores)
    return float(numpy.asarray(rationale)[scores == scores.max()].mean())
