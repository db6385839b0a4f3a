"""What makes a part of a claim hold, and what the parts make of the whole."""

import math

import numpy
import pandas
import pytest
from scipy.stats import false_discovery_control, norm, pearsonr, t

from analysis.claims.claim import (
    KEY,
    Judgement,
    Outcome,
    Part,
    Scope,
    above,
    below,
    combine_outcomes,
    combine_p_values,
    detectable,
    drop_repeated,
)
from analysis.claims.multiplicity import multiplicity
from analysis.written import Estimate, average

HOLDS, FAILS, UNKNOWN, NOTHING = Outcome


@pytest.mark.parametrize(
    "low,high,bound,outcome",
    [(0.1, 0.3, 0, HOLDS), (-0.1, 0.3, 0, UNKNOWN), (-0.3, -0.1, 0, FAILS), (0.1, 0.3, 0.5, FAILS)],
)
def test_a_part_holds_if_the_whole_interval_is_on_its_side(low, high, bound, outcome):
    found = Estimate((low + high) / 2, low, high)
    assert above("tau", found, bound).outcome is outcome
    mirrored = {HOLDS: FAILS, FAILS: HOLDS, UNKNOWN: UNKNOWN}
    assert below("tau", found, bound).outcome is mirrored[outcome]


@pytest.mark.parametrize("half", [0, 0.01])
def test_a_difference_of_exactly_0_never_holds(half):
    same = Estimate(0.3, 0.3 - half, 0.3 + half).minus(Estimate(0.3, 0.3 - half, 0.3 + half))
    for part in (above("less", same, -0.1), below("less", same, 0.1)):
        assert part.outcome is UNKNOWN and part.words.endswith(", exactly 0")
    # It may well fail, and what is no difference may be 0.
    assert above("less", same, 0.1).outcome is FAILS
    assert below("mass", Estimate(0.0, 0.0, 0.0), 0.05).outcome is HOLDS


def test_where_there_is_nothing_to_judge_the_reason_is_the_evidence():
    found = Estimate(0.3, 0.2, 0.4, nothing="attention is uniform")
    parts = [above("tau", found), below("tau", found.minus(Estimate(0, 0, 0))), above("a", found)]
    assert {part.outcome for part in parts} == {NOTHING}
    assert average([Estimate(0, 0, 0), found]).nothing == "attention is uniform"
    assert Judgement("sst", "bilstm", tuple(parts)).evidence == "attention is uniform"
    assert combine_outcomes([Part("", each, 0.001) for each in (HOLDS, NOTHING, FAILS)]) is NOTHING


def test_without_an_interval_a_part_is_inconclusive():
    found = Estimate(0.9, math.nan, math.nan)
    part = above("mass", found)
    assert part.outcome is UNKNOWN and part.words == "mass 0.900"


@pytest.mark.parametrize(
    "parts,outcome",
    [
        ([HOLDS, HOLDS], HOLDS),
        ([HOLDS, FAILS], FAILS),
        ([HOLDS, UNKNOWN], UNKNOWN),
        ([FAILS, UNKNOWN], FAILS),
        ([UNKNOWN, UNKNOWN], UNKNOWN),
        ([FAILS], FAILS),
    ],
)
def test_the_whole_is_no_better_than_its_parts(parts, outcome):
    assert combine_outcomes([Part("", each, 0.001) for each in parts]) is outcome


def test_one_of_many_parts_that_fails_by_chance_breaks_no_claim():
    parts = [Part("a", HOLDS, 0.001), Part("b", FAILS, 0.03)]
    assert combine_outcomes(parts[1:]) is FAILS and combine_outcomes(parts) is UNKNOWN
    judgement = Judgement("sst", "bilstm", tuple(parts))
    assert judgement.evidence == "a; b; one of 2 parts may be so by chance"


def test_the_interval_of_a_difference_is_that_of_independent_numbers():
    less = Estimate(0.5, 0.2, 0.9).minus(Estimate(0.1, 0.06, 0.4))
    assert less.mean == pytest.approx(0.4)
    assert less.low == pytest.approx(0.4 - math.hypot(0.3, 0.3))
    assert less.high == pytest.approx(0.4 + math.hypot(0.4, 0.04))


