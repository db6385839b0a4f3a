"""
The decision while texts are added. Percentage of 1,000 sequences of 400 texts, with rooms of lognormal skew (sigma 0.5,
and 1 in brackets), in which the interval is on the wrong side of a bound at which the truth is, at any number of
texts (at most 5):

scores independent of rooms                  0.3 (0.3)
scores lower in texts with much room         0.2 (0.2)

Percentage of wrong verdicts by the complete rule (texts are added until the sequence decides, or until 400 texts; then
the verdict is written), of 600 draws with the truth at a bound of yes, sigma 0.5 (0.7, two removal methods and scores
lower in texts with much room):

one run, intervals for its number of texts                  4.3 (4.0)
asked again after every step, the same intervals           22.7 (19.0)
asked again after every step, intervals over all numbers    0.2 (0.0)
the first with the former, later ones with the latter       6.3 (4.7)
"""

from itertools import takewhile

import numpy
import pytest

from analysis.statistics import confidence_sequences
from analysis.verdict.answers import Answer
from analysis.verdict.decision import (
    Bounds,
    RelevanceValues,
    decide_relevance,
    over_all_numbers,
    over_texts,
)
from analysis.verdict.inputs import load_inputs
from analysis.verdict.interim import from_decision, interim
from analysis.verdict.verdict import judge, verdict_on
from attention_explain.files.stopping import FIRST, Stopped, next_number
from tests.analysis.verdict.verdict_files import write_folder

BOUND = 0.5


def drawn(draw, texts, sigma, slope, truth=BOUND) -> RelevanceValues:
    """Values whose score is the truth; with a slope, texts with much room have lower scores."""
    room = 0.2 * numpy.exp(sigma * draw.normal(size=texts))
    level = slope / (1 + room / 0.2)
    # Its mean, weighted by rooms, is that of a large sample.
    many = 0.2 * numpy.exp(sigma * numpy.random.default_rng(0).normal(size=200_000))
    offset = truth - (many * slope / (1 + many / 0.2)).mean() / many.mean()
    score = numpy.clip(offset + level, 0.02, 0.98)
    scores = draw.beta(2 * score, 2 * (1 - score))
    random = 0.5 * room
    return RelevanceValues(random, random + room, {"attention": random + scores * room})


def wrong_at_any_time(sigma, slope, draws, texts=400) -> float:
    """The share of sequences that exclude the truth at any number of texts."""
    draw, found = numpy.random.default_rng(11), 0
    for _ in range(draws):
        values = drawn(draw, texts, sigma, slope)
        interval = over_all_numbers([values], list(range(texts)))
        # The intersection of the intervals at all numbers of texts.
        at_bound = interval(values.above("attention") - BOUND * values.room)
        found += at_bound.low > 0 or at_bound.high < 0
    return found / draws


@pytest.mark.slow
@pytest.mark.parametrize("sigma", [0.5, 1.0])
@pytest.mark.parametrize("slope", [0.0, 0.5])
def test_a_bound_at_the_truth_is_excluded_in_at_most_5_percent_of_many_sequences(sigma, slope):
    assert wrong_at_any_time(sigma, slope, 1000) <= 0.05


@pytest.mark.parametrize("slope", [0.0, 0.5])
def test_a_bound_at_the_truth_is_seldom_excluded_at_any_number_of_texts(slope):
    assert wrong_at_any_time(1.0, slope, 40, texts=150) <= 0.1


@pytest.mark.parametrize("truth, answer", [(0.8, Answer.YES), (0.1, Answer.NO)])
def test_a_clear_answer_is_found(truth, answer):
    values = drawn(numpy.random.default_rng(1), 400, 0.5, 0.0, truth)
    decision = decide_relevance(
        {"delete": values}, (), over_all_numbers([values], list(range(400)))
    )
    so_far = from_decision(decision, 400)
    assert so_far.answer == answer and so_far.decided


def test_the_first_texts_set_the_scale_and_decide_nothing():
    values = drawn(numpy.random.default_rng(1), FIRST, 0.5, 0.0, 0.9)
    interval = over_all_numbers([values], list(range(FIRST)))
    found = interval(values.above("attention"))
    assert found.high == -found.low == pytest.approx(values.best.max())


