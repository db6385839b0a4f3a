"""Pruthi et al. 2020, "Learning to Deceive with Attention-Based Explanations"."""

import math
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
from analysis.papers.shared.paper import (
    Paper,
    StudyExhibit,
    declared_claims,
    declared_printed,
)
from analysis.papers.shared.published import OURS_SELECTED, about_config, as_printed, read_published
from analysis.papers.shared.study_files import StudyFiles
from analysis.runs import Run
from analysis.statistics.intervals import LEAST_SEEDS, student_interval
from analysis.written import Estimate, number

METRICS = {"accuracy": "accuracy", "impermissible_mass": "impermissible mass"}
# Accuracy at random: the paper's corpora have two classes of about the same size.
CHANCE = 0.5
MODEL = ["corpus", "model"]
TRAINED = [*MODEL, "protocol"]
NUMBERED = ["corpus", "encoder", "strength"]
# A column of what each seed reached, while the table is made.
VALUES = ["of seeds"]
DEV, BEST_ON_DEV = "dev accuracy", "best_validation_accuracy"
LOST, MOVED = "accuracy lost", "mass moved"
# Their scorer; their embedding model attends to word vectors directly.
SCORER, EMBEDDING = "linear", "pass_through"


@dataclass(frozen=True, kw_only=True)
class DeceptionRow(TableRow):
    """
    The seeds of one model.

    strength : strength of the penalty on attention to impermissible tokens.
    impermissible_mass : the share of attention on these tokens.
    sd_accuracy, sd_impermissible_mass : standard deviations between seeds.
    accuracy_lost, mass_moved : what the model of strength 0 has more, by pairs of one seed where `pairs` counts them.
    printed : whether it is a row of the paper, with numbers known up to their rounding.
    """

    strength: float
    accuracy: float
    impermissible_mass: float
    seeds: float = 1
    sd_accuracy: float = math.nan
    sd_impermissible_mass: float = math.nan
    accuracy_lost: float = math.nan
    sd_accuracy_lost: float = math.nan
    mass_moved: float = math.nan
    sd_mass_moved: float = math.nan
    pairs: float = 0
    printed: bool = False
    accuracy_low: float = math.nan
    accuracy_high: float = math.nan
    mass_low: float = math.nan
    mass_high: float = math.nan

    @property
    def accuracy_reached(self) -> Estimate:
        """Accuracy over seeds."""
        if self.printed:
            ends = (self.accuracy_low, self.accuracy_high)
            return Estimate(self.accuracy, *ends, printed=True)
        return over_seeds(self.accuracy, self.sd_accuracy, self.seeds)

    @property
    def mass(self) -> Estimate:
        """The share of attention on impermissible tokens over seeds."""
        if self.printed:
            return Estimate(self.impermissible_mass, self.mass_low, self.mass_high, printed=True)
        return over_seeds(self.impermissible_mass, self.sd_impermissible_mass, self.seeds)


PRINTED = declared_printed(__file__, {})
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
    lost = [_lost(row, table) for row in table.to_dict("records")]
    table = table.drop(columns=VALUES).join(pandas.DataFrame(lost))
    return _with_published(table)


def _lost(row: dict[str, Any], table: pandas.DataFrame) -> dict[str, float]:
    """What the model of strength 0 has more of accuracy and mass: by pairs of one seed, if each has one."""
    honest = table[
        (table["strength"] == 0) & (table[TRAINED] == [row[name] for name in TRAINED]).all(axis=1)
    ]
    if honest.empty:
        return {LOST: math.nan, MOVED: math.nan, "pairs": 0}
    (of_honest,) = honest[VALUES].iloc[0]
    shared = sorted(of_honest.keys() & row[VALUES[0]].keys())
    found: dict[str, float] = {"pairs": len(shared)}
    for name, title in ((LOST, "accuracy"), (MOVED, "impermissible mass")):
        less = [of_honest[seed][title] - row[VALUES[0]][seed][title] for seed in shared]
        unpaired = float(honest.iloc[0][title]) - row[title]
        found[name] = float(numpy.mean(less)) if less else unpaired
        found[f"sd {name}"] = float(numpy.std(less, ddof=1)) if len(less) > 1 else math.nan
    return found


def _with_published(table: pandas.DataFrame) -> pandas.DataFrame:
    """Joined with the numbers of the paper and of its reproduction by others, for models with linear attention."""
    theirs = published().pivot(index=NUMBERED, columns=["source", "quantity"], values="value")
    theirs.columns = [f"{source} {quantity}" for source, quantity in theirs.columns]
    joined = table.merge(theirs.reset_index(), how="left", on=NUMBERED)
    joined.loc[joined["attention"] != SCORER, list(theirs.columns)] = math.nan
    return joined


def published() -> pandas.DataFrame:
    """The published numbers as shares, one per row, with half of the range that rounding leaves."""
    table = read_published("pruthi/table3_classification")
    table = table[table["impermissible_tokens"] == "kept"].rename(columns={"lambda": "strength"})
    return table.assign(encoder=table["encoder"].replace("embedding", EMBEDDING))


def in_print() -> dict[str, pandas.DataFrame]:
    """The paper's rows as claims read them; an accuracy that is missing is not judged."""
    theirs = published().query("source == 'paper'")
    value, rounding = (
        theirs.pivot(index=NUMBERED, columns="quantity", values=name)
        for name in ("value", "rounding")
    )
    ends = {
        f"{name} {end}": value[title] + sign * rounding[title]
        for name, title in (("accuracy", "accuracy"), ("mass", "impermissible mass"))
        for end, sign in (("low", -1), ("high", 1))
    }
    return {DECEPTION.name: as_printed(value.assign(**ends, attention=SCORER).reset_index())}


