"""The decision whether attention finds the words that matter: every answer, its bounds, and its error."""

import numpy
import pytest

from analysis.verdict.answers import Answer
from analysis.verdict.decision import (
    BOUNDS,
    Bounds,
    Reason,
    RelevanceValues,
    decide_relevance,
    over_texts,
    over_texts_and_seeds,
)
from analysis.written import Interval

AT = Bounds(yes=0.5, partly=0.25, close=0.75, reliability=0.9)


def values_at(texts=100, spread=0.1, seeds=1, **means):
    """Values whose scores have exactly these means."""
    room = 0.2 + 0.4 * numpy.random.default_rng(0).random((1, texts))
    methods = {}
    for number, (name, mean) in enumerate(means.items()):
        noise = numpy.random.default_rng(number + 1).normal(size=(seeds, texts))
        noise -= (noise * room).sum() / (room.sum() * seeds)
        methods[name] = 0.05 + room * (mean + spread * noise)
    random = numpy.full((seeds, texts), 0.05)
    return RelevanceValues(random, random + room, methods)


def decided(reliability=None, unsigned=(), **removals):
    return decide_relevance(removals, unsigned, reliability=reliability, bounds=AT)


@pytest.mark.parametrize(
    "score, best, answer, reason",
    [
        (0.7, 0.8, Answer.YES, Reason.NONE),
        (0.6, 0.95, Answer.PARTLY, Reason.BEHIND),
        (0.4, 0.8, Answer.PARTLY, Reason.NONE),
        (0.1, 0.8, Answer.NO, Reason.NONE),
        (-0.3, 0.8, Answer.NO, Reason.NONE),
        (0.5, 0.6, Answer.INCONCLUSIVE, Reason.BOUNDS),
        # Surely not a yes, and perhaps a partly.
        (0.25, 0.8, Answer.NO, Reason.NONE),
    ],
)
def test_each_answer_follows_from_the_score_and_the_best_method(score, best, answer, reason):
    found = decided(delete=values_at(attention=score, lrp=best))
    assert (found.answer, found.reason) == (answer, reason)
    assert found.score.mean == pytest.approx(score, abs=1e-6)
    assert found.best.method == "lrp"
    assert found.best.difference.mean == pytest.approx(best - score, abs=1e-6)
    assert found.best.ratio == pytest.approx(score / best, abs=1e-6)
    assert found.more_texts_help is (score in (0.25, 0.5))


@pytest.mark.parametrize("bound", [0.25, 0.5])
@pytest.mark.parametrize("texts", [20, 400])
def test_the_interval_of_the_score_agrees_with_the_decision_about_each_bound(bound, texts):
    """Fieller's interval ends where the test stops to reject."""
    for score in numpy.linspace(bound - 0.1, bound + 0.1, 21):
        values = values_at(texts, 0.3, attention=float(score))
        found = decide_relevance({"delete": values}, bounds=AT).score
        above = over_texts(values.above("attention") - bound * values.room)
        assert (found.low > bound) == (above.low > 0) or abs(found.low - bound) < 1e-3
        assert (found.high < bound) == (above.high < 0) or abs(found.high - bound) < 1e-3


def test_far_behind_the_best_method_it_does_not_matter_on_which_side_of_a_yes_the_score_is():
    near = values_at(attention=0.5, lrp=0.95)
    assert decided(delete=near).answer == Answer.PARTLY
    assert decided(delete=near).reason == Reason.NONE
    means = ({"attention": 0.6, "lrp": 0.95}, {"attention": 0.4, "lrp": 0.95})
    one, other = (values_at(**each) for each in means)
    assert decided(delete=one, unk=other).answer == Answer.PARTLY
    # It may still be a no.
    low = decided(delete=values_at(attention=0.25, lrp=0.95))
    assert low.answer == Answer.NO and low.more_texts_help


def test_removal_methods_that_surely_disagree_give_no_single_answer():
    found = decided(delete=values_at(attention=0.8), unk=values_at(attention=0.1))
    assert (found.answer, found.reason) == (Answer.DEPENDS, Reason.REMOVALS)
    assert not found.more_texts_help
    # On different sides of the lower bound alone, too.
    found = decided(delete=values_at(attention=0.4), unk=values_at(attention=0.1))
    assert found.answer == Answer.DEPENDS


def test_removal_methods_that_do_not_disagree_are_pooled():
    unclear = values_at(attention=0.52, texts=50, spread=0.3)
    assert decided(unk=unclear).answer == Answer.INCONCLUSIVE
    clear = values_at(attention=0.8, texts=50)
    found = decided(delete=clear, unk=unclear)
    assert found.answer == Answer.YES and found.score.mean == pytest.approx(0.66)


