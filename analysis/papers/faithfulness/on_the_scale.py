"""
Tables of how faithful each method is: on the scale from chance to the best possible, an erasure a
table; by its values where a measure has no such scale; and whether the order of the methods is the
same for every removal method.
"""

from itertools import combinations
from typing import Any, Dict, List, Sequence

import numpy
import pandas
from scipy.stats import kendalltau

from analysis.faithfulness.files import FaithfulnessMeasure
from analysis.faithfulness.scale import Measured, measured, rows_of, shares_tied
from analysis.figures.dots import Dot, dots
from analysis.models import Model
from analysis.output import Output, slug
from analysis.papers.shared.published import about
from analysis.papers.shared.study_files import described
from analysis.performance import NOTHING
from analysis.statistics.intervals import ABOUT_INTERVALS
from analysis.written import Estimate
from attention_explain.files.faithfulness import RANDOM, SEARCH, TIED

KEYS = ["corpus", "model"]
ENDS = (RANDOM, SEARCH)
# What a figure of all methods is about, if there is nothing else to choose it by.
SHOWN_MEASURES = ("comprehensiveness", "sufficiency", "deletion_curve", "insertion_curve")
HOW = (
    "Score: (method - random) / (search - random), the mean of what the method gains over the mean of "
    "what could be gained: 0 is chance, 1 the best order that a search found, less than 0 is worse than "
    f"chance. {ABOUT_INTERVALS}"
)


def long_table(models: Sequence[Model]) -> pandas.DataFrame:
    """One row per model, measure, erasure, bin and method, with all numbers."""
    rows: List[Dict[str, Any]] = []
    for model in models:
        of_model = measured(model)
        tied = shares_tied(of_model)
        for each in of_model:
            if each.measure.name != TIED:
                rows += [
                    {**about(model), **row, "tied": tied.get(row["method"], numpy.nan)}
                    for row in rows_of(each)
                ]
    return pandas.DataFrame(rows)


def scale_tables(models: Sequence[Model], output: Output) -> None:
    """A table an erasure: methods by measures, on the scale; and one of what has no scale."""
    table = long_table(models)
    whole = table[table["k"].isna()]
    on_scale = whole[whole["score"].notna()]
    for erasure in dict.fromkeys(on_scale["erasure"]):
        output.table(
            slug("faithfulness", erasure),
            table[(table["erasure"] == erasure) & table["score"].notna()],
            f"How faithful each method is, words erased by `{erasure}`. {described(models)}.",
            f"{HOW} The last rows are the values at both ends. Tied: the share of tokens whose rank is also another's; ties are broken at random.",
            _wide(on_scale[on_scale["erasure"] == erasure], "score"),
        )
    values = whole[whole["score"].isna() & ~whole["method"].isin(ENDS)]
    if len(values):
        output.table(
            "faithfulness-values",
            values.drop(columns=["score", "score low", "score high"]),
            f"Measures of faithfulness that have no best possible order. {described(models)}.",
            f"The values themselves. {ABOUT_INTERVALS}",
            _wide(values, ""),
        )
    _figures(models, on_scale, output)
    _findings(on_scale, output)


def _wide(table: pandas.DataFrame, name: str) -> pandas.DataFrame:
    """Methods by measures, for people; of each model the best method by the first measure first."""
    rows = []
    for (corpus, model), of_model in table.groupby(KEYS, sort=False):
        column = name or "mean"
        first = of_model[of_model["measure"] == of_model["measure"].iloc[0]]
        order = first.sort_values(column, ascending=False, kind="stable")["method"]
        judged = [method for method in order if method not in ENDS]
        for method in dict.fromkeys([*judged, *of_model["method"]]):
            of_method = of_model[of_model["method"] == method].to_dict("records")
            # The ends are 0 and 1; it is their values that tell how long the scale is.
            shown = ("", "mean") if method in ENDS else (name, column)
            rows.append(
                {
                    "corpus": corpus,
                    "model": model,
                    "method": f"{method} (value)" if method in ENDS else method,
                    **{_title(row): Estimate.of(row, *shown) for row in of_method},
                    "tied": of_method[0]["tied"],
                }
            )
    return pandas.DataFrame(rows)