def test_a_difference_on_the_same_texts_keeps_the_reasons_of_both():
    uniform = Estimate(0.5, 0.2, 0.9, nothing="attention is uniform")
    paired = Estimate(0.4, 0.39, 0.41, difference=True)
    less = Estimate(0.1, 0.06, 0.4).minus(uniform, paired)
    assert (less.mean, less.low, less.high) == (0.4, 0.39, 0.41)
    assert less.difference and less.nothing == "attention is uniform"


def test_words_of_parts_are_not_repeated():
    assert str(Estimate(0.25, -0.125, 1.5)) == "0.250 [-0.125, 1.500]"
    assert average([Estimate(0, -1, 1), Estimate(1, 0, 4)]) == Estimate(0.5, -0.5, 2.5)


def test_a_p_value_is_below_5_percent_exactly_where_the_bound_is_outside():
    for low, outside in ((0.001, True), (-0.001, False)):
        found = Estimate(0.2, low, 0.3)
        assert (above("tau", found).p < 0.05) is outside
        assert above("tau", found).p == below("tau", found).p
    # By hand: 3 seeds have 2 degrees of freedom, and an end is 4.303 errors away.
    error = 0.1 / t(2).ppf(0.975)
    assert below("tau", Estimate(0.2, 0.1, 0.3)).p == pytest.approx(2 * t(2).sf(0.2 / error))
    assert math.isnan(above("tau", Estimate(0.2, math.nan, math.nan)).p)


def test_an_inconclusive_part_reports_the_detectable_distance():
    wide = Estimate(0.006, -0.018, 0.030)
    told = above("F1", wide).words
    assert told == "F1 0.006 [-0.018, 0.030] (it takes 0.034 from the bound to be seen)"
    # Of that size, four of five repetitions have an interval without the bound in it.
    draws = numpy.random.default_rng(0).normal(detectable(wide), 0.024 / 1.96, 100000)
    assert (draws - 0.024 > 0).mean() == pytest.approx(0.8, abs=0.01)


def test_the_whole_is_as_sure_as_the_least_sure_part_and_failing_has_many_chances():
    holding = [Part("a", HOLDS, 0.01), Part("b", HOLDS, 0.03)]
    assert combine_p_values(holding) == 0.03
    assert combine_p_values([*holding, Part("c", FAILS, 0.002)]) == pytest.approx(0.006)
    assert math.isnan(combine_p_values([*holding, Part("c", UNKNOWN)]))


def outcomes(**columns):
    row = {"name": "a", "corpus": "sst", "model": "m", "protocol": "8 epochs", "evidence": "tau"}
    rows = [{**row, "outcome": "holds", "study": f"study {number}"} for number in range(4)]
    return pandas.DataFrame(rows).assign(**columns)


def test_no_outcome_that_differs_is_dropped():
    found = drop_repeated(outcomes(evidence=["tau", "tau", "other", "tau"]))
    assert list(found["evidence"]) == ["tau", "other"]
    assert list(found["protocol"]) == ["8 epochs (study 0)", "8 epochs (study 2)"]
    assert not found.duplicated(KEY).any()
    assert len(drop_repeated(outcomes(protocol=["a", "b", "a", "a"]))) == 2


def test_outcomes_are_counted_and_held_to_their_number():
    p = numpy.array([1e-6, 0.04, 0.9, math.nan])
    said = outcomes(outcome=["holds", "does not hold", "inconclusive", "nothing to judge"], p=p)
    # A study without any outcome makes a column of no kind.
    counted = multiplicity(pandas.concat([said.iloc[:0].astype(object), said.astype(object)]))
    assert (counted.judged, counted.decided, counted.without_p) == (3, 2, 0)
    assert counted.expected_false == pytest.approx(0.15)
    # By hand: the second of three p-values is compared with 2 / 3 of .05, for any dependence with less.
    assert 0.05 * 2 / 3 < 0.04
    assert counted.remaining == 1 and list(counted.lost["p"]) == [0.04]
    assert "3 outcomes were judged and 2 decided" in counted.sentence
    assert "1 of 2 remain decided" in counted.sentence and "dependent" in counted.sentence


