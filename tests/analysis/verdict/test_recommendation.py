"""The order of methods, their groups, and the one to show."""

import re

import numpy
import pytest

from analysis.faithfulness.scale import measured
from analysis.verdict.files import load_files
from analysis.verdict.groups import groups
from analysis.verdict.places import Places, places_of
from analysis.verdict.recommendation import RankedMethod, recommended
from analysis.verdict.verdict import judged
from analysis.verdict.words import methods_table
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


def numbers_of(places):
    return {name: each.group for name, each in groups(places).items()}


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
    assert numbers_of(places) == {"a": 1, "b": 1, "c": 2, "d": 2, "e": 3}


def test_few_texts_tell_nothing_apart():
    assert set(numbers_of(places_at({"a": 0.9, "b": 0.2}, texts=4, spread=0.8)).values()) == {1}


def test_so_many_texts_would_tell_two_methods_apart():
    """Ten times the same texts are as many more of their kind."""
    places = places_at({"a": 0.9, "b": 0.88, "c": 0.5, "d": 0.5}, texts=40, spread=0.2)
    found = groups(places)
    assert [each.group for each in found.values()] == [1, 1, 2, 2]
    needed = found["b"].texts_needed
    assert found["a"].texts_needed is None and 200 < needed < 2000
    # Those in the same place are told apart by no number of texts.
    assert found["d"].texts_needed is None

    def told(texts):
        values = {name: numpy.resize(places.values(name), (1, texts)) for name in places.methods}
        return groups(Places({"delete": values}, values))["b"].group == 2

    assert told(int(1.2 * needed)) and not told(int(0.8 * needed))


def test_it_takes_more_texts_than_there_are_to_tell_what_cannot_be_told():
    """Also where the interval alone would tell, and the correction for all pairs does not."""
    means = {f"m{place}": 0.9 - 0.012 * place for place in range(12)}
    places = places_at(means, texts=60, spread=0.06)
    found = groups(places)
    needed = [each.texts_needed for each in found.values() if each.texts_needed is not None]
    assert len(needed) > 3 and min(needed) > 60
    first = next(iter(found))
    sure = [
        name
        for name, each in found.items()
        if each.group == 1 and name != first and places.less(first, name).estimate.low > 0
    ]
    assert sure and all(found[name].texts_needed < 240 for name in sure)


def test_of_those_as_good_as_the_best_a_quick_one_is_recommended():
    places = places_at({"slow": 0.9, "quick": 0.89, "bad": 0.2})
    methods = methods_of(places, {"slow": 50.0, "quick": 2.0, "bad": 0.1})
    found = recommended(methods, places)
    assert found.method == "quick"
    assert (
        "at most 0.05 of the scale behind slow" in found.why
        and "2 ms a text against 50 ms a text" in found.why
    )


def test_what_cannot_be_told_from_the_best_is_not_as_good_as_the_best():
    """With few texts the quick one may be far behind."""
    places = places_at({"slow": 0.9, "quick": 0.8}, texts=20, spread=0.5)
    methods = methods_of(places, {"slow": 50.0, "quick": 2.0}, slow={"above_chance": True})
    assert numbers_of(places) == {"slow": 1, "quick": 1}
    found = recommended(methods, places)
    assert found.method == "slow" and "do not tell it from quick" in found.why


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


def test_above_chance_however_words_are_removed_is_what_makes_a_method_fit(tmp_path):
    places = {"attention": 0.1, "one-way": {"delete": 0.95, "unk": 0.0}, "lrp": 0.4}
    verdict = judged(load_files(write_folder(tmp_path / "a", places=places)))
    assert verdict.methods[0].name == "one-way" and verdict.recommended.method == "lrp"
    # That it cannot be told whether it is about the model takes nothing away.
    places["one-way"] = 0.9
    folder = write_folder(tmp_path / "b", places=places, rho={"one-way": 0.5})
    assert judged(load_files(folder)).recommended.method == "one-way"


@pytest.mark.parametrize("behind, chosen", [(0.02, "quick"), (0.045, "slow"), (0.08, "slow")])
def test_as_good_is_surely_no_worse_by_more_than_the_bound(behind, chosen):
    """The interval of the difference is 0.02 long on each side."""
    places = places_at({"slow": 0.9, "quick": 0.9 - behind}, texts=200)
    end = places.less("slow", "quick").estimate
    assert end.high - end.mean == pytest.approx(0.02, abs=0.003)
    methods = methods_of(places, {"slow": 50.0, "quick": 2.0})
    assert recommended(methods, places).method == chosen


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


def test_what_cannot_be_told_from_the_best_is_named_with_the_texts_it_would_take(tmp_path):
    places = {"attention": 0.1, "gradient": 0.80, "lrp": 0.82}
    verdict = judged(load_files(write_folder(tmp_path, places=places, texts=30, spread=0.3)))
    _, second, _ = verdict.methods
    assert second.group == 1 and second.texts_needed > 30
    why = verdict.recommended.why
    assert re.search(rf"do not tell it from {second.name} \(about [\d,]+ texts would\)", why)
    assert verdict.as_json()["methods"][1]["texts_needed"] == second.texts_needed
    shown = methods_table(verdict)["group (texts)"]
    assert re.fullmatch(r"1 \([\d,]+\)", shown[1]) and shown[0] == "1"
