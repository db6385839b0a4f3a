"""
How near methods come to what people have marked as the reason of a label, compared with chance and next to
how near people come to each other. A plausible explanation need not be true to the model. Files
whose configs differ only in their seeds are seeds of one model; all files have to be about the same
texts.
"""

import argparse
from collections.abc import Sequence
from pathlib import Path

import pandas

from analysis.formats import say, show
from analysis.models import Model, check_same_texts, models_of
from analysis.output import Output
from analysis.plausibility.measures import SHARES, PlausibilityMeasure, measures
from analysis.plausibility.spans import DRAWS
from analysis.plausibility.table import ABOVE, ONE, OTHERS, plausibility_table, shown_plausibility
from analysis.statistics.intervals import ABOUT_INTERVALS
from analysis.text_files import load_attributions
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
    for position, sentence in enumerate(_sentences(table), 1):
        output.sentence(f"plausibility-{position}", sentence)
    return table


def _sentences(table: pandas.DataFrame) -> Sequence[str]:
    """Of each model, which methods cannot be distinguished from chance."""
    sentences = []
    known = table[(table["measure"] == MEASURE) & table["mean"].notna()]
    for model, rows in known.groupby("model", sort=False):
        # An interval that is not known has told nothing, either.
        blind = rows[~(rows[f"{ABOVE} low"] > 0)]["method"].tolist()
        nearest = rows.loc[rows["mean"].idxmax()]
        one, others = nearest[ONE], nearest[OTHERS]
        people = (
            ""
            if pandas.isna(one)
            else f", where one annotator gets {number(one)} for another and all others together "
            f"{number(others)}"
        )
        sentence = (
            f"{model}: by {MEASURE}, {nearest['method']} is nearest to what people marked, "
            f"{number(nearest['mean'])} (chance {number(nearest['chance'])}){people}"
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
        f"{ABOUT_INTERVALS} {texts} A method is compared with each annotator of a text alone, and the "
        f"mean taken. Tokens are ordered by {signs}; tied ones are in each order with the same "
        "probability. token-f1, iou-f1: of as many first tokens as are marked, or of a share of the "
        "text, as tokens or as spans that have half in common; auprc, average-precision: of the whole "
        "order; first-marked: position of the first marked token, the lower the better. chance: scores "
        f"that say nothing, on the same texts (exact; iou-f1 over {DRAWS} draws). {ONE}: what the "
        "measure gives one annotator as a method for another, with as many tokens as that one has marked; "
        f"{OTHERS}: what it gives the share of all others who marked a token; both on texts that several "
        "have marked. Measured and chance are means over texts, so that long ones "
        f"do not count more. {NOT_FAITHFUL}"
    )


HELP = (
    "how near methods come to what people have marked, compared with chance and people themselves"
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("files", nargs="+", type=Path, metavar="FILE", help="attribution files")
    add("-o", "--output", type=Path, required=True, metavar="DIR", help="the folder to write into")
    add(
        "--shares",
        nargs="+",
        type=_share,
        default=list(SHARES),
        metavar="SHARE",
        help="of a text, next to the length of the rationale: how many first tokens are a guess of "
        f"it (default: {' '.join(map(str, SHARES))})",
    )
    add("--absolute", action="store_true", help="order tokens by the sizes of signed scores")
    add(
        "--all-texts",
        action="store_true",
        help="also those whose explained class is not the gold one, for which people have marked",
    )


def run(arguments: argparse.Namespace) -> None:
    output = Output(arguments.output, section="plausibility")
    output.check()
    files = [load_attributions(path) for path in arguments.files]
    models = models_of(files)
    check_same_texts(files)
    chosen = measures(list(dict.fromkeys(arguments.shares)))
    table = add_entries(output, models, chosen, arguments.absolute, arguments.all_texts)
    parameters = {name: getattr(arguments, name) for name in ("shares", "absolute", "all_texts")}
    output.finish(arguments.command, files, parameters)
    show(shown_plausibility(table))
    for entry in output.entries:
        if entry["kind"] == "sentence":
            print()
            say(entry["caption"])
    print(f"\nwritten to {arguments.output}")


def _share(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if not 0 < value <= 1:
        raise argparse.ArgumentTypeError(f"has to lie between 0 and 1, not {text}")
    return value
