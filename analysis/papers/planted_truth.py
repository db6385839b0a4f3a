"""Which measures of faithfulness rank methods as the truth does.

Where the causes of the label are known, the scores of each method are compared with them, and each measure of
faithfulness with the result. A good measure ranks methods as the truth does, and does not call attention faithful
that was trained to look elsewhere.

A trained model counts if it has both an attribution file with the causes and a faithfulness file; the two are
joined by the weights of the model. The truth about a method is the average precision of the causes in the order of
its scores, over correctly predicted texts.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy
import pandas
from scipy.stats import kendalltau

from analysis.errors import AnalysisError
from analysis.faithfulness.scale import Measured, measured
from analysis.figures.dots import Dot, dots
from analysis.formats import csv
from analysis.model_config import ADVERSARY, DECEPTIVE, PLAIN
from analysis.models import Model
from analysis.output import Output
from analysis.papers.shared.paper import Exhibition, StudyExhibit
from analysis.papers.shared.study_files import StudyFiles
from analysis.performance import NOTHING, nothing_to_judge
from analysis.plausibility.causes import (
    FIRST,
    PRECISION,
    causes_not_learned,
    causes_table,
    found_by_text,
)
from analysis.statistics.intervals import intervals, mean_of_known
from analysis.text_files import Attributions, FaithfulnessFile
from analysis.verdict.against_truth import verdict_tables
from analysis.verdict.calibration import TABLE as CALIBRATION
from analysis.verdict.calibration import calibration_table
from analysis.verdict.means import Mean
from analysis.written import Estimate, estimates
from attention_explain.files.faithfulness import TIED

ATTENTION = "attention"
CONTROL = "random"
# Models trained to attend elsewhere: their attention is wrong by construction.
WRONG = (ADVERSARY, DECEPTIVE)
# Fewer methods cannot be ranked.
LEAST_METHODS = 4
# The mean of fewer models has no interval.
LEAST_MODELS = 3
MEASURE = ["measure", "erasure"]
KEYS = ["corpus", "model", "seed", "role", "erasure training"]


@dataclass(frozen=True)
class Judged:
    """
    A trained model, the truth about its methods, and what measures of faithfulness say.

    truth : average precision by method.
    first : share of texts whose top-ranked token is a cause, by method.
    """

    attributions: Attributions
    faithfulness: FaithfulnessFile
    truth: dict[str, float]
    first: dict[str, float]

    @cached_property
    def about(self) -> dict[str, Any]:
        """The columns that identify a row."""
        model = self.attributions.model
        return {
            "corpus": model.corpus,
            "model": model.name,
            "seed": model.seed,
            "role": model.role,
            "erasure training": model.erasure_trained,
            "encoder": model.encoder,
            "projection": model.projection,
            NOTHING: nothing_to_judge([self.attributions]) or causes_not_learned(self.attributions),
        }

    @cached_property
    def measures(self) -> list[Measured]:
        """Measures over all tokens, without bins."""
        return [
            each
            for each in measured(Model("", (self.faithfulness,)))
            if each.measure.k is None and each.measure.name != TIED
        ]


def judged_models(study: StudyFiles) -> list[Judged]:
    """The trained models that have both files, and known causes."""
    # Of several files of a model, that with the most methods; others measure the truth on more texts.
    files = [file for model in study.models for file in model.files if file.has_known_causes]
    explained = {file.learned: file for file in sorted(files, key=lambda file: len(file.methods))}
    rows = []
    for file in (file for model in study.judged for file in model.files):
        if file.learned in explained:
            attributions = explained[file.learned]
            causes = causes_table(attributions).set_index("method")
            rows.append(
                Judged(attributions, file, causes[PRECISION].to_dict(), causes[FIRST].to_dict())
            )
    return rows


def _goodness(each: Measured, methods: Sequence[str]) -> numpy.ndarray:
    """By method, higher is better: scores on the scale, or values if there is no scale."""
    if each.has_scale:
        return each.scores(methods).mean
    means = each.means(methods).mean
    return means if each.higher_is_better else -means


def agreement_rows(judged: Judged) -> list[dict[str, Any]]:
    """
    One row per measure and removal method: Kendall's tau-b, over methods, of the measure with the truth; the truth about
    the method that the measure ranks first, and about the best method.
    """
    rows = []
    for each in judged.measures:
        methods = [
            method for method in each.methods if method in judged.truth and method != CONTROL
        ]
        goodness = _goodness(each, methods) if methods else numpy.array([])
        known = ~numpy.isnan(goodness)
        methods = [method for method, there in zip(methods, known) if there]
        if len(methods) < LEAST_METHODS:
            continue
        goodness, truth = goodness[known], numpy.array([judged.truth[m] for m in methods])
        chosen = methods[int(goodness.argmax())]
        rows.append(
            {
                **judged.about,
                "measure": each.measure.name,
                "erasure": each.measure.removal,
                "tau": _tau(goodness, truth),
                "tau first": _tau(goodness, numpy.array([judged.first[m] for m in methods])),
                "methods": len(methods),
                "chosen": chosen,
                "truth of chosen": judged.truth[chosen],
                "truth of best": float(truth.max()),
                "lost": float(truth.max() - judged.truth[chosen]),
            }
        )
    return rows


def _tau(first: numpy.ndarray, second: numpy.ndarray) -> float:
    return float(kendalltau(first, second).statistic)


def attention_rows(judged: Judged) -> list[dict[str, Any]]:
    """Scores of attention compared with the truth, one row per measure and removal method."""
    return [
        {
            **judged.about,
            "measure": each.measure.name,
            "erasure": each.measure.removal,
            "score": float(each.scores([ATTENTION]).mean[0]),
            "truth": judged.truth[ATTENTION],
        }
        for each in judged.measures
        if each.has_scale and ATTENTION in each.methods and ATTENTION in judged.truth
    ]


def over_models(
    table: pandas.DataFrame, columns: Sequence[str], keys: Sequence[str]
) -> pandas.DataFrame:
    """Means over models, seeds averaged first, with intervals for at least three models."""
    rows = []
    for key, group in table.groupby([*MEASURE, *keys], sort=False):
        of_models = group.groupby(["corpus", "model"], sort=False)[list(columns)].mean()
        spread = intervals(of_models.to_numpy().T[:, None, :])
        known = len(of_models) >= LEAST_MODELS
        row = {**dict(zip([*MEASURE, *keys], key)), "models": len(of_models), "trained": len(group)}
        for position, column in enumerate(columns):
            row[column] = spread.mean[position]
            for end, ends in (("low", spread.low), ("high", spread.high)):
                row[f"{column} {end}"] = ends[position] if known else numpy.nan
        rows.append(row)
    return pandas.DataFrame(rows)


def truth_tables(study: StudyFiles, output: Output) -> str | None:
    """Add tables on which measure ranks methods as the truth does, and which calls wrong attention faithful."""
    judged = judged_models(study)
    if not judged:
        raise AnalysisError(
            "it takes models with an attribution file of texts whose causes are known, and a "
            "faithfulness file, and there are none"
        )
    rows = [row for one in judged for row in agreement_rows(one)]
    left_out = sorted({f"{r['corpus']}, {r['model']}" for r in rows if r[NOTHING]})
    table = pandas.DataFrame([row for row in rows if not row[NOTHING]])
    if table.empty:
        raise AnalysisError("no model has learned anything that could be judged")
    _measure_table(table, output)
    learned = [one for one in judged if not one.about[NOTHING]]
    _by_model_table(learned, output)
    wrong = pandas.DataFrame([row for one in learned for row in attention_rows(one)])
    if len(wrong) and wrong["role"].isin(WRONG).any():
        _wrong_attention(wrong, output)
    return f"nothing to judge in {', '.join(left_out)}" if left_out else None


def _measure_table(table: pandas.DataFrame, output: Output) -> None:
    plain = table[table["role"] == PLAIN]
    means = over_models(plain, ["tau", "tau first", "lost"], ["erasure training"])
    means = means.sort_values(
        ["erasure training", "tau"], ascending=[True, False], ignore_index=True
    )
    shown = means[[*MEASURE, "erasure training"]].copy()
    shown["measure"] = shown["measure"].str.replace("_", " ")
    for column in ("tau", "tau first", "lost"):
        shown[column] = estimates(means, column)
    shown[["models", "trained"]] = means[["models", "trained"]]
    output.table(
        "planted-truth-measures",
        means,
        "Which measure of faithfulness ranks methods as the truth does, on texts whose causes are "
        f"known. {_described(plain)}.",
        "tau: Kendall's tau-b, over methods, of the measure with the average precision of the causes; "
        "tau first: with the share of texts that have a cause first; lost: average precision "
        "of the best method less that of the one that the measure puts first. Means over models, seeds "
        "averaged, with 95 % intervals over models.",
        shown,
    )
    output.data("planted-truth-by-model.csv", csv(table).encode())
    rows = means.to_dict("records")
    # Variants and components of measures are in the table only.
    every = [row["measure"] for row in rows]
    shown_measures = {
        name
        for name in every
        if not name.startswith("normalised_")
        and not any(name.startswith(f"{other}_") for other in every)
    }
    output.figure(
        "planted-truth-tau",
        dots(
            [
                Dot(
                    panel="with erasure training"
                    if row["erasure training"]
                    else "trained as usual",
                    row=row["measure"].replace("_", " "),
                    series=row["erasure"] or "nothing erased",
                    estimate=Estimate.of(row, "tau"),
                )
                for row in rows
                if row["measure"] in shown_measures
            ],
            "tau of the measure with the truth",
            {-0.5: "-0.5", 0.0: "0", 0.5: "0.5", 1.0: "1"},
        ),
        "How alike each measure of faithfulness and the truth rank methods, by the way words are "
        f"erased. {_described(plain)}.",
        "0 is a measure that knows nothing of the truth. Intervals (95 %) are over models.",
    )
    for trained, group in means.groupby("erasure training", sort=False):
        best = group.iloc[0]
        how = "with erasure training" if trained else "trained as usual"
        erased = f" ({best['erasure']})" if best["erasure"] else ""
        output.sentence(
            f"planted-truth-{'erasure' if trained else 'usual'}",
            f"Of models {how}, {best['measure'].replace('_', ' ')}{erased} ranks methods most as the "
            f"truth does: tau {Estimate.of(best, 'tau')} over {best['models']} models.",
        )


def cause_first_rows(judged: Sequence[Judged]) -> list[dict[str, Any]]:
    """One row per model and method: how often a known cause ranks first, compared with chance."""
    rows = []
    keys = ("corpus", "model", "role", "encoder", "projection", "erasure training")
    for key in dict.fromkeys(tuple(one.about[name] for name in keys) for one in judged):
        seeds = [one for one in judged if tuple(one.about[name] for name in keys) == key]
        values, chance = zip(*(found_by_text(one.attributions, FIRST) for one in seeds))
        rows += [
            {
                **dict(zip(keys, key)),
                "method": method,
                "average precision": float(numpy.mean([one.truth[method] for one in seeds])),
                **Mean.of(
                    numpy.array([of_seed[method] for of_seed in values]), share=True
                ).estimate.columns("cause first"),
                "chance": float(mean_of_known(numpy.array(chance), (0, 1))),
                "seeds": len(seeds),
            }
            for method in seeds[0].truth
        ]
    return rows


def _by_model_table(judged: Sequence[Judged], output: Output) -> None:
    means = pandas.DataFrame(cause_first_rows(judged))
    shown = means.pivot_table(
        index="method", columns="corpus", values="cause first", sort=False, aggfunc="mean"
    )
    shown = shown.sort_values(shown.columns[0], ascending=False).reset_index()
    output.table(
        "planted-truth-methods",
        means,
        "How often each method puts a known cause first, by corpus, over all models. "
        f"{_described(pandas.DataFrame([one.about for one in judged]))}.",
        "Of correctly predicted texts. csv has each model with its interval over texts and seeds, "
        "chance, and average precision.",
        shown,
    )


def _wrong_attention(table: pandas.DataFrame, output: Output) -> None:
    """Add a table of the scores of attention that was trained to look elsewhere, compared with plain models."""
    means = over_models(table[table["role"].isin((PLAIN, *WRONG))], ["score", "truth"], ["role"])
    shown = means[[*MEASURE, "role"]].copy()
    shown["measure"] = shown["measure"].str.replace("_", " ")
    for column in ("score", "truth"):
        shown[column] = estimates(means, column)
    shown["models"] = means["models"]
    output.table(
        "planted-truth-wrong-attention",
        means,
        "What measures of faithfulness say of attention that was trained to look elsewhere, next to "
        f"that of plain models. {_described(table)}.",
        "score: on the scale from chance (0) to the best possible (1); truth: average precision of the "
        "causes. A measure that puts such attention far above chance has failed, unless the model has "
        "come to use the words it attends to. Intervals (95 %) are over models.",
        shown,
    )


def _described(table: pandas.DataFrame) -> str:
    models = table[["corpus", "model"]].drop_duplicates()
    trained = table[KEYS].drop_duplicates()
    corpora = ", ".join(dict.fromkeys(models["corpus"]))
    return f"{len(models)} models on {corpora}, {len(trained)} trained"


PLANTED_TRUTH = Exhibition(
    "planted-truth",
    "Who measures the measures",
    (
        StudyExhibit("planted-truth-measures", truth_tables),
        StudyExhibit("planted-truth-verdicts", verdict_tables),
        StudyExhibit(CALIBRATION, calibration_table),
    ),
)
