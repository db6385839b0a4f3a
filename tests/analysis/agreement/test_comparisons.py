"""Comparisons of pairs of methods and of models, on the same texts."""

import numpy
import pandas
import pytest

from analysis.agreement.agreements import Pair, agreements
from analysis.agreement.comparisons import paired_methods, paired_models, shown_comparisons
from analysis.measures import Measure
from analysis.models import models_of
from analysis.statistics.significance import SignFlips, holm
from analysis.text_files import load_attributions
from tests.analysis.attribution_files import config, random_rows, write_attributions

FLIPS = SignFlips(draws=999)
PAIRS = [
    Pair("attention", "gradient"),
    Pair("attention", "leave-one-out"),
    Pair("gradient", "leave-one-out"),
]


@pytest.fixture
def found(tmp_path):
    """Two seeds of a model whose methods agree well, and one of a model whose methods do less."""
    files = [
        load_attributions(write_attributions(tmp_path / f"{name}.parquet", rows, config=config))
        for name, rows, config in (
            ("one", random_rows(60, seed=1), config(1)),
            ("two", random_rows(60, seed=2), config(2)),
            ("noisy", random_rows(60, seed=3, noise=3.0), config(1, projection="sparsemax")),
        )
    ]
    measure = Measure.named("kendall")
    return [
        agreement
        for model in models_of(files)
        for agreement in agreements(model, PAIRS, [measure], draws=2)
    ]


def test_models_are_compared_for_every_pair(found):
    table = paired_models(found, FLIPS)
    assert table["pair"].tolist() == [str(pair) for pair in PAIRS]
    first, second = found[0].observed.value, found[3].observed.value
    assert table["difference"][0] == pytest.approx(numpy.nanmean(first) - numpy.nanmean(second))
    assert (table["low"] > 0).all() and (table["p"] < 0.001).all()
    assert (table["p Holm"] == holm(table["p"].to_numpy())).all()
    shown = shown_comparisons(table)
    assert shown["differ"].tolist() == ["yes"] * 3
    assert shown["p"].tolist() == ["< 0.001"] * 3


def test_pairs_with_a_method_in_common_are_compared_in_each_model(found):
    table = paired_methods(found, FLIPS)
    assert len(table) == 2 * 3 and table["model"].nunique() == 2
    row = table.iloc[0]
    assert (row["first pair"], row["second pair"]) == (str(PAIRS[0]), str(PAIRS[1]))
    differences = found[0].observed.value - found[1].observed.value
    assert row["difference"] == pytest.approx(numpy.nanmean(differences))
    # The methods are all equally noisy.
    assert (shown_comparisons(table)["differ"] == "no").all()


def test_pairs_without_a_method_in_common_answer_no_question(found):
    elsewhere = [agreement for agreement in found if agreement.pair == PAIRS[0]][:1]
    assert paired_methods(elsewhere, FLIPS).empty
    assert paired_models(elsewhere, FLIPS).empty


def test_attentions_comparisons_are_the_ones_shown(found):
    shown = shown_comparisons(paired_methods(found, FLIPS))
    assert len(shown) == 2
    assert all(
        "attention" in pair for name in ("first pair", "second pair") for pair in shown[name]
    )


def test_a_difference_that_seeds_do_not_bear_out_is_none():
    table = pandas.DataFrame(
        {
            "pair": ["a : b", "c : d"],
            "first mean": 0.5,
            "second mean": [0.4, 0.3],
            "difference": [0.1, 0.2],
            "low": [-0.1, 0.1],
            "high": [0.3, 0.3],
            "p": [0.0001, 0.0001],
            "texts": 9,
            "p Holm": [0.0002, 0.0002],
            **{f"scaled difference{end}": numpy.nan for end in ("", " low", " high")},
        }
    )
    shown = shown_comparisons(table)
    assert shown["pair"].tolist() == ["c : d", "a : b"]
    assert shown["differ"].tolist() == ["yes", "no"]


def test_a_pair_is_not_the_nearer_for_having_fewer_ties(tmp_path):
    """Attention is 0 but at the two tokens that the gradient has highest: it cannot be nearer."""
    rows = random_rows(60)
    for row in rows:
        order = numpy.argsort(row["gradient"])
        row["attention"] = numpy.where(numpy.isin(range(len(order)), order[-2:]), 0.5, 0.0).tolist()
    (model,) = models_of([load_attributions(write_attributions(tmp_path / "a.parquet", rows))])
    pairs = [PAIRS[0], PAIRS[2]]
    table = paired_methods(agreements(model, pairs, [Measure.named("kendall")], draws=2), FLIPS)
    (row,) = table.to_dict("records")
    assert row["high"] < 0 and row["p Holm"] < 0.05
    assert row["scaled difference low"] > 0
    shown = shown_comparisons(table)
    assert shown["differ"].tolist() == ["no"] and "scaled difference [95 %]" in shown
