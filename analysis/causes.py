"""
Where the data marks tokens that decide the label: how often does a method put such a token first?
They are known causes in a corpus that was made of them; else people have marked them.
"""

from typing import Dict, List, Sequence

import numpy
import pandas
from scipy.stats import binomtest

from analysis.attributions import Attributions
from analysis.errors import AnalysisError
from heatmaps.rationales import KNOWN

FIRST = "marked first"


def causes_table(attributions: Attributions) -> pandas.DataFrame:
    """
    For each method the share of correctly predicted texts whose highest score is at a token of the
    rationale, with a 95 % interval (Wilson); and the share that a blind guess would have. A text
    whose rationale marks no token has nothing to be found: it is left out, and counted as
    `unmarked`.
    """
    table = attributions.table
    if "rationale" not in table or table["rationale"].isna().all():
        raise AnalysisError(
            f"{attributions.path}: its texts have no rationale, so nothing says what decides them"
        )
    table = table[(table["label"] == table["predicted"]) & table["rationale"].notna()]
    if table.empty:
        raise AnalysisError(f"{attributions.path}: no text with a rationale is predicted correctly")
    marked = table["rationale"].map(numpy.any).astype(bool)
    if not marked.any():
        raise AnalysisError(
            f"{attributions.path}: no rationale of a correctly predicted text marks a token"
        )
    table = table[marked]
    about = {
        "chance": table["rationale"].map(numpy.mean).mean(),
        "unmarked": int((~marked).sum()),
        "rationales": attributions.rationales,
    }
    rows = [
        {"method": method, **_summary(table[method], table["rationale"]), **about}
        for method in attributions.methods
    ]
    return pandas.DataFrame(rows).sort_values(FIRST, ascending=False, ignore_index=True)


def causes_of_several(files: Sequence[Attributions]) -> pandas.DataFrame:
    """The tables of several files under each other, `file` in front."""
    tables = [causes_table(file) for file in files]
    names = [file.path.stem for file in files]
    return pandas.concat(tables, keys=names, names=["file"]).reset_index(level=0)


def side_by_side(table: pandas.DataFrame) -> pandas.DataFrame:
    """Methods as rows, files as columns, in the order in which they came."""
    shares = table.pivot(index="method", columns="file", values=FIRST)
    shares = shares[table["file"].unique()]
    return shares.sort_values(shares.columns[0], ascending=False).reset_index()


def in_words(table: pandas.DataFrame) -> List[str]:
    """What is counted, file by file, and what is not."""
    sentences = []
    for file, rows in table.groupby("file", sort=False):
        first = rows.iloc[0]
        what = "a known cause" if first["rationales"] == KNOWN else "marked by people"
        sentence = f"{file}: share of correctly predicted texts whose first token is {what}"
        left_out = first["unmarked"]
        if left_out:
            texts = "1 text" if left_out == 1 else f"{left_out} texts"
            sentence += f"; {texts} in which nothing is marked left out"
        sentences.append(f"{sentence}.")
    return sentences


def _summary(scores: pandas.Series, rationales: pandas.Series) -> Dict[str, float]:
    defined = scores.notna()
    found = [
        cause_first(one, other)
        for one, other in zip(scores[defined], rationales[defined], strict=True)
    ]
    if not found:
        return {FIRST: numpy.nan, "low": numpy.nan, "high": numpy.nan, "n": 0}
    interval = binomtest(round(sum(found)), len(found)).proportion_ci(method="wilson")
    return {
        FIRST: float(numpy.mean(found)),
        "low": interval.low,
        "high": interval.high,
        "n": len(found),
    }


def cause_first(scores: Sequence[float], rationale: Sequence[int]) -> float:
    """
    1 if the highest score is at a marked token, 0 if not; where several tokens share the highest
    score, the share of marked ones among them, which is what breaking the tie at random gives on
    average.
    """
    scores = numpy.asarray(scores)
    return float(numpy.asarray(rationale)[scores == scores.max()].mean())
