"""Supporting facts: whether methods find the facts that an answer rests on, where these are known."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy
import pandas

from analysis.errors import AnalysisError
from analysis.faithfulness.scale import Measured, measured
from analysis.figures.dots import Dot, dots
from analysis.models import Model
from analysis.output import Output, slug
from analysis.papers.jain_wallace.correlations import accuracy_table
from analysis.papers.shared.paper import Exhibition, StudyExhibit
from analysis.papers.shared.published import about
from analysis.papers.shared.study_files import StudyFiles, describe
from analysis.performance import NOTHING, guessed
from analysis.plausibility.measures import measures
from analysis.plausibility.table import values_by_text
from analysis.statistics.intervals import ABOUT_INTERVALS, Intervals, intervals, mean_of_known
from analysis.statistics.samples import rescale
from analysis.written import NONE, Estimate, estimates, number

MASS, LIFT, ABOVE, PRECISION = "mass", "lift", "above chance", "average precision"
MASS_SCORE = "mass score"
FAITHFUL = ("comprehensiveness", "sufficiency")
NOT_JUDGED = {
    "judged texts": 0,
    **{f"{name}{end}": numpy.nan for name in FAITHFUL for end in ("", " low", " high")},
}


def with_known_causes(study: StudyFiles) -> list[tuple[Model, Model | None]]:
    """Models of texts with known causes, each with its faithfulness files, if any."""
    judged = {_weights(model): model for model in study.judged}
    return [
        (model, judged.get(_weights(model)))
        for model in study.models
        if all(file.has_known_causes for file in model.files)
    ]


def _weights(model: Model) -> frozenset[str | None]:
    return frozenset(file.learned for file in model.files)


def facts_table(pairs: Sequence[tuple[Model, Model | None]]) -> pandas.DataFrame:
    """One row per model and method."""
    rows: list[dict[str, Any]] = []
    models = [explained for explained, _ in pairs]
    accurate = accuracy_table(models).to_dict("records")
    for (explained, judged), row in zip(pairs, accurate, strict=True):
        guess = guessed(explained.files[0])
        about_model = {
            **about(explained),
            "seeds": row["seeds"],
            **Estimate.of(row).columns("accuracy"),
            "published accuracy": row["published"],
            "guess": numpy.nan if guess is None else float(guess.mean()),
        }
        rows += [{**about_model, **of_method} for of_method in method_rows(explained, judged)]
    return pandas.DataFrame(rows)


def method_rows(explained: Model, judged: Model | None = None) -> list[dict[str, Any]]:
    """One row per method, without scores for methods that have none, such as the random control."""
    methods = explained.files[0].methods
    of_name = {each.name: each for each in measures()}
    mass, chance = values_by_text(explained, of_name["mass"])
    precision, precision_chance = values_by_text(explained, of_name["average-precision"])
    columns = {
        MASS: intervals(mass).of_shares(),
        ABOVE: intervals(mass - chance),
        LIFT: intervals(rescale(mass, numpy.zeros_like(mass), chance)),
        MASS_SCORE: intervals(rescale(mass, chance, numpy.ones_like(mass))),
        PRECISION: intervals(precision).of_shares(),
    }
    scores = {} if judged is None else _scores(judged, methods)
    return [
        {
            "method": method,
            "texts": int((~numpy.isnan(mass[position])).any(axis=0).sum()),
            **_estimated(columns, position),
            "chance": float(mean_of_known(chance[position], (0, 1))),
            f"{PRECISION} chance": float(mean_of_known(precision_chance[position], (0, 1))),
            **scores.get(method, NOT_JUDGED),
        }
        for position, method in enumerate(methods)
    ]


def _estimated(columns: Mapping[str, Intervals], position: int) -> dict[str, float]:
    """The columns of one method, in the format of `Estimate.of`."""
    row: dict[str, float] = {}
    for name, each in columns.items():
        mean, low, high = (float(ends[position]) for ends in (each.mean, each.low, each.high))
        row |= Estimate(mean, low, high).columns(name)
    return row


def _scores(judged: Model, methods: Sequence[str]) -> dict[str, dict[str, Any]]:
    """By method, its score by each measure, for the first removal method of the files."""
    by_name: dict[str, Measured] = {}
    for each in measured(judged):
        if each.measure.name in FAITHFUL and each.measure.k is None and each.has_scale:
            by_name.setdefault(each.measure.name, each)
    if not by_name:
        raise AnalysisError(f"{judged.files[0].path}: has no {' or '.join(FAITHFUL)} on the scale")
    scores: dict[str, dict[str, Any]] = {}
    for name, each in by_name.items():
        of_both = [method for method in methods if method in each.methods]
        columns = {name: each.scores(of_both)}
        for position, method in enumerate(of_both):
            row = scores.setdefault(
                method, {**NOT_JUDGED, "judged texts": len(judged.files[0].ids)}
            )
            row.update(_estimated(columns, position))
    return scores


NAME = "supporting-facts"
ATTENTION = "attention"
KEYS = ["corpus", "model"]
NOT_KNOWN = Estimate(numpy.nan, numpy.nan, numpy.nan)
# The series of the figure, all from chance (0) to the best possible (1).
SERIES = {MASS_SCORE: "mass on the facts", **{name: name for name in FAITHFUL}}
NOTE = (
    "Facts: the tokens that the label was made from. Mass: the share of the scores' sizes that is on "
    "them; chance: their share of the tokens; lift: the one over the other, as a ratio of means; of questions that "
    "are answered correctly (texts), for which alone the facts are what the answer rests on. "
    f"{PRECISION.capitalize()}: of the facts in the order of the scores, with its own chance. "
    f"{' and '.join(FAITHFUL).capitalize()}: the faithfulness score between a random order of words (0) and the best "
    "that a search found (1), of the texts that were judged, however they are answered. Guess: the accuracy of who takes any of the labels "
    f"that the text allows. {ABOUT_INTERVALS}"
)


def facts_exhibit(study: StudyFiles, output: Output) -> str | None:
    """Add the table, a figure with all scores on one axis, and one sentence per model."""
    pairs = with_known_causes(study)
    if not pairs:
        raise AnalysisError(
            "it takes attribution files of texts whose causes are known (bAbI, planted), and there are none"
        )
    table = facts_table(pairs)
    models = describe([explained for explained, _ in pairs])
    output.table(
        NAME,
        table,
        f"Do methods point to the facts that an answer rests on, and are they true to the model? {models}.",
        NOTE,
        _shown(table),
    )
    learned = table[table[NOTHING] == ""]
    if len(learned):
        output.figure(
            f"{NAME}-scale",
            dots(_dots(learned), "from chance to the best"),
            "How much of each method's mass is on the facts (best: all of it), and how true its scores are to the "
            f"model (best: the best order of words that a search found). {models}.",
            NOTE,
        )
    for (corpus, model), rows in table.groupby(KEYS, sort=False):
        output.sentence(slug(NAME, corpus, model), _finding(rows))
    return None


def _shown(table: pandas.DataFrame) -> pandas.DataFrame:
    """The table as people read it; a model that has learned nothing has a single row, which says so."""
    table = table[(table[NOTHING] == "") | ~table.duplicated(KEYS)]
    learned = (table[NOTHING] == "").to_numpy()
    shown = table[KEYS].copy()
    shown["accuracy [95 %]"] = estimates(table, "accuracy")
    for name in ("published accuracy", "guess"):
        if table[name].notna().any():
            shown[name] = table[name]
    shown["method"] = table["method"].where(learned, NONE)
    for name in (MASS, "chance", LIFT, PRECISION, f"{PRECISION} chance", *FAITHFUL):
        plain = f"{name} low" not in table
        column = list(table[name]) if plain else estimates(table, name)
        without = numpy.nan if plain else NOT_KNOWN
        title = name if plain else f"{name} [95 %]"
        shown[title] = [one if some else without for one, some in zip(column, learned, strict=True)]
    for name in ("texts", "judged texts"):
        shown[name] = table[name].where(learned, 0).astype(int)
    if not learned.all():
        shown[NOTHING] = table[NOTHING]
    return shown.reset_index(drop=True)


def _dots(table: pandas.DataFrame) -> list[Dot]:
    return [
        Dot(f"{row['corpus']}, {row['model']}", row["method"], series, Estimate.of(row, name))
        for row in table.to_dict("records")
        for name, series in SERIES.items()
    ]


def _finding(rows: pandas.DataFrame) -> str:
    """A sentence on one model: how much attention is on the facts, and which method has most on them."""
    first = rows.iloc[0]
    published = first["published accuracy"]
    their = "" if numpy.isnan(published) else f"; published: {number(published)}"
    opening = f"{first['model']} on {first['corpus']} (accuracy {Estimate.of(first, 'accuracy')}{their}): "
    if first[NOTHING]:
        return f"{opening}{NOTHING}: {first[NOTHING]}."
    most = rows.loc[rows[MASS].idxmax()]
    chance = number(first["chance"])
    attention = rows[rows["method"] == ATTENTION]
    if not len(attention):
        return f"{opening}{most['method']} has most of its mass on the facts, {Estimate.of(most, MASS)}; chance has {chance}."
    row = attention.iloc[0]
    said = f"attention {_pointing(row)}: {Estimate.of(row, MASS)} of its mass is on them; chance has {chance}"
    if most["method"] != ATTENTION:
        said += f"; {most['method']} has most, {Estimate.of(most, MASS)}"
    known = [
        f"{Estimate.of(row, name)} by {name}" for name in FAITHFUL if not numpy.isnan(row[name])
    ]
    if known:
        said += f"; from chance (0) to the best order of words (1) attention comes to {' and '.join(known)}"
    return f"{opening}{said}."


def _pointing(row: Mapping[str, Any]) -> str:
    above = Estimate.of(row, ABOVE).interval
    if above.known and above.low > 0:
        return "points to the facts"
    return (
        "points away from the facts"
        if above.known and above.high < 0
        else "points to the facts no more than chance"
    )


SUPPORTING_FACTS = Exhibition(NAME, "Supporting facts", (StudyExhibit(NAME, facts_exhibit),))
