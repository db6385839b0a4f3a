"""
Heatmaps of a few texts of each model, with the reason why each is shown: typical ones, and those on
which attention stands most alone.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy
import pyarrow

from analysis.agreement.agreements import BY_MAGNITUDE, Pair
from analysis.agreement.agreements import compared as compared_by
from analysis.measures.kendall import Kendall
from analysis.models import Model
from analysis.pages.elements import Anchors, Section, paragraph
from analysis.report.provenance import Input
from analysis.text_files import Attributions, usual_lengths
from attention_explain.heatmaps.explanation import explanations
from attention_explain.heatmaps.html_page import card, legend

REFERENCE = "attention"
CONTROL = "random"

TYPICAL, DISPUTED, AGREED = "typical", "disputed", "agreed"
# How many texts of each kind, in the order in which they are taken.
NUMBERS = {TYPICAL: 2, DISPUTED: 2, AGREED: 1}


@dataclass(frozen=True)
class Chosen:
    """
    row : of the table of attributions.
    agreement : of the reference with the other methods, on average.
    kind : why the text was chosen.
    """

    row: int
    agreement: float
    kind: str


def compared(attributions: Attributions) -> tuple[str, list[str]]:
    """The method that is in question (attention, where there is any) and those it is compared with."""
    methods = attributions.methods
    reference = REFERENCE if REFERENCE in methods else methods[0]
    others = [name for name in methods if name != reference and not _is_control(attributions, name)]
    return reference, others


def agreements(attributions: Attributions) -> numpy.ndarray:
    """
    The mean over the other methods of the reference's agreement with each; NaN where it agrees or
    disagrees with none in a defined way. Like is compared with like. Shape: (texts,)
    """
    reference, others = compared(attributions)
    measure = Kendall()
    firsts = {
        by_magnitude: attributions.scores(reference, by_magnitude) for by_magnitude in (True, False)
    }
    values = []
    for name in others:
        by_magnitude = compared_by(attributions, Pair(reference, name)) == BY_MAGNITUDE
        values.append(measure(firsts[by_magnitude], attributions.scores(name, by_magnitude)).value)
    if not values:
        return numpy.full(len(attributions.table), numpy.nan)
    every = numpy.stack(values)
    count = (~numpy.isnan(every)).sum(axis=0)
    # Not `nanmean`, which warns of texts without any value.
    return numpy.where(count > 0, numpy.nansum(every, axis=0) / numpy.maximum(count, 1), numpy.nan)


def choose(agreement: numpy.ndarray, lengths: numpy.ndarray) -> list[Chosen]:
    """Texts of usual length: those nearest the median, then the lowest, then the highest."""
    shortest, longest = usual_lengths(lengths)
    usual = (lengths >= shortest) & (lengths <= longest) & ~numpy.isnan(agreement)
    left = numpy.flatnonzero(usual)
    if not len(left):
        return []
    middle = numpy.median(agreement[left])
    distances = {TYPICAL: numpy.abs(agreement - middle), DISPUTED: agreement, AGREED: -agreement}
    chosen: list[Chosen] = []
    for kind, number in NUMBERS.items():
        order = left[numpy.argsort(distances[kind][left], kind="stable")]
        chosen += [Chosen(int(row), float(agreement[row]), kind) for row in order[:number]]
        left = numpy.setdiff1d(left, order[:number])
    return chosen


def _is_control(attributions: Attributions, method: str) -> bool:
    parameters = attributions.metadata["interpreters"][method].get("parameters", {})
    return parameters.get("type", method) == CONTROL


TITLE = "Texts"
# The number of models that have their heatmaps; a page of all would be too large to send.
SHOWN_MODELS = 8

HEADINGS = {
    TYPICAL: "Typical: agreement nearest the median",
    DISPUTED: "Most disputed: lowest agreement",
    AGREED: "Least disputed: highest agreement",
}


def texts(models: Sequence[Model], inputs: Sequence[Input], anchors: Anchors) -> Section:
    """Of each model the first seed's, as far as its file is unchanged."""
    anchor = anchors.new(TITLE)
    shown = [
        Section(_title(model), anchors.new(TITLE, model.name), _heatmaps(model.files[0]))
        for model in models[:SHOWN_MODELS]
    ]
    html = missing(inputs)
    if len(models) > SHOWN_MODELS:
        html += paragraph(f"The first {SHOWN_MODELS} of {len(models)} models are shown.", "note")
    if shown:
        html += f"<div class=ae>{legend()}</div>\n"
    return Section(TITLE, anchor, html, shown)


def missing(inputs: Sequence[Input]) -> str:
    """A warning for each file that cannot be shown."""
    return "".join(
        paragraph(
            f"{each.path} {each.problem}: its model and its texts are left out of this report.",
            "warning",
        )
        for each in inputs
        if each.problem
    )


def _title(model: Model) -> str:
    return model.name + (f", seed {model.config.seed}" if len(model.files) > 1 else "")


def _heatmaps(file: Attributions) -> str:
    reference, others = compared(file)
    if not others:
        return paragraph(f"There is no other method to hold {reference} against.", "note")
    agreement, lengths = agreements(file), file.token_counts
    picked = choose(agreement, lengths)
    if not picked:
        return paragraph("No text has a defined agreement, so none is chosen.", "note")
    return _why(reference, others, agreement, lengths) + "".join(
        f"<h4>{HEADINGS[kind]}</h4>\n" + _cards(file, [one for one in picked if one.kind == kind])
        for kind in dict.fromkeys(one.kind for one in picked)
    )


def _why(
    reference: str, others: list[str], agreement: numpy.ndarray, lengths: numpy.ndarray
) -> str:
    shortest, longest = usual_lengths(lengths)
    usual = agreement[(lengths >= shortest) & (lengths <= longest)]
    return paragraph(
        f"Chosen by the mean of Kendall's tau-b of {reference} with {', '.join(others)}, among the "
        f"texts of usual length (the middle half: {shortest} to {longest} tokens). The median of "
        f"these {numpy.isfinite(usual).sum()} texts is {numpy.nanmedian(usual):.2f}."
    )


def _cards(file: Attributions, picked: Sequence[Chosen]) -> str:
    rows = file.table.iloc[[one.row for one in picked]]
    # Through Arrow, so that what is absent is None here as in the file itself.
    plain = pyarrow.Table.from_pandas(rows, preserve_index=False).to_pylist()
    cards = [
        f"<p class=agreement>Mean agreement {one.agreement:.2f}</p>\n{card(text, heading='h5')}"
        for one, text in zip(picked, explanations(plain, file.metadata), strict=True)
    ]
    return f"<div class=ae>\n{''.join(cards)}</div>\n"
