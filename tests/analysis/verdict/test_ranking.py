"""The ranking of methods, their groups, and the recommended one."""

import re

import numpy
import pytest

from analysis.faithfulness.scale import measured
from analysis.verdict.inputs import load_inputs
from analysis.verdict.ranking import RankedMethod, group_methods, recommend
from analysis.verdict.scores import FaithfulnessScores, score_methods
from analysis.verdict.text import methods_table
from analysis.verdict.verdict import judge
from analysis.written import Estimate
from attention_explain.costs import Passes
from tests.analysis.statistics.test_ratios import ratio_intervals
from tests.analysis.verdict.verdict_files import write_folder


def scores_at(means, texts=200, spread=0.1):
    """Scores of methods with these means, each with its own noise."""
    values = {}
    for number, (name, mean) in enumerate(means.items()):
        noise = numpy.random.default_rng(number).normal(size=(1, texts))
        values[name] = mean + spread * (noise - noise.mean())
    return FaithfulnessScores({"delete": values}, values)


def numbers_of(scores):
    return {name: each.number for name, each in group_methods(scores).items()}


def cost_of(forward, backward=0.0):
    return Passes(forward, backward, 0.0, 0.0)


def methods_of(scores, forward, **replaced):
    return [
        RankedMethod(
            name,
            scores.score(name).estimate,
            cost_of(forward[name]),
            1,
            **replaced.get(name, {}),
        )
        for name in scores.methods
    ]


def test_a_score_is_the_mean_of_the_scores_in_the_tables(tmp_path):
    inputs = load_inputs(write_folder(tmp_path))
    expected = []
    for each in measured(inputs.faithfulness):
        if each.measure.name == "relevance":
            gained = (each.values["attention"] - each.values["random"])[None]
            could = (each.values["search"] - each.values["random"])[None]
            expected.append(ratio_intervals(gained, could).mean[0])
    assert len(expected) == 2
    score = score_methods(inputs).score("attention").estimate
    assert score.mean == pytest.approx(numpy.mean(expected))
    assert score.low < score.mean < score.high and score.mean == pytest.approx(0.1, abs=0.05)


def test_methods_that_do_not_differ_are_a_group():
    scores = scores_at({"a": 0.9, "b": 0.895, "c": 0.5, "d": 0.5, "e": 0.1})
    assert numbers_of(scores) == {"a": 1, "b": 1, "c": 2, "d": 2, "e": 3}


def test_few_texts_separate_no_methods():
    assert set(numbers_of(scores_at({"a": 0.9, "b": 0.2}, texts=4, spread=0.8)).values()) == {1}


def test_the_given_number_of_texts_would_separate_two_methods():
    """Ten times the same texts are as many more of their kind."""
    scores = scores_at({"a": 0.9, "b": 0.88, "c": 0.5, "d": 0.5}, texts=40, spread=0.2)
    found = group_methods(scores)
    assert [each.number for each in found.values()] == [1, 1, 2, 2]
    needed = found["b"].texts_needed
    assert found["a"].texts_needed is None and 200 < needed < 2000
    # No number of texts separates methods with the same score.
    assert found["d"].texts_needed is None

    def separated(texts):
        values = {name: numpy.resize(scores.values(name), (1, texts)) for name in scores.methods}
        return group_methods(FaithfulnessScores({"delete": values}, values))["b"].number == 2

    assert separated(int(1.2 * needed)) and not separated(int(0.8 * needed))


def test_separating_methods_of_a_group_needs_more_texts():
    """Also if the interval alone excludes 0 and the test, corrected for all pairs, is not significant."""
    means = {f"m{index}": 0.9 - 0.012 * index for index in range(12)}
    scores = scores_at(means, texts=60, spread=0.06)
    found = group_methods(scores)
    needed = [each.texts_needed for each in found.values() if each.texts_needed is not None]
    assert len(needed) > 3 and min(needed) > 60
    first = next(iter(found))
    sure = [
        name
        for name, each in found.items()
        if each.number == 1 and name != first and scores.difference(first, name).estimate.low > 0
    ]
    assert sure and all(found[name].texts_needed < 240 for name in sure)


def test_a_fast_method_that_is_as_good_as_the_best_is_recommended():
    scores = scores_at({"slow": 0.9, "quick": 0.89, "bad": 0.2})
    methods = methods_of(scores, {"slow": 50.0, "quick": 2.0, "bad": 0.1})
    found = recommend(methods, scores)
    assert found.method == "quick"
    assert (
        "at most 0.05 below that of slow" in found.why
        and "2 forward passes per text instead of 50 forward passes" in found.why
    )


def test_a_method_of_the_same_group_is_not_as_good_as_the_best():
    """With few texts the quick one may be far behind."""
    scores = scores_at({"slow": 0.9, "quick": 0.8}, texts=20, spread=0.5)
    methods = methods_of(scores, {"slow": 50.0, "quick": 2.0}, slow={"above_chance": True})
    assert numbers_of(scores) == {"slow": 1, "quick": 1}
    found = recommend(methods, scores)
    assert found.method == "slow" and "do not separate it from quick" in found.why


def test_a_few_passes_more_do_not_decide():
    scores = scores_at({"best": 0.9, "next": 0.89})
    assert recommend(methods_of(scores, {"best": 4.0, "next": 2.0}), scores).method == "best"
    assert recommend(methods_of(scores, {"best": 4.1, "next": 2.0}), scores).method == "next"


