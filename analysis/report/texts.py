"""Heatmaps of a few texts of each model, with the reason why each is shown."""

from typing import List, Sequence

import numpy
import pyarrow

from analysis.attributions import Attributions
from analysis.models import Model
from analysis.report import chosen
from analysis.report.chosen import Chosen
from analysis.report.inputs import Input
from analysis.report.section import Anchors, Section, paragraph
from heatmaps.attribution_rows import explanations
from heatmaps.html_page import card, legend

TITLE = "Texts"
# So many models have their heatmaps; a page of all would be too large to send.
SHOWN_MODELS = 8

HEADINGS = {
    chosen.TYPICAL: "Typical: agreement nearest the median",
    chosen.DISPUTED: "Most disputed: lowest agreement",
    chosen.AGREED: "Least disputed: highest agreement",
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
    reference, others = chosen.compared(file)
    if not others:
        return paragraph(f"There is no other method to hold {reference} against.", "note")
    agreement, lengths = chosen.agreements(file), chosen.token_counts(file)
    picked = chosen.choose(agreement, lengths)
    if not picked:
        return paragraph("No text has a defined agreement, so none is chosen.", "note")
    return _why(reference, others, agreement, lengths) + "".join(
        f"<h4>{HEADINGS[kind]}</h4>\n" + _cards(file, [one for one in picked if one.kind == kind])
        for kind in dict.fromkeys(one.kind for one in picked)
    )


def _why(
    reference: str, others: List[str], agreement: numpy.ndarray, lengths: numpy.ndarray
) -> str:
    shortest, longest = chosen.usual_lengths(lengths)
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