def test_corrections_are_those_of_their_definitions():
    p = numpy.random.default_rng(0).beta(0.5, 3, 60)
    counted = multiplicity(pandas.concat([outcomes().iloc[:1]] * 60, ignore_index=True).assign(p=p))
    harmonic = (1 / numpy.arange(1, 61)).sum()
    steps = 0.05 * numpy.arange(1, 61) / 60
    for remaining, allowed in (
        (counted.remaining, steps),
        (counted.whatever_dependence, steps / harmonic),
    ):
        below = numpy.flatnonzero(numpy.sort(p) <= allowed)
        assert remaining == (below.max() + 1 if len(below) else 0)
    assert counted.remaining == (false_discovery_control(p) <= 0.05).sum()
    assert counted.whatever_dependence < counted.remaining


@pytest.mark.parametrize("df", [2, 4, 30, 1724])
def test_a_p_value_has_the_degrees_of_freedom_of_its_interval(df):
    half = t(df).ppf(0.975) * 0.05
    found = above("tau", Estimate(0.2, 0.2 - half, 0.2 + half, df=df))
    assert found.p == pytest.approx(2 * t(df).sf(0.2 / 0.05))


def test_the_p_value_of_a_correlation_is_fishers():
    draws = numpy.random.default_rng(0).normal(size=(15, 2)) @ [[1, -0.8], [0, 0.6]]
    found = pearsonr(*draws.T)
    ends = found.confidence_interval()
    estimate = Estimate(found.statistic, ends.low, ends.high, correlation=True)
    by_hand = 2 * norm.sf(abs(numpy.arctanh(found.statistic)) * numpy.sqrt(15 - 3))
    assert below("r", estimate).p == pytest.approx(by_hand)


def test_a_difference_has_the_least_seeds_and_degrees_of_freedom():
    less = Estimate(0.5, 0.4, 0.6, df=4, seeds=5).minus(Estimate(0.1, 0.0, 0.2, df=2, seeds=3))
    assert (less.df, less.seeds) == (2, 3)
    paired = Estimate(0.4, 0.39, 0.41, df=9)
    assert Estimate(0.5, 0.4, 0.6, df=4).minus(Estimate(0.1, 0.0, 0.2), paired).df == 9


def test_a_projection_says_how_many_seeds_would_decide():
    def student(mean, sd, seeds):
        half = t(seeds - 1).ppf(0.975) * sd / math.sqrt(seeds)
        return Estimate(mean, mean - half, mean + half, df=seeds - 1, seeds=seeds)

    # By hand: with a standard deviation of .1, the mean of .08 is decided by the first number of seeds that does.
    first = next(n for n in range(4, 50) if student(0.08, 0.1, n).low > 0)
    assert above("F1", student(0.08, 0.1, 3)).seeds == first == 9
    assert math.isinf(above("F1", student(0.01, 0.1, 3)).seeds)
    # Intervals over texts alone do not shrink with seeds.
    assert math.isinf(above("F1", Estimate(0.1, -0.01, 0.21, seeds=1)).seeds)
    part = above("F1", student(0.08, 0.1, 3))
    assert Judgement("sst", "bilstm", (part,)).seeds_to_decide == 9
    assert math.isnan(
        Judgement("sst", "bilstm", (above("F1", student(0.8, 0.1, 3)),)).seeds_to_decide
    )


def test_a_scope_names_corpora_models_and_training_by_patterns():
    scope = Scope(["sst", "babi_*"], ["bilstm tanh*"], ["*batches of 1,*"])
    assert scope.covers("babi_2", "bilstm tanh softmax", "15 epochs, batches of 1, rate 0.001")
    assert not scope.covers("sst", "bilstm tanh softmax", "15 epochs, batches of 32, rate 0.001")
    assert not scope.covers("imdb", "bilstm tanh softmax")
    assert not scope.covers("sst", "cnn tanh softmax")
    assert Scope().covers("any", "any", "any") and not Scope(nothing=True).covers("sst", "bilstm")


def test_a_printed_difference_of_0_decides():
    same = Estimate(0.9, 0.895, 0.905, printed=True)
    assert below("lost", same.minus(same), 0.02).outcome is HOLDS


def test_tables_of_earlier_versions_have_no_p_values():
    counted = multiplicity(outcomes())
    assert (counted.decided, counted.without_p) == (4, 4)
    assert "Benjamini" not in counted.sentence
