"""Whatever labels, corpora and methods are called: figures are drawn, and the report reads them."""

import io
import warnings

import numpy
import pandas
import pytest

from analysis.agreement.entries import agreement_matrix
from analysis.figures import style
from analysis.figures.against import Line, against
from analysis.figures.densities import DensityPanel, densities
from analysis.figures.scatter import Scatter, Spot, scatters
from analysis.figures.violins import Violins, violins
from analysis.figures.zones import on_zones
from analysis.pages.svg import inlined
from analysis.papers.jain_wallace.other_attention import Found, found_histograms
from analysis.papers.neely_schouten.top_k import Mark, on_chance_bands
from analysis.papers.wiegreffe_pinter.adversary_plane import Plane, Points, planes
from analysis.papers.wiegreffe_pinter.three_attentions import Weighted, token_heatmaps
from analysis.written import Estimate

VALUES = numpy.linspace(0.1, 0.9, 9)
# Two that have it all; the third would not be in a legend.
NAMES = ["a\r\n\n\x0b\x00\u2028\x85\ufffeb $\\frac$", "$", "_--><script>"]
PART = (0.1, 0.2)
ZONES = [(0.0, 0.5, "no"), (0.5, 1.0, "yes")]


def spot(name):
    return Spot(name, name, 0.2, 0.3, PART, PART)


def drawn(kind, names):
    one = names[0]
    every = dict.fromkeys(names, VALUES)
    points = Points([0.1, 0.5], [0.2, 0.3], labels=names[:2])
    pair = {"mean": 0.5, "low": 0.4, "high": 0.6, "chance": False}
    pairs = pandas.DataFrame([{"first": one, "second": name, **pair} for name in names[1:]])
    line = Line([0.0, 1.0], [0.2, 0.3], [0.1, 0.2], [0.3, 0.4])
    return {
        "against": lambda: against({one: dict.fromkeys(names, line)}, one, one),
        "chance": lambda: on_chance_bands([Mark(one, n, n, 0.1, PART, PART) for n in names], one),
        "densities": lambda: densities([DensityPanel(one, every)], one),
        "found": lambda: found_histograms(
            [Found(one, every, dict.fromkeys(names, 1))], one, "-", 1
        ),
        "matrix": lambda: agreement_matrix(pairs, one),
        "plane": lambda: planes([Plane(one, dict.fromkeys(names, points))], one, one, 0.7),
        "scatter": lambda: scatters([Scatter(one, one, [*map(spot, names)])], 0.7),
        "tokens": lambda: token_heatmaps(
            [Weighted(names, {one: [0.1] * len(names)}, {one: names[1]})]
        ),
        "violins": lambda: violins([Violins(one, {n: {n: VALUES} for n in names})], one, one),
        "zones": lambda: on_zones([(n, Estimate(0.2, *PART)) for n in names], ZONES, one, one),
    }[kind]()


@pytest.mark.parametrize(
    "kind",
    [
        "against",
        "chance",
        "densities",
        "found",
        "matrix",
        "plane",
        "scatter",
        "tokens",
        "violins",
        "zones",
    ],
)
def test_every_figure_takes_every_name(kind):
    saved = io.BytesIO()
    with warnings.catch_warnings(), style.applied():
        # A sign that the font does not have is drawn as a box, and warned of.
        warnings.filterwarnings("error", message="Glyph")
        drawn(kind, NAMES).savefig(saved, format="svg")
    assert "<path" in inlined(saved.getvalue(), "one", "", kind)


def test_a_legend_has_the_names_that_begin_with_an_underscore():
    figure = drawn("densities", ["_hidden", "$a$"])
    (legend,) = figure.legends
    assert {text.get_text().strip() for text in legend.get_texts()} == {"_hidden", "$a$"}