def test_a_folder_is_judged_in_the_order_of_its_seed(tmp_path):
    folder = write_folder(tmp_path / "clear", texts=400, scores={"attention": 0.05, "lrp": 0.9})
    so_far = interim(folder, 1)
    assert so_far.answer == Answer.NO and so_far.decided and so_far.texts == 400
    assert "400 texts: attention scores" in str(so_far)
    # The texts that set the scale are others.
    assert interim(folder, 2).score.interval != so_far.score.interval
    at_bound = interim(write_folder(tmp_path / "close", scores={"attention": 0.5, "lrp": 0.6}), 1)
    assert not at_bound.decided and at_bound.more_texts_help


def test_more_texts_do_not_help_if_relevance_is_not_reliable_or_not_measured(tmp_path):
    unreliable = write_folder(tmp_path / "one", texts=40, reliability={"delete": 0.5, "unk": 0.5})
    not_measured = write_folder(tmp_path / "two", texts=40, relevance=False)
    for folder in (unreliable, not_measured):
        so_far = interim(folder, None)
        assert not so_far.decided and not so_far.more_texts_help


def test_a_model_that_seems_to_have_learned_nothing_gets_more_texts(tmp_path):
    so_far = interim(write_folder(tmp_path / "few", texts=40, learned=False), None)
    assert not so_far.decided and so_far.more_texts_help


AT = Bounds(yes=BOUND, partly=0.25, close=0.75, reliability=0.9)
ANSWERS = (Answer.YES, Answer.PARTLY, Answer.NO, Answer.DEPENDS)


def wrong_verdicts(sigma, slope, removals, draws, texts=400) -> dict[str, float]:
    """
    The share of wrong verdicts if the truth is at the bound of a yes, so that any answer is wrong: written once, when
    the sequence has decided or texts end, or after every step.
    """
    draw, found = numpy.random.default_rng(5), []
    steps = [FIRST]
    while steps[-1] < texts:
        steps.append(next_number(steps[-1], texts))
    for _ in range(draws):
        several = {str(each): drawn(draw, texts, sigma, slope) for each in range(removals)}
        answers = []
        for step in steps:
            some = {
                name: RelevanceValues(
                    each.random[:step],
                    each.best[:step],
                    {"attention": each.methods["attention"][:step]},
                )
                for name, each in several.items()
            }
            anytime = over_all_numbers(list(some.values()), list(range(step)))
            answers.append(
                [
                    decide_relevance(some, (), interval, bounds=AT).answer in ANSWERS
                    for interval in (over_texts, anytime)
                ]
            )
        fixed, anytime = numpy.array(answers).T
        end = min(len([*takewhile(lambda decided: not decided, anytime)]), len(steps) - 1)
        later = numpy.append(numpy.logical_or.accumulate(anytime[:0:-1])[::-1], False)
        found.append([fixed[end], fixed.any(), anytime.any(), *(fixed | later)])
    single, naive, only_anytime, *by_first = numpy.mean(found, axis=0)
    return {
        "single": float(single),
        "naive": float(naive),
        "anytime": float(only_anytime),
        "rule": float(max(by_first)),
    }


@pytest.fixture
def few_candidates(monkeypatch):
    """Only the sign of an interval counts, for which few candidates exclude at least as often."""
    monkeypatch.setattr(confidence_sequences, "STEPS", 10)


def test_asking_again_with_more_texts_is_not_wrong_more_often(few_candidates):
    found = wrong_verdicts(0.5, 0.0, 1, draws=60, texts=150)
    assert found["naive"] > 2 * found["anytime"] + 0.05
    assert found["rule"] <= 0.12 and found["single"] <= 0.12


@pytest.mark.slow
@pytest.mark.parametrize("sigma, slope, removals", [(0.5, 0.0, 1), (0.7, 0.5, 2)])
def test_the_complete_rule_is_wrong_in_at_most_5_percent(few_candidates, sigma, slope, removals):
    found = wrong_verdicts(sigma, slope, removals, draws=600)
    # Two standard errors above 5 %.
    assert found["single"] <= 0.068 and found["rule"] <= 0.068 and found["anytime"] <= 0.05


def test_a_second_verdict_of_a_folder_has_an_interval_over_all_numbers(tmp_path):
    inputs = load_inputs(write_folder(tmp_path, texts=60))
    first, second = judge(inputs), judge(inputs, stopped=Stopped(earlier=1))
    assert second.score.mean == first.score.mean
    assert second.score.low < first.score.low and second.score.high > first.score.high
    assert "holds at all numbers of texts" in second.finding("where").sentence
    assert "holds at all numbers" not in first.finding("where").sentence
    # The record in the folder is read.
    Stopped("budget ended", 60, 100, earlier=1).write(tmp_path)
    assert verdict_on(tmp_path).score == second.score
