"""What the plausibility command leaves in its folder."""

from typing import Sequence

import pandas

from analysis.models import Model
from analysis.output import Output
from analysis.plausibility.measures import PlausibilityMeasure
from analysis.plausibility.spans import DRAWS
from analysis.plausibility.table import ABOVE, ONE, OTHERS, plausibility_table, shown_plausibility
from analysis.statistics.intervals import ABOUT_INTERVALS
from analysis.written import number

NOT_FAITHFUL = (
    "Plausible is not faithful: these numbers say how near a method comes to what people would go by, "
    "and nothing about what the model goes by."
)
# The one that sentences are about: of the whole order, and without a length to choose.
MEASURE = "average-precision"


def add_entries(
    output: Output,
    models: Sequence[Model],
    measures: Sequence[PlausibilityMeasure],
    absolute: bool = False,
    all_texts: bool = False,
) -> pandas.DataFrame:
    """Returns the table."""
    table = plausibility_table(models, measures, absolute, all_texts)
    about = "; ".join(
        f"{model.name}, {len(model.files)} seed{'s' if len(model.files) > 1 else ''}"
        for model in models
    )
    caption = f"Plausibility: {models[0].config.corpus}, {table['texts'].max()} texts; {about}."
    output.table(
        "plausibility", table, caption, _note(absolute, all_texts), shown_plausibility(table)
    )
    for place, sentence in enumerate(_sentences(table), 1):
        output.sentence(f"plausibility-{place}", sentence)
    return table


def _sentences(table: pandas.DataFrame) -> Sequence[str]:
    """Of each model, which methods cannot be told from chance."""
    sentences = []
    known = table[(table["measure"] == MEASURE) & table["mean"].notna()]
    for model, rows in known.groupby("model", sort=False):
        # An interval that is not known has told nothing, either.
        blind = rows[~(rows[f"{ABOVE} low"] > 0)]["method"].tolist()
        nearest = rows.loc[rows["mean"].idxmax()]
        one, others = nearest[ONE], nearest[OTHERS]
        beside = (
            ""
            if pandas.isna(one)
            else f", where one annotator gets {number(one)} for another and all others together "
            f"{number(others)}"
        )
        sentence = (
            f"{model}: by {MEASURE}, {nearest['method']} is nearest to what people marked, "
            f"{number(nearest['mean'])} (chance {number(nearest['chance'])}){beside}"
        )
        if blind:
            sentence += f"; no better than chance: {', '.join(blind)}"
        sentences.append(f"{sentence}.")
    return [*sentences, NOT_FAITHFUL]


def _note(absolute: bool, all_texts: bool) -> str:
    texts = (
        "All texts that somebody has marked."
        if all_texts
        else "Texts that somebody has marked and whose explained class is the gold one."
    )
    signs = "the size of its score" if absolute else "its score (signed ones as they are)"
    return (
        f"{ABOUT_INTERVALS} {texts} A method is held against each annotator of a text alone, and the "
        f"mean taken. Tokens are ordered by {signs}; tied ones are in each order with the same "
        "probability. token-f1, iou-f1: of as many first tokens as are marked, or of a share of the "
        "text, as tokens or as spans that have half in common; auprc, average-precision: of the whole "
        "order; first-marked: place of the first marked token, the lower the better. chance: scores "
        f"that say nothing, on the same texts (exact; iou-f1 over {DRAWS} draws). {ONE}: what the "
        "measure gives one annotator as a method for another, with as many tokens as that one has marked; "
        f"{OTHERS}: what it gives the share of all others who marked a token; both on texts that several "
        "have marked. Measured and chance are means over texts, so that long ones "
        f"do not count more. {NOT_FAITHFUL}"
    )
