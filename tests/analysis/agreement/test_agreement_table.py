"""The table of agreements: groups, chance, and what people are shown."""

import numpy
import pytest

from analysis.agreement.agreement_table import agreement_table, groups, shown_agreements
from analysis.agreement.agreements import agreements
from analysis.agreement.entries import instances
from analysis.measures import Measure
from analysis.models import models_of
from analysis.statistics.significance import SignFlips
from analysis.text_files import load_attributions
from tests.analysis.agreement.test_agreements import KENDALL, PAIR, model_of
from tests.analysis.attribution_files import random_rows, write_attributions

FLIPS = SignFlips(draws=999)


@pytest.fixture
def model(tmp_path):
    return model_of(tmp_path, 1, 2, texts=60)


@pytest.fixture
def found(model):
    return agreements(model, [PAIR], [KENDALL], draws=3)


def test_a_row_a_group_with_the_values_of_its_texts(model, found):
    table = agreement_table(found, "predicted", FLIPS).set_index("group")
    values = instances(found)
    assert list(table.index) == ["overall", "0", "1"]
    for group in "01":
        expected = values["value"][values["predicted"] == group]
        assert table.loc[group, "mean"] == pytest.approx(expected.mean())
        assert table.loc[group, "std"] == pytest.approx(expected.std())
        assert table.loc[group, "n"] == expected.notna().sum()
    assert table.loc["overall", "mean"] == pytest.approx(values["value"].mean())
    assert table.loc["overall", "seeds"] == 2 and table.loc["overall", "texts"] <= 60
    assert (table["low"] < table["mean"]).all() and (table["mean"] < table["high"]).all()


def test_above_chance_is_the_difference_on_the_same_texts(found):
    row = agreement_table(found, "none", FLIPS).iloc[0]
    values = instances(found)
    for name in ("random", "permuted"):
        expected = (values["value"] - values[name]).mean()
        assert row[f"above {name}"] == pytest.approx(expected)
        assert row[f"above {name} low"] < expected < row[f"above {name} high"]
        assert row[f"above {name} p"] < 0.001
        assert row[f"{name} mean"] == pytest.approx(values[name].mean())


def test_groups_are_each_seeds_own_predictions(model):
    members = groups(model, "predicted")
    for seed, file in enumerate(model.files):
        assert (members["1"][seed] == (file.table["predicted"] == "1")).all()
    assert (members["0"] ^ members["1"]).all()
    assert (members["0"][0] != members["0"][1]).any()
    assert list(groups(model, "none")) == ["overall"]


def test_a_text_without_a_label_is_in_no_class(tmp_path):
    rows = random_rows(texts=6)
    rows[2]["label"] = None
    (model,) = models_of([load_attributions(write_attributions(tmp_path / "a.parquet", rows))])
    members = groups(model, "label")
    assert not members["0"][0, 2] and not members["1"][0, 2] and members["overall"][0, 2]


def test_people_see_only_what_differs(found):
    table = agreement_table(found, "predicted", FLIPS)
    shown = shown_agreements(table)
    assert "model" not in shown and "measure" not in shown
    assert shown["predicted"].tolist() == ["overall", "0", "1"]
    assert shown["pair"].tolist() == ["attention : gradient"] * 3
    row = table.iloc[0]
    expected = f"{row['mean']:.3f} [{row['low']:.3f}, {row['high']:.3f}]"
    assert str(shown["mean [95 %]"][0]) == expected


def test_a_measure_without_p_values_shows_none(model):
    found = agreements(model, [PAIR], [Measure.named("fagin:k=3")], draws=2)
    table = agreement_table(found, "none", FLIPS)
    assert numpy.isnan(table["significant"]).all()
    assert "p <= .05" not in shown_agreements(table)
