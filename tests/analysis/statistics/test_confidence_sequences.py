"""
Confidence sequences hold the truth at all numbers of texts at once, and agree with a slow implementation
written from the formulas of Waudby-Smith & Ramdas (2024).

Percentage of 2,000 sequences of 400 texts that exclude the truth at any number of texts (at most 5), and in
brackets of Student's interval that is looked at after every text from the twentieth:

mean, 5 % ones           3.5  (52.8)
mean, beta(0.5, 9.5)     0.5  (41.8)
mean, uniform            3.9  (36.1)
score, truth 0.2         0.6  (35.8)
score, truth 0.5         0.6  (38.5)
score, truth 0.8         0.2  (44.3)

Scores lie in a small part of their range, so that no bet is as large as it could be.
"""

import math
from itertools import pairwise

import numpy
import pytest
from scipy.stats import t

from analysis.statistics.confidence_sequences import STAKE, ConfidenceSequence
from analysis.statistics.samples import rescale

LEAST = 20


def reference(values, candidates, level=0.95):
    """
    The candidates that the hedged capital process never excludes, for values in [0, 1]: one product per candidate and
    direction, one factor per text.
    """
    alpha, kept = 1 - level, []
    for m in candidates:
        up = down = 1.0
        seen, excluded = [], False
        deviations = 0.25
        for number, x in enumerate(values, 1):
            variance = deviations / number
            bet = math.sqrt(2 * math.log(2 / alpha) / (variance * number * math.log(1 + number)))
            up *= 1 + min(bet, STAKE / m if m else math.inf) * (x - m)
            down *= 1 - min(bet, STAKE / (1 - m) if m < 1 else math.inf) * (x - m)
            seen.append(x)
            deviations += (x - (0.5 + sum(seen)) / (number + 1)) ** 2
            excluded |= max(up / 2, down / 2) >= 1 / alpha
        if not excluded:
            kept.append(m)
    return kept


# Of values in [0, 1], with their mean.
MEANS = {
    "5 % ones": (lambda draw, size: (draw.random(size) < 0.05).astype(float), 0.05),
    "beta": (lambda draw, size: draw.beta(0.5, 9.5, size), 0.05),
    "uniform": (lambda draw, size: draw.random(size), 0.5),
}


def texts_of_score(draw, size, score):
    """Gains and rooms with a known score: room is skewed, and the score of a text is between -1 and 1."""
    room = 0.5 * draw.beta(0.8, 1.2, size)
    share = (1 + score) / 2
    return room * (2 * draw.beta(2 * share, 2 * (1 - share), size) - 1), room


@pytest.mark.parametrize("kind", MEANS)
def test_it_is_the_hedged_capital_process_of_the_paper(kind):
    values = MEANS[kind][0](numpy.random.default_rng(1), 60)
    sequence = ConfidenceSequence.of_mean(0.0, 1.0)
    found = sequence.update(values)
    kept = reference(values, sequence.candidates)
    step = sequence.candidates[1]
    # The ends are the candidates next to those that are kept.
    assert found.low == pytest.approx(max(kept[0] - step, 0.0))
    assert found.high == pytest.approx(min(kept[-1] + step, 1.0))
    assert 0 < found.high - found.low < 0.6


def test_texts_can_be_added_one_by_one_or_at_once():
    gains, rooms = texts_of_score(numpy.random.default_rng(2), 150, 0.3)
    at_once = ConfidenceSequence.of_score()
    at_once.update(gains, rooms)
    one_by_one, in_steps = ConfidenceSequence.of_score(), ConfidenceSequence.of_score()
    found = [one_by_one.update(gain, room) for gain, room in zip(gains, rooms, strict=True)]
    for some in (slice(0, 20), slice(20, 33), slice(33, 150)):
        in_steps.update(gains[some], rooms[some])
    assert one_by_one.interval == at_once.interval == in_steps.interval
    assert one_by_one.texts == at_once.texts == in_steps.texts == 150
    # The intersection of all intervals so far: it never grows.
    assert all(later.low >= sooner.low for sooner, later in pairwise(found))
    assert all(later.high <= sooner.high for sooner, later in pairwise(found))
    assert found[-1].high < found[0].high


def test_the_scale_of_the_values_does_not_matter():
    values = numpy.random.default_rng(3).beta(0.5, 2.0, size=80)
    unit = ConfidenceSequence.of_mean(0.0, 1.0).update(values)
    scaled = ConfidenceSequence.of_mean(-3.0, 5.0).update(8 * values - 3)
    assert [scaled.low, scaled.high] == pytest.approx([8 * unit.low - 3, 8 * unit.high - 3])


def test_a_score_is_above_a_bound_if_the_mean_of_gain_less_bound_times_room_is_above_zero():
    gains, rooms = texts_of_score(numpy.random.default_rng(4), 600, 0.4)
    found = ConfidenceSequence.of_score().update(gains, rooms)
    assert -1 < found.low < 0.4 < found.high < 1
    for bound in (0.0, 0.1, 0.2, 0.3, 0.5, 0.6, 0.7):
        # All candidates between 0 and 1 have the same limits.
        of_mean = ConfidenceSequence.of_mean(-1.0, 1.0).update(gains - bound * rooms)
        step = 0.005
        assert (of_mean.low >= 0) == (found.low >= bound - step / 2)
        assert (of_mean.high <= 0) == (found.high <= bound + step / 2)


