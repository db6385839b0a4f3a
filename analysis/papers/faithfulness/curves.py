"""What is left of the class when words go, or come, in the order of the scores: curves with bands."""

from typing import Dict, List, Sequence

import numpy

from analysis.faithfulness.files import FaithfulnessFile, FaithfulnessMeasure
from analysis.figures.bands import Band, BandPanel, bands
from analysis.models import Model
from analysis.output import Output, slug
from analysis.papers.shared.study_files import described
from analysis.statistics.intervals import ABOUT_INTERVALS, intervals
from attention_explain.files.faithfulness import RANDOM, SEARCH

CURVES = {"deletion_curve": "share of words deleted", "insertion_curve": "share of words inserted"}
# Texts are of different lengths: their curves are read at these shares.
SHARES = numpy.linspace(0, 1, 21)


def curves_of(model: Model, measure: FaithfulnessMeasure) -> Dict[str, numpy.ndarray]:
    """By method, at the shares; NaN of texts without a curve. Shape: (shares, seeds, texts)"""
    first: FaithfulnessFile = model.files[0]
    methods = list(dict.fromkeys(first.by_measure[measure]["method"]))
    positions = {text: position for position, text in enumerate(first.ids)}
    shape = (len(SHARES), len(model.files), len(positions))
    by_method = {method: numpy.full(shape, numpy.nan) for method in methods}
    for seed, file in enumerate(model.files):
        for method, rows in file.by_measure[measure].groupby("method"):
            for text, curve in zip(rows["id"], rows["curve"], strict=True):
                if curve is not None and len(curve) > 1:
                    at = numpy.linspace(0, 1, len(curve))
                    by_method[method][:, seed, positions[text]] = numpy.interp(SHARES, at, curve)
    return by_method


def curve_figures(models: Sequence[Model], output: Output) -> None:
    """One figure per kind of curve and erasure, one panel per model."""
    measures = dict.fromkeys(
        measure
        for model in models
        for measure in model.files[0].by_measure
        if measure.name in CURVES and measure.k is None
    )
    for measure in measures:
        having = [model for model in models if measure in model.files[0].by_measure]
        panels = [_panel(model, measure) for model in having]
        output.figure(
            slug("faithfulness", measure.name, measure.removal),
            bands(panels, CURVES[measure.name], "probability of the class"),
            f"The probability of the explained class by the {CURVES[measure.name]} in the order of each "
            f"method's scores (`{measure.removal}`). {described(having)}.",
            f"Between the words of a text the curve is drawn straight. Bands: {ABOUT_INTERVALS}",
        )


def _panel(model: Model, measure: FaithfulnessMeasure) -> BandPanel:
    bands_of: List[Band] = []
    of_model = curves_of(model, measure)
    for method in sorted(of_model, key=lambda name: name in (RANDOM, SEARCH)):
        spread = intervals(of_model[method])
        if numpy.isnan(spread.mean).all():
            # The search finds a set for each number of words, which are no order: it has no curve.
            continue
        bands_of.append(
            Band(method, SHARES, spread.mean, spread.low, spread.high, method in (RANDOM, SEARCH))
        )
    return BandPanel(f"{model.config.corpus}, {model.name}", bands_of)