def test_the_variance_between_removal_methods_widens_the_pooled_interval_and_more_texts_do_not():
    means = {"delete": 0.9, "zero": 0.85, "unk": 0.52}
    several = {
        name: values_at(attention=mean, texts=4000, spread=0.9) for name, mean in means.items()
    }
    found = decided(**several)
    assert found.score.mean == pytest.approx(0.757, abs=1e-3)
    assert found.score.high - found.score.low > 0.5
    one = decided(delete=several["delete"])
    assert one.score.high - one.score.low < 0.1
    # Three that agree are not widened.
    same = {name: values_at(attention=0.6, texts=4000, spread=0.9) for name in means}
    agreed = decided(**same)
    assert agreed.score.high - agreed.score.low < 0.1
    # All are surely or probably above the bound, and their variance is why it is inconclusive.
    assert (found.answer, found.more_texts_help) == (Answer.INCONCLUSIVE, False)


@pytest.mark.parametrize("texts, answer", [(19, Answer.INCONCLUSIVE), (20, Answer.YES)])
def test_at_least_20_texts_are_needed(texts, answer):
    found = decided(delete=values_at(texts, 0.01, attention=0.9))
    assert found.answer == answer
    assert found.texts_missing == 20 - texts
    assert (found.reason == Reason.FEW_TEXTS) is (texts < 20)


def test_undefined_values_do_not_count_as_texts():
    values = values_at(30, 0.01, attention=0.9)
    values.methods["attention"][:, :11] = numpy.nan
    assert decided(delete=values).reason == Reason.FEW_TEXTS
    values.methods["attention"][:, 10] = 0.4
    assert decided(delete=values).texts == 20


@pytest.mark.parametrize(
    "reliability, reliable", [(None, True), (0.9, True), (0.899, False), (float("nan"), False)]
)
def test_unreliable_relevance_gives_no_answer(reliability, reliable):
    found = decided(reliability, delete=values_at(attention=0.9))
    assert (found.reason == Reason.UNRELIABLE) is not reliable
    assert (found.answer == Answer.YES) is reliable and not found.more_texts_help


def test_an_interval_of_zero_width_decides_nothing():
    room = numpy.full((1, 50), 0.5)
    values = RelevanceValues(room * 0, room, {"attention": 0.9 * room})
    found = decided(delete=values)
    assert (found.answer, found.reason) == (Answer.INCONCLUSIVE, Reason.EQUAL_VALUES)


def test_the_best_unsigned_method_is_compared_too():
    values = values_at(attention=0.6, lrp=0.9, gradient=0.7, lime=0.8)
    found = decided(unsigned=["attention", "gradient"], delete=values)
    assert found.best.method == "lrp" and found.best_unsigned.method == "gradient"
    assert found.best_unsigned.difference.mean == pytest.approx(0.1, abs=1e-6)
    assert decided(delete=values).best_unsigned is None
    alone = decided(delete=values_at(attention=0.6))
    assert alone.best is None and alone.answer == Answer.YES


def test_any_interval_of_a_mean_can_be_used():
    """For texts that are added one by one, the interval is another."""
    values = {"delete": values_at(attention=0.7)}

    def wide(of_values):
        mean = float(numpy.mean(of_values))
        return Interval(mean - 1, mean + 1)

    found = decide_relevance(values, interval=wide, bounds=AT)
    assert (found.answer, found.more_texts_help) == (Answer.INCONCLUSIVE, True)
    # No score is excluded, so that there is no interval to show.
    assert not found.score.interval.known and str(found.score) == "0.700"


def test_seeds_that_differ_widen_only_the_interval_over_seeds():
    values = values_at(200, 0.1, seeds=4, attention=0.6)
    shift = 0.25 * values.room[:1]
    values.methods["attention"][:2] += shift
    values.methods["attention"][2:] -= shift
    this = decide_relevance({"delete": values}, bounds=AT)
    another = decide_relevance({"delete": values}, interval=over_texts_and_seeds, bounds=AT)
    assert this.answer == Answer.YES and another.answer == Answer.INCONCLUSIVE


def test_the_bounds_are_those_of_the_file():
    assert 0 < BOUNDS.partly < BOUNDS.yes < 1 and 0 < BOUNDS.close <= 1
    assert BOUNDS.reliability == 0.9


@pytest.mark.parametrize("texts", [20, 100])
@pytest.mark.parametrize("removals", [1, 2, 4])
def test_at_a_bound_a_wrong_yes_is_as_rare_as_the_level_says(texts, removals):
    """Skewed room, and errors that removal methods share in part; 2.5 % on each side is nominal."""
    draw = numpy.random.default_rng([texts, removals])
    above = below = 0
    draws = 400
    for _ in range(draws):
        room = draw.beta(0.8, 1.2, size=(1, texts))
        common = draw.normal(size=(1, texts))
        several = {}
        for number in range(removals):
            own = draw.normal(size=(1, texts))
            score = AT.yes + 0.4 * (0.7 * common + 0.7 * own)
            several[str(number)] = RelevanceValues(room * 0, room, {"attention": room * score})
        answer = decide_relevance(several, bounds=AT).answer
        above += answer == Answer.YES
        below += answer in (Answer.NO, Answer.PARTLY)
    assert above / draws <= 0.05 and below / draws <= 0.05
    assert (above + below) / draws > 0.005 or removals > 2