def test_of_methods_that_are_as_good_and_as_cheap_one_with_a_direction_is_recommended():
    scores = scores_at({"best": 0.9, "next": 0.89, "last": 0.5})
    forward = {"best": 2.0, "next": 2.0, "last": 1.0}
    says = {"signed": True, "says_direction": True, "direction": Estimate(0.9, 0.8, 1.0)}
    found = recommend(methods_of(scores, forward, next=says, last=says), scores)
    assert (found.method, found.direction) == ("next", "next")
    assert "it also gives the direction" in found.why
    # One that is not as good gives the direction alone.
    found = recommend(methods_of(scores, forward, last=says), scores)
    assert (found.method, found.direction) == ("best", "last")
    assert recommend(methods_of(scores, forward), scores).direction is None


def test_of_methods_with_the_same_agreement_of_signs_a_cheap_one_gives_the_direction():
    scores = scores_at({"best": 0.9, "dear": 0.7, "cheap": 0.6, "worse": 0.5})
    forward = {"best": 2.0, "dear": 50.0, "cheap": 2.0, "worse": 1.0}
    replaced = {
        name: {"says_direction": True, "direction": Estimate(mean, mean - 0.1, mean + 0.1)}
        for name, mean in {"dear": 0.95, "cheap": 0.92, "worse": 0.7}.items()
    }
    assert recommend(methods_of(scores, forward, **replaced), scores).direction == "cheap"


def test_methods_that_ignore_the_model_or_are_not_above_chance_are_not_recommended(tmp_path):
    scores = {"attention": 0.1, "blind": 0.9, "lrp": 0.8}
    verdict = judge(load_inputs(write_folder(tmp_path / "a", scores=scores, rho={"blind": 0.9})))
    assert verdict.methods[0].name == "blind" and verdict.recommended.method == "lrp"
    none = judge(load_inputs(write_folder(tmp_path / "b", scores={"attention": 0.0, "lrp": -0.1})))
    assert none.recommended.method is None and "better than a random order" in none.recommended.why


def test_a_recommended_method_is_above_chance_for_every_removal_method(tmp_path):
    scores = {"attention": 0.1, "one-way": {"delete": 0.95, "unk": 0.0}, "lrp": 0.4}
    verdict = judge(load_inputs(write_folder(tmp_path / "a", scores=scores)))
    assert verdict.methods[0].name == "one-way" and verdict.recommended.method == "lrp"
    # An inconclusive answer whether it is about the model does not matter.
    scores["one-way"] = 0.9
    folder = write_folder(tmp_path / "b", scores=scores, rho={"one-way": 0.5})
    assert judge(load_inputs(folder)).recommended.method == "one-way"


@pytest.mark.parametrize("behind, chosen", [(0.02, "quick"), (0.045, "slow"), (0.08, "slow")])
def test_as_good_is_surely_no_worse_by_more_than_the_bound(behind, chosen):
    """The interval of the difference is 0.02 long on each side."""
    scores = scores_at({"slow": 0.9, "quick": 0.9 - behind}, texts=200)
    end = scores.difference("slow", "quick").estimate
    assert end.high - end.mean == pytest.approx(0.02, abs=0.003)
    methods = methods_of(scores, {"slow": 50.0, "quick": 2.0})
    assert recommend(methods, scores).method == chosen


def test_attention_can_be_recommended(tmp_path):
    scores = {"attention": 0.9, "lrp": 0.5}
    verdict = judge(load_inputs(write_folder(tmp_path, scores=scores)))
    assert verdict.recommended.method == "attention" and verdict.answer == "yes"


def test_the_reason_mentions_a_score_below_a_half():
    scores = scores_at({"best": 0.3})
    assert "may be below 0.5" in recommend(methods_of(scores, {"best": 1.0}), scores).why


def test_costs_are_the_declared_passes_and_no_timings(tmp_path):
    parameters = {"lrp": {"type": "integrated-gradients", "steps": 20}}
    verdict = judge(load_inputs(write_folder(tmp_path, texts=100, parameters=parameters)))
    assert [each.name for each in verdict.methods] == ["lrp", "gradient", "attention"]
    assert [each.cost for each in verdict.methods] == [
        "22 forward and 20 backward passes",
        "1 forward and 1 backward pass",
        "1 forward pass",
    ]
    assert isinstance(verdict.methods[0].score, Estimate)


def test_methods_of_the_best_group_are_named_with_the_texts_needed(tmp_path):
    scores = {"attention": 0.1, "gradient": 0.80, "lrp": 0.82}
    verdict = judge(load_inputs(write_folder(tmp_path, scores=scores, texts=30, spread=0.3)))
    _, second, _ = verdict.methods
    assert second.group == 1 and second.texts_needed > 30
    why = verdict.recommended.why
    assert re.search(rf"do not separate it from {second.name} \(about [\d,]+ texts would\)", why)
    assert verdict.as_json()["methods"][1]["texts_needed"] == second.texts_needed
    shown = methods_table(verdict)["group (texts)"]
    assert re.fullmatch(r"1 \([\d,]+\)", shown[1]) and shown[0] == "1"
