"""Pruthi et al. 2020, "Learning to Deceive with Attention-Based Explanations"."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy
import pandas

from analysis.claims.claim import Judgement, above, below
from analysis.claims.table_rows import TableRow, Tables, TypedTable, first_where, group_rows
from analysis.errors import AnalysisError
from analysis.figures.against import Line, against
from analysis.model_config import DECEPTIVE
from analysis.output import Output
from analysis.papers.shared.paper import Paper, StudyExhibit, declared_claims
from analysis.papers.shared.published import OURS_SELECTED, about_config
from analysis.papers.shared.study_files import StudyFiles
from analysis.runs import Run
from analysis.statistics.intervals import student_interval
from analysis.written import Estimate, number

METRICS = {"accuracy": "accuracy", "impermissible_mass": "impermissible mass"}
# Accuracy at random: the paper's corpora have two classes of about the same size.
CHANCE = 0.5
MODEL = ["corpus", "model"]
TRAINED = [*MODEL, "protocol"]
DEV, BEST_ON_DEV = "dev accuracy", "best_validation_accuracy"
YES = "yes"


@dataclass(frozen=True, kw_only=True)
class DeceptionRow(TableRow):
    """
    The seeds of one model.

    strength : strength of the penalty on attention to impermissible tokens.
    impermissible_mass : the share of attention on these tokens.
    sd_accuracy, sd_impermissible_mass : standard deviations between seeds.
    chosen : whether the honest model of this protocol does best on dev among the protocols of the model.
    """

    strength: float
    accuracy: float
    sd_accuracy: float
    impermissible_mass: float
    sd_impermissible_mass: float
    seeds: int
    chosen: str = YES


DECEPTION = TypedTable("pruthi-deception", DeceptionRow)


def rows_of(study: StudyFiles) -> pandas.DataFrame:
    """One row per model and strength, over its seeds; raises if there is no deceptive run."""
    runs: dict[str, list[Run]] = {}
    for run in study.runs:
        if run.model.role == DECEPTIVE:
            runs.setdefault(run.model.without_seeds, []).append(run)
    if not runs:
        raise AnalysisError(
            "it takes run folders of models trained with the callback `deceptive_attention`"
        )
    table = pandas.DataFrame([_row(seeds) for seeds in runs.values()])
    table = table.sort_values([*TRAINED, "strength"], kind="stable", ignore_index=True)
    honest = table[table["strength"] == 0].set_index(TRAINED)[["accuracy", DEV]]
    honest = honest[~honest.index.duplicated()].add_prefix("honest ")
    table = table.join(honest, on=TRAINED)
    lost = table.pop("honest accuracy") - table["accuracy"]
    return table.assign(**{"accuracy lost": lost, "chosen": _chosen(table)})


def _chosen(table: pandas.DataFrame) -> pandas.Series:
    """Protocols chosen by the honest model's accuracy on dev; the first by name among equals."""
    on_dev = table.pop(f"honest {DEV}")
    models = [table[name] for name in MODEL]
    best = on_dev == on_dev.groupby(models).transform("max")
    first = table["protocol"].where(best).groupby(models).transform("first")
    ways = table.groupby(MODEL)["protocol"].transform("nunique")
    return ((table["protocol"] == first) | (ways == 1)).map({True: YES, False: "no"})


def deception(study: StudyFiles, output: Output) -> str | None:
    """Add the table, a figure and one sentence per model. Nothing is left out."""
    table = rows_of(study)
    chosen = table[table["chosen"] == YES]
    shown = table.assign(strength=table["strength"].map("{:g}".format))
    caption = (
        "Accuracy, and the share of attention on impermissible tokens, by the strength of the "
        f"penalty on it (Pruthi et al. 2020). {_about(table)}."
    )
    output.table(
        DECEPTION.name,
        table,
        caption,
        "As the training runs report them, on the test split where there is one; several seeds "
        "are averaged, with the deviation between them. Accuracy lost: against strength 0, "
        "which only measures. Of several ways of training, that is chosen whose honest model does best on dev; "
        f"the others are shown for comparison, and the figure is of the chosen one. {OURS_SELECTED}",
        shown.dropna(axis="columns", how="all").drop(columns=["encoder", "attention"]),
    )
    output.figure(
        "pruthi-deception-figure",
        against(
            {
                ", ".join(key): {title: _line(rows, title) for title in METRICS.values()}
                for key, rows in chosen.groupby(MODEL, sort=False)
            },
            "strength of the penalty",
            "share",
            chance=CHANCE,
        ),
        caption,
        "Where the mass falls and accuracy does not, attention hides what the model uses. Lines at "
        "the points, where there are several seeds: one standard deviation of these. Grey: accuracy by "
        "chance, of two classes of about the same size.",
    )
    for position, row in enumerate(_most(chosen)):
        output.sentence(
            f"pruthi-deception-{position}",
            f"{row['corpus']}, {row['model']}: with a penalty of strength {row['strength']:g}, "
            f"{100 * row['impermissible mass']:.1f} % of attention is on impermissible tokens, and "
            f"accuracy is {number(row['accuracy'])}.",
        )
    return None