def deception(study: StudyFiles, output: Output) -> str | None:
    """Add the table, a figure and one sentence per model. Nothing is left out."""
    table = rows_of(study)
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
        "which only measures, by pairs of one seed. Published: the paper's numbers, and those of a reproduction by "
        f"others (ReScience C, 2021). {OURS_SELECTED}",
        shown.dropna(axis="columns", how="all").drop(columns=["encoder", "attention"]),
    )
    output.figure(
        "pruthi-deception-figure",
        against(
            {
                ", ".join(key): {title: _line(rows, title) for title in METRICS.values()}
                for key, rows in table.groupby(_lines_of(table), sort=False)
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
    for position, row in enumerate(_most(table)):
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
    row[VALUES[0]] = {
        run.model.seed: {title: run.metric(metric) for metric, title in METRICS.items()}
        for run in runs
    }
    row[DEV] = float(numpy.mean([run.metrics.get(BEST_ON_DEV, numpy.nan) for run in runs]))
    return {**row, "seeds": len(runs), **about_config(config, "selected on")}


def _line(rows: pandas.DataFrame, title: str) -> Line:
    means, spread = rows[title], rows[f"sd {title}"].fillna(0)
    return Line(rows["strength"], means, means - spread, means + spread)


def _most(table: pandas.DataFrame) -> list[dict[str, Any]]:
    """The rows with the strongest penalty of each model."""
    return table.loc[table.groupby(TRAINED, sort=False)["strength"].idxmax()].to_dict("records")


def _lines_of(table: pandas.DataFrame) -> list[str]:
    """The columns that tell one line of the figure from the others."""
    return TRAINED if table.groupby(MODEL)["protocol"].nunique().max() > 1 else MODEL


def _about(table: pandas.DataFrame) -> str:
    return "; ".join(
        f"{corpus}: {model} ({int(rows['seeds'].sum())} runs)"
        for (corpus, model), rows in table.groupby(MODEL, sort=False)
    )


# The largest share of attention on impermissible tokens that counts as hidden: in print, .087 is the most.
HIDDEN = 0.1
# The largest loss of accuracy that counts as little.
LITTLE = 0.05


def strongest(tables: Tables) -> Iterator[tuple[DeceptionRow, DeceptionRow]]:
    """The honest model and the one with the strongest penalty, of each way of training."""
    for _, of_model in group_rows(tables.rows(DECEPTION), "corpus", "model", "protocol"):
        honest = first_where(of_model, strength=0)
        deceptive = max(of_model, key=lambda row: row.strength)
        if honest is not None and deceptive is not honest:
            yield honest, deceptive


def moves_mass(tables: Tables) -> Iterator[Judgement]:
    for honest, deceptive in strongest(tables):
        moved = over_seeds(deceptive.mass_moved, deceptive.sd_mass_moved, deceptive.pairs)
        paired = moved if deceptive.pairs >= LEAST_SEEDS else None
        words = f"mass that the honest model has more than {number(deceptive.impermissible_mass)}"
        yield Judgement.of(
            deceptive,
            below(f"at strength {deceptive.strength:g} mass", deceptive.mass, HIDDEN),
            above(words, honest.mass.minus(deceptive.mass, paired), HIDDEN),
        )


def costs_little(tables: Tables) -> Iterator[Judgement]:
    for honest, deceptive in strongest(tables):
        lost = accuracy_lost(honest, deceptive)
        if not math.isnan(lost.mean):
            yield Judgement.of(deceptive, below(_lost_of(honest), lost, LITTLE))


def costs_on_sst_wiki(tables: Tables) -> Iterator[Judgement]:
    for honest, deceptive in strongest(tables):
        lost = accuracy_lost(honest, deceptive)
        if not math.isnan(lost.mean):
            reached = deceptive.accuracy_reached
            yield Judgement.of(
                deceptive,
                above(_lost_of(honest), lost, LITTLE),
                above(f"at strength {deceptive.strength:g} accuracy", reached, CHANCE),
            )


def accuracy_lost(honest: DeceptionRow, deceptive: DeceptionRow) -> Estimate:
    """By pairs of one seed, if there are enough; two different models may well differ by exactly 0."""
    lost = over_seeds(deceptive.accuracy_lost, deceptive.sd_accuracy_lost, deceptive.pairs)
    paired = lost if deceptive.pairs >= LEAST_SEEDS else None
    return replace(
        honest.accuracy_reached.minus(deceptive.accuracy_reached, paired), difference=False
    )


def _lost_of(honest: DeceptionRow) -> str:
    return f"accuracy lost of {number(honest.accuracy)}"


def over_seeds(mean: float, deviation: float, seeds: float) -> Estimate:
    """The mean over trained models with Student's interval, which is unknown for fewer than three seeds."""
    ends = student_interval(mean, deviation, int(seeds))
    return Estimate(mean, *ends, df=seeds - 1 if seeds >= LEAST_SEEDS else math.nan, seeds=seeds)


CLAIMS = declared_claims(
    __file__,
    {
        "takes-attention-away": (DECEPTION, moves_mass),
        "at-little-cost": (DECEPTION, costs_little),
        "at-a-cost-on-sst-wiki": (DECEPTION, costs_on_sst_wiki),
    },
    {"CHANCE": CHANCE, "HIDDEN": HIDDEN, "LITTLE": LITTLE},
)


PAPER = Paper(
    "pruthi",
    "Pruthi et al. 2020",
    exhibits=(StudyExhibit(DECEPTION.name, deception),),
    claims=CLAIMS,
    printed=PRINTED,
    in_print=in_print,
    order=2,
)