def _title(row: Dict[str, Any]) -> str:
    return row["measure"].replace("_", " ")


def _figures(models: Sequence[Model], table: pandas.DataFrame, output: Output) -> None:
    names = [name for name in SHOWN_MEASURES if name in set(table["measure"])]
    for name in names or list(dict.fromkeys(table["measure"]))[:1]:
        rows = table[(table["measure"] == name) & ~table["method"].isin(ENDS)]
        positions = [
            Dot(
                panel=f"{row['corpus']}, {row['model']}",
                row=row["method"],
                series=row["erasure"] or name,
                estimate=Estimate.of(row, "score"),
            )
            for row in rows.to_dict("records")
        ]
        output.figure(
            slug("faithfulness", name, "scale"),
            dots(positions, name.replace("_", " ")),
            f"Where each method stands between chance and the best possible order of words, by "
            f"{name.replace('_', ' ')}, for each way to erase words. {described(models)}.",
            HOW,
        )


def _findings(table: pandas.DataFrame, output: Output) -> None:
    """One sentence per model, by the first measure and erasure: the best method, and attention."""
    for (corpus, model), rows in table.groupby(KEYS, sort=False):
        first = rows.iloc[0]
        rows = rows[(rows["measure"] == first["measure"]) & (rows["erasure"] == first["erasure"])]
        rows = rows[~rows["method"].isin(ENDS)]
        what = FaithfulnessMeasure(first["measure"].replace("_", " "), first["erasure"])
        opening = f"{model} on {corpus} by {what}: "
        if first[NOTHING]:
            output.sentence(
                slug("faithfulness", corpus, model), f"{opening}{NOTHING}: {first[NOTHING]}."
            )
            continue
        best = rows.loc[rows["score"].idxmax()]
        said = f"{best['method']} has the highest score between chance (0) and the best possible (1), {Estimate.of(best, 'score')}"
        attention = rows[rows["method"] == "attention"]
        if len(attention) and best["method"] != "attention":
            said += f"; attention {Estimate.of(attention.iloc[0], 'score')}"
        output.sentence(slug("faithfulness", corpus, model), f"{opening}{said}.")


def erasure_rows(of_model: Sequence[Measured]) -> List[Dict[str, Any]]:
    """Of each measure, how alike two removal methods order the methods: Kendall's tau-b of their scores."""
    by_name: Dict[str, List[Measured]] = {}
    for each in of_model:
        if each.measure.k is None and each.measure.removal and each.has_scale:
            by_name.setdefault(each.measure.name, []).append(each)
    rows = []
    for name, several in by_name.items():
        for first, second in combinations(several, 2):
            methods = [method for method in first.methods if method in second.methods]
            if len(methods) < 2:
                continue
            scores = [each.scores(methods).mean for each in (first, second)]
            best = [methods[int(numpy.nanargmax(values))] for values in scores]
            rows.append(
                {
                    "measure": name,
                    "first": first.measure.removal,
                    "second": second.measure.removal,
                    "tau": float(kendalltau(*scores).statistic),
                    "methods": len(methods),
                    "best by first": best[0],
                    "best by second": best[1],
                }
            )
    return rows


def erasure_table(models: Sequence[Model], output: Output) -> None:
    """Whether the order of the methods survives the choice of the erasure."""
    rows = [{**about(model), **row} for model in models for row in erasure_rows(measured(model))]
    if rows:
        table = pandas.DataFrame(rows)
        columns = [*KEYS, "measure", "first", "second", "tau", "methods"]
        output.table(
            "faithfulness-erasures",
            table,
            "Whether methods come in the same order whichever way words are erased. "
            f"{described(models)}.",
            "Kendall's tau-b of the methods' scores under the first and the second removal method: 1 is the "
            "same order.",
            table[[*columns, "best by first", "best by second"]],
        )