def _row(runs: list[Run]) -> dict[str, Any]:
    config = runs[0].model
    row: dict[str, Any] = {
        "corpus": config.corpus,
        "model": " ".join((config.encoder, config.attention, config.projection)),
        **about_config(config, "encoder", "attention", "protocol", "strength"),
    }
    for metric, title in METRICS.items():
        values = [run.metric(metric) for run in runs]
        row[title] = float(numpy.mean(values))
        row[f"sd {title}"] = float(numpy.std(values, ddof=1)) if len(values) > 1 else numpy.nan
    row[DEV] = float(numpy.mean([run.metrics.get(BEST_ON_DEV, numpy.nan) for run in runs]))
    return {**row, "seeds": len(runs), **about_config(config, "selected on")}


def _line(rows: pandas.DataFrame, title: str) -> Line:
    means, spread = rows[title], rows[f"sd {title}"].fillna(0)
    return Line(rows["strength"], means, means - spread, means + spread)


def _most(table: pandas.DataFrame) -> list[dict[str, Any]]:
    """The rows with the strongest penalty of each model."""
    return table.loc[table.groupby(MODEL, sort=False)["strength"].idxmax()].to_dict("records")


def _about(table: pandas.DataFrame) -> str:
    return "; ".join(
        f"{corpus}: {model} ({int(rows['seeds'].sum())} runs)"
        for (corpus, model), rows in table.groupby(MODEL, sort=False)
    )


# The largest share of attention on impermissible tokens that counts as hidden.
HIDDEN = 0.05
# The largest loss of accuracy that counts as little.
LITTLE = 0.05


def hides_what_it_uses(tables: Tables) -> Iterator[Judgement]:
    rows = tables.rows(DECEPTION, chosen=YES)
    for _, of_model in group_rows(rows, "corpus", "model", "protocol"):
        honest = first_where(of_model, strength=0)
        deceptive = max(of_model, key=lambda row: row.strength)
        if honest is None or deceptive is honest:
            continue
        accuracy, reached = (
            over_seeds(row.accuracy, row.sd_accuracy, row.seeds) for row in (honest, deceptive)
        )
        had, mass = (
            over_seeds(row.impermissible_mass, row.sd_impermissible_mass, row.seeds)
            for row in (honest, deceptive)
        )
        # Two different models: a difference of exactly 0 is possible.
        lost = replace(accuracy.minus(reached), difference=False)
        yield Judgement.of(
            deceptive,
            below(f"at strength {deceptive.strength:g} mass", mass, HIDDEN),
            below(f"accuracy lost of {number(honest.accuracy)}", lost, LITTLE),
            above("accuracy", reached, CHANCE),
            above("mass that the honest model has more", had.minus(mass), HIDDEN),
        )


def over_seeds(mean: float, deviation: float, seeds: int) -> Estimate:
    """The mean over trained models with Student's interval, which is unknown for one seed."""
    return Estimate(mean, *student_interval(mean, deviation, int(seeds)))


CLAIMS = declared_claims(
    __file__,
    {"hides-what-it-uses": (DECEPTION, hides_what_it_uses)},
    {"CHANCE": CHANCE, "HIDDEN": HIDDEN, "LITTLE": LITTLE},
)


PAPER = Paper(
    "pruthi",
    "Pruthi et al. 2020",
    exhibits=(StudyExhibit(DECEPTION.name, deception),),
    claims=CLAIMS,
    order=2,
)
