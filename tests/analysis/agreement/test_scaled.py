"""Where an agreement lies between chance and ceiling, and how sure that is."""

import numpy
import pytest

from analysis.agreement.agreement_table import agreement_table, shown_agreements
from analysis.agreement.agreements import agreements
from analysis.agreement.entries import instances
from analysis.measures import Measure
from analysis.models import models_of
from analysis.statistics.samples import rescale
from analysis.text_files import load_attributions
from tests.analysis.agreement.test_agreements import KENDALL, PAIR
from tests.analysis.attribution_files import random_rows, write_attributions


def sparse_model(folder, texts=60):
    """Attention at two tokens, those that the gradient has highest, and 0 elsewhere."""
    rows = random_rows(texts, longest=25)
    for row in rows:
        order = numpy.argsort(row["gradient"])
        attention = numpy.zeros(len(order))
        attention[order[-2:]] = [0.3, 0.7]
        row["attention"] = attention.tolist()
    (model,) = models_of([load_attributions(write_attributions(folder / "a.parquet", rows))])
    return model


def test_the_mean_of_the_numbers_is_the_scaled_mean():
    generator = numpy.random.default_rng(0)
    value, chance, ceiling = generator.random((3, 2, 3, 50))
    ceiling += 1
    value[1, 2, 7] = numpy.nan
    for found, *parts in zip(rescale(value, chance, ceiling), value, chance, ceiling):
        known = ~numpy.isnan(parts[0])
        of_value, of_chance, of_ceiling = (part[known].mean() for part in parts)
        assert numpy.nanmean(found) == pytest.approx(
            (of_value - of_chance) / (of_ceiling - of_chance)
        )
        assert numpy.isnan(found[~known]).all()


def test_the_spread_of_the_numbers_is_that_of_the_scaled_mean():
    """Against the ratio of means of texts drawn again and again."""
    generator = numpy.random.default_rng(1)
    room = generator.random(400) + 0.2
    value = room * generator.normal(0.6, 0.3, 400)
    zeros = numpy.zeros((1, 400))
    error = rescale(value[None], zeros, room[None]).std() / 20
    drawn = generator.integers(400, size=(4000, 400))
    expected = (value[drawn].mean(axis=1) / room[drawn].mean(axis=1)).std()
    assert error == pytest.approx(expected, rel=0.1)


def test_without_room_there_is_no_scaled_value():
    ones = numpy.ones((1, 5))
    assert numpy.isnan(rescale(ones, ones, ones)).all()


def test_scores_as_good_as_ties_allow_are_at_the_ceiling(tmp_path):
    (found,) = agreements(sparse_model(tmp_path), [PAIR], [KENDALL], draws=3)
    row = agreement_table([found], "none").iloc[0]
    lengths = found.model.files[0].table["tokens"].map(len)
    # The first ties all but the pairs with one of two tokens.
    expected = numpy.sqrt((2 * lengths - 3) / (lengths * (lengths - 1) / 2))
    assert row["mean"] == pytest.approx(row["ceiling"]) == pytest.approx(expected.mean())
    assert row["mean"] < 0.6 and row["scaled"] == pytest.approx(1)
    assert row["top-1"] == 1 and row["top-1 chance"] == pytest.approx((1 / lengths).mean())
    values = instances([found])
    assert values["ceiling"].tolist() == pytest.approx(expected.tolist())
    assert (values["top-1"] == 1).all()


def test_the_scaled_agreement_of_a_group_is_that_of_its_texts(tmp_path):
    model = sparse_model(tmp_path)
    rows = agreement_table(
        agreements(model, [PAIR._replace(second="leave-one-out")], [KENDALL], draws=3),
        "predicted",
    )
    for _, row in rows.iterrows():
        expected = (row["mean"] - row["permuted mean"]) / (row["ceiling"] - row["permuted mean"])
        assert row["scaled"] == pytest.approx(expected)
        assert row["scaled low"] < row["scaled"] < row["scaled high"]
        assert row["top-1 low"] <= row["top-1"] <= row["top-1 high"]
    assert rows["scaled"].nunique() == 3


def test_a_measure_without_a_ceiling_has_no_scaled_agreement(tmp_path):
    measures = [Measure.named("as-published"), KENDALL]
    table = agreement_table(agreements(sparse_model(tmp_path), [PAIR], measures, draws=2), "none")
    for name in ("ceiling", "scaled", "scaled low", "scaled high"):
        assert table[name].isna().tolist() == [True, False]
    assert table["top-1"].tolist() == [1, 1]
    assert "scaled [95 %]" in shown_agreements(table)
    assert "scaled [95 %]" not in shown_agreements(table[:1])


def test_of_tokens_tied_at_the_top_each_is_the_first_as_often(tmp_path):
    rows = [{**random_rows(1)[0], "tokens": list("abcd"), "attention": [1, 1, 0, 0]}]
    rows[0] |= {"gradient": [2, 1, 0, 0], "leave-one-out": [0, 3, 3, 3]}
    path = write_attributions(tmp_path / "a.parquet", rows)
    (model,) = models_of([load_attributions(path)])
    pairs = [PAIR, PAIR._replace(second="leave-one-out")]
    one, other = agreements(model, pairs, [KENDALL], draws=2)
    assert one.top_1.value == [[0.5]] and other.top_1.value == pytest.approx(1 / 6)
