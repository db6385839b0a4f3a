"""The table of plausibility: models, methods and measures, compared with chance and compared with people."""

from collections.abc import Sequence
from typing import Any

import numpy
import pandas

from analysis.errors import AnalysisError
from analysis.measures.scores import Scores
from analysis.models import Model
from analysis.performance import NOTHING, nothing_to_judge
from analysis.plausibility.annotators import Annotators
from analysis.plausibility.measures import PlausibilityMeasure
from analysis.statistics.intervals import intervals, mean_of_known
from analysis.written import estimates

ABOVE = "above chance"
ONE, OTHERS = "one annotator", "all others"


def plausibility_table(
    models: Sequence[Model],
    measures: Sequence[PlausibilityMeasure],
    absolute: bool = False,
    all_texts: bool = False,
) -> pandas.DataFrame:
    """
    One row per model, method and measure: the mean over texts of the mean over each text's
    annotators, with its interval; `chance` is what scores that say nothing have on the same texts,
    `above chance` how much better the method is (also where less is better), with its interval;
    `one annotator` is what the measure gives one of them as a method for another, `all others` what
    it gives the others together, both on the texts that several have marked. Texts whose
    explained class is not the gold one are left out, unless `all_texts`: people have marked what
    speaks for the gold one.
    """
    tables = [_of_model(model, measures, absolute, all_texts) for model in models]
    return pandas.concat(tables, ignore_index=True)


def _of_model(
    model: Model, measures: Sequence[PlausibilityMeasure], absolute: bool, all_texts: bool
) -> pandas.DataFrame:
    annotators = Annotators(model.files[0])
    wanted = _wanted(model, annotators, all_texts)
    several = wanted.any(axis=0) & (annotators.numbers > 1)
    about = {
        "model": model.name,
        "corpus": model.config.corpus,
        "seeds": len(model.files),
        NOTHING: nothing_to_judge(model.files),
    }
    rows: list[dict[str, Any]] = []
    for measure in measures:
        people = {
            name: float(mean_of_known(numpy.where(several, values, numpy.nan), 0))
            for name, values in (
                (ONE, annotators.of_each_other(measure)),
                (OTHERS, annotators.of_the_others(measure)),
            )
        }
        values, chance = _values(model, annotators, measure, wanted, absolute)
        better = chance - values if measure.lower_is_better else values - chance
        means, above = intervals(values), intervals(better)
        for position, method in enumerate(model.files[0].methods):
            rows.append(
                {
                    **about,
                    "method": method,
                    "measure": measure.name,
                    "better": "lower" if measure.lower_is_better else "higher",
                    "texts": int((~numpy.isnan(values[position])).any(axis=0).sum()),
                    "mean": means.mean[position],
                    "low": means.low[position],
                    "high": means.high[position],
                    "interval over": means.over[position],
                    "chance": float(mean_of_known(chance[position], (0, 1))),
                    ABOVE: above.mean[position],
                    f"{ABOVE} low": above.low[position],
                    f"{ABOVE} high": above.high[position],
                    **people,
                }
            )
    return pandas.DataFrame(rows)


def values_by_text(
    model: Model, measure: PlausibilityMeasure
) -> tuple[numpy.ndarray, numpy.ndarray]:
    """
    What the measure gives each method on each text that is explained for its gold label, and what
    scores that say nothing have there. Shape of both: (methods, seeds, texts)
    """
    annotators = Annotators(model.files[0])
    return _values(model, annotators, measure, _wanted(model, annotators, False), False)


def _wanted(model: Model, annotators: Annotators, all_texts: bool) -> numpy.ndarray:
    """Shape: (seeds, texts)"""
    wanted = numpy.array([all_texts | file.explains_gold for file in model.files])
    if not (wanted & (annotators.numbers > 0)).any():
        raise AnalysisError(
            f"{model.files[0].path}: no text with a rationale is explained for its gold label"
        )
    return wanted


def _values(
    model: Model,
    annotators: Annotators,
    measure: PlausibilityMeasure,
    wanted: numpy.ndarray,
    absolute: bool,
) -> tuple[numpy.ndarray, numpy.ndarray]:
    """Of each method, and what chance gives on the same texts. Shape: (methods, seeds, texts)"""
    values = numpy.array(
        [
            [annotators.mean(file.scores(method, absolute), measure.values) for file in model.files]
            for method in model.files[0].methods
        ]
    )
    values = numpy.where(wanted, values, numpy.nan)
    # It depends on how long a text is and on what is marked there alone.
    blind = Scores.of(model.files[0].table["tokens"].map(lambda tokens: [0.0] * len(tokens)))
    chance = annotators.mean(blind, measure.values)
    return values, numpy.where(numpy.isnan(values), numpy.nan, chance)


def shown_plausibility(table: pandas.DataFrame) -> pandas.DataFrame:
    """What people read; a column that says the same in every row is left out."""
    shown = pandas.DataFrame(index=table.index)
    if table["model"].nunique() > 1:
        shown["model"] = table["model"]
    shown["measure"] = table["measure"]
    shown["method"] = table["method"]
    shown["mean [95 %]"] = estimates(table)
    shown["chance"] = table["chance"]
    shown[f"{ABOVE} [95 %]"] = estimates(table, ABOVE)
    for name in (ONE, OTHERS):
        if table[name].notna().any():
            shown[name] = table[name]
    shown["texts"] = table["texts"]
    return shown.reset_index(drop=True)