def test_a_difference_is_that_of_two_scores_on_the_same_texts():
    draw = numpy.random.default_rng(5)
    room = 0.5 * draw.beta(0.8, 1.2, 800)
    first, second = (room * numpy.clip(draw.normal(mean, 0.3, 800), -1, 1) for mean in (0.6, 0.2))
    found = ConfidenceSequence.of_difference().update(first - second, room)
    assert 0 < found.low < (first - second).sum() / room.sum() < found.high < 1
    swapped = ConfidenceSequence.of_difference().update(second - first, room)
    assert [-swapped.high, -swapped.low] == pytest.approx([found.low, found.high])


@pytest.mark.parametrize("value", [1.5, -0.5, math.nan])
def test_a_value_outside_the_limits_is_an_error(value):
    sequence = ConfidenceSequence.of_mean(0.0, 1.0)
    with pytest.raises(ValueError, match="outside the limits"):
        sequence.update(numpy.array([0.5, value]))


def test_many_equal_texts_give_finite_numbers_and_the_right_end():
    sequence = ConfidenceSequence.of_mean(0.0, 1.0)
    found = sequence.update(numpy.zeros(20_000))
    assert found.low == 0.0 and 0 < found.high < 0.01
    assert ConfidenceSequence.of_mean(0.0, 1.0).interval.high == 1.0


def excludes(kind, draw, texts):
    """Whether the sequence excludes the truth at any time, and whether a repeated Student interval does."""
    if kind in MEANS:
        make, truth = MEANS[kind]
        values = make(draw, texts)
        sequence = ConfidenceSequence(
            numpy.array([0.0, truth, 1.0]),
            numpy.array([0.0, truth, 1.0]),
            numpy.array([1.0, 1 - truth, 0.0]),
        )
        found = sequence.update(values)
    else:
        truth = kind
        gains, rooms = texts_of_score(draw, texts, truth)
        ends = numpy.array([-1.0, truth, 1.0])
        bound = numpy.maximum(1.0, 1 - ends)
        found = ConfidenceSequence(ends, bound, bound).update(gains, rooms)
        # What the numbers of texts have in common; the error of the ratio is of second order.
        values = rescale(gains[None], numpy.zeros((1, texts)), rooms[None])[0]
    number = numpy.arange(1, texts + 1)
    mean = values.cumsum() / number
    variance = ((values**2).cumsum() - number * mean**2) / numpy.maximum(number - 1, 1)
    half = t.ppf(0.975, numpy.maximum(number - 1, 1)) * numpy.sqrt(variance.clip(0) / number)
    looked = slice(LEAST - 1, None)
    student = (numpy.abs(mean - truth) > half)[looked].any()
    return found.low >= truth or found.high <= truth, student


def errors(kind, draws, texts):
    draw = numpy.random.default_rng([17, texts])
    return numpy.mean([excludes(kind, draw, texts) for _ in range(draws)], axis=0)


KINDS = [*MEANS, 0.2, 0.5, 0.8]


@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_the_truth_is_excluded_at_any_time_in_at_most_5_percent(kind):
    sequence, student = errors(kind, 200, 150)
    # 5 % and three standard errors; looking repeatedly at an interval for a fixed number is far above.
    assert sequence <= 0.096 < 0.15 < student


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_the_truth_is_excluded_at_any_time_in_at_most_5_percent_of_many_sequences(kind):
    sequence, student = errors(kind, 2000, 400)
    assert sequence <= 0.05 < 0.25 < student


def bootstrap_width(draw, gains, rooms):
    """Of the percentile interval for this number of texts."""
    drawn = draw.integers(len(gains), size=(1000, len(gains)))
    ends = numpy.quantile(gains[drawn].sum(axis=1) / rooms[drawn].sum(axis=1), [0.025, 0.975])
    return ends[1] - ends[0]


@pytest.mark.parametrize("kind, most", [("uniform", 1.8), (0.5, 2.4)], ids=str)
def test_with_100_texts_it_is_about_twice_as_wide_as_an_interval_for_a_fixed_number(kind, most):
    """Measured: 1.6 times for a mean (0.175 and 0.111), 2.0 times for a score (0.49 and 0.24)."""
    draw = numpy.random.default_rng(6)
    ratios = []
    for _ in range(20):
        if kind == "uniform":
            gains, rooms = draw.random(100), numpy.ones(100)
            found = ConfidenceSequence.of_mean(0.0, 1.0).update(gains)
        else:
            gains, rooms = texts_of_score(draw, 100, kind)
            found = ConfidenceSequence.of_score().update(gains, rooms)
        ratios.append((found.high - found.low) / bootstrap_width(draw, gains, rooms))
    assert 1.2 < numpy.mean(ratios) < most


@pytest.mark.parametrize("share", [0.1, 0.5])
def test_it_holds_the_mean_of_a_finite_data_set_that_is_drawn_without_replacement(share):
    draw = numpy.random.default_rng(7)
    excluded = []
    for _ in range(200):
        texts = (numpy.arange(120) < 120 * share).astype(float)
        ends = numpy.array([0.0, share, 1.0])
        found = ConfidenceSequence(ends, ends, 1 - ends).update(draw.permutation(texts))
        excluded.append(found.low >= share or found.high <= share)
    assert numpy.mean(excluded) <= 0.05
