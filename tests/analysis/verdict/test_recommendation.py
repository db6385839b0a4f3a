"""The order of methods, their groups, and the one to show."""

import numpy
import pytest

from analysis.faithfulness.scale import measured
from analysis.verdict.files import load_files
from analysis.verdict.places import Places, groups, places_of
from analysis.verdict.recommendation import RankedMethod, recommended
from analysis.verdict.verdict import judged
from analysis.written import Estimate
from tests.analysis.statistics.test_ratios import ratio_intervals
from tests.analysis.verdict.verdict_files import write_folder


def places_at(means, texts=200, spread=0.1):
    """Of methods that stand there, each by noise of its own."""
    values = {}
    for number, (name, mean) in enumerate(means.items()):
        noise = numpy.random.default_rng(number).normal(size=(1, texts))
        values[name] = mean + spread * (noise - noise.mean())
    return Places({"delete": values}, values)


def methods_of(places, milliseconds, **replaced):
    return [
        RankedMethod(
            name, places.place(name).estimate, milliseconds[name], 1, **replaced.get(name, {})
        )
        for name in places.methods
    ]


def test_a_place_is_the_mean_of_the_places_of_the_tables(tmp_path):
    files = load_files(write_folder(tmp_path))
    expected = []
    for each in measured(files.judged):
        if each.measure.erasure:
            gained = (each.values["attention"] - each.values["random"])[None]
            could = (each.values["search"] - each.values["random"])[None]
            expected.append(ratio_intervals(gained, could).mean[0])
    assert len(expected) == 4
    place = places_of(files).place("attention").estimate
    assert place.mean == pytest.approx(numpy.mean(expected))
    assert place.low < 0.1 < place.high


def test_methods_that_cannot_be_told_apart_are_a_group():
    places = places_at({"a": 0.9, "b": 0.895, "c": 0.5, "d": 0.5, "e": 0.1})
    assert groups(places) == {"a": 1, "b": 1, "c": 2, "d": 2, "e": 3}


def test_few_texts_tell_nothing_apart():
    assert set(groups(places_at({"a": 0.9, "b": 0.2}, texts=4, spread=0.8)).values()) == {1}


def test_of_those_as_good_as_the_best_a_quick_one_is_recommended():
    places = places_at({"slow": 0.9, "quick": 0.89, "bad": 0.2})
    methods = methods_of(places, {"slow": 50.0, "quick": 2.0, "bad": 0.1})
    found = recommended(methods, places)
    assert found.method == "quick"
    assert "no worse than slow" in found.why and "2 ms a text against 50 ms a text" in found.why


def test_what_cannot_be_told_from_the_best_is_not_as_good_as_the_best():
    """With few texts the quick one may be far behind."""
    places = places_at({"slow": 0.9, "quick": 0.6}, texts=6, spread=0.5)
    methods = methods_of(places, {"slow": 50.0, "quick": 2.0}, slow={"above_chance": True})
    assert groups(places) == {"slow": 1, "quick": 1}
    found = recommended(methods, places)
    assert found.method == "slow" and "cannot be told from quick" in found.why


def test_timings_that_hardly_differ_do_not_decide():
    places = places_at({"best": 0.9, "next": 0.89})
    assert recommended(methods_of(places, {"best": 3.0, "next": 2.0}), places).method == "best"


def test_without_timings_the_best_is_recommended():
    places = places_at({"best": 0.9, "next": 0.89})
    assert recommended(methods_of(places, {"best": None, "next": None}), places).method == "best"


def test_methods_that_ignore_the_model_or_are_not_above_chance_are_not_recommended(tmp_path):
    places = {"attention": 0.1, "blind": 0.9, "lrp": 0.8}
    verdict = judged(load_files(write_folder(tmp_path / "a", places=places, rho={"blind": 0.9})))
    assert verdict.methods[0].name == "blind" and verdict.recommended.method == "lrp"
    none = judged(load_files(write_folder(tmp_path / "b", places={"attention": 0.0, "lrp": -0.1})))
    assert none.recommended.method is None and "better than chance" in none.recommended.why


def test_attention_can_be_recommended(tmp_path):
    places = {"attention": 0.9, "lrp": 0.5}
    verdict = judged(load_files(write_folder(tmp_path, places=places)))
    assert verdict.recommended.method == "attention" and verdict.answer == "yes"


def test_a_method_that_does_not_come_half_of_the_way_is_said_so():
    places = places_at({"best": 0.3})
    assert "not sure to come half" in recommended(methods_of(places, {"best": 1.0}), places).why


def test_costs_are_those_of_attribute(tmp_path):
    verdict = judged(load_files(write_folder(tmp_path, texts=100)))
    assert {each.name: each.milliseconds for each in verdict.methods} == pytest.approx(
        {"attention": 1.0, "gradient": 4.0, "lrp": 5.0}
    )
    assert [each.name for each in verdict.methods] == ["lrp", "gradient", "attention"]
    assert isinstance(verdict.methods[0].place, Estimate)
