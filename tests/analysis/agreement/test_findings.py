"""Sentences say what the numbers say, and the opposite when those do."""

import pandas
import pytest

from analysis.agreement.findings import findings, no_better_than_chance
from analysis.measures import Measure

KENDALL = Measure.named("kendall")
JSD = Measure.named("jsd")


def table(*rows, measure="kendall"):
    """Rows of pair, mean, and the interval and corrected p of what is above chance."""
    columns = ["first", "second", "mean", "above permuted low", "above permuted high"]
    made = pandas.DataFrame(rows, columns=[*columns, "above permuted p Holm"])
    return made.assign(
        model="bilstm",
        corpus="sst",
        measure=measure,
        group="overall",
        seeds=1,
        texts=50,
        reasons="constant scores: 50",
        compared="scores",
        ceiling=1.0,
        scaled=float("nan"),
        low=made["mean"] - 0.1,
        high=made["mean"] + 0.1,
        **{"permuted mean": 0.0, "top-1": float("nan"), "nothing to judge": ""},
    )


GOOD = ("attention", "gradient", 0.5, 0.4, 0.6, 0.001)
CHANCE = ("attention", "lrp", 0.02, -0.1, 0.1, 1.0)
LUCKY = ("gradient", "lrp", 0.05, 0.01, 0.1, 0.3)
OPPOSITE = ("lrp", "occlusion", -0.5, -0.6, -0.4, 0.001)


def test_better_than_chance_needs_the_interval_and_the_corrected_test():
    found = no_better_than_chance(table(GOOD, CHANCE, LUCKY, OPPOSITE), KENDALL)
    assert found.tolist() == [False, True, True, True]


def test_a_distance_is_better_below_chance():
    found = no_better_than_chance(table(GOOD, CHANCE, LUCKY, OPPOSITE, measure="jsd"), JSD)
    assert found.tolist() == [True, True, True, False]


OTHER = ("gradient", "occlusion", 0.4, 0.3, 0.5, 0.001)
NOISE = ("attention", "random", 0.01, -0.1, 0.1, 1.0)


def test_attention_comes_first_then_the_others():
    (sentence,) = findings(table(OTHER, GOOD, LUCKY, CHANCE), [KENDALL])
    assert (
        "bilstm on sst (kendall, 50 texts): attention agrees better than chance with gradient "
        "(0.500), but not with lrp (0.020). Of 2 other pairs 1 agree better than chance; not so "
        "gradient : lrp." in sentence
    )
    assert "closest are attention : gradient (0.500 [0.400, 0.600], chance 0.000)" in sentence


@pytest.mark.parametrize(
    "rows, expected",
    [
        ([GOOD], "attention agrees better than chance with gradient (0.500)."),
        ([CHANCE], "attention agrees no better than chance with lrp (0.020)."),
        ([OTHER, OTHER], "Of 2 pairs all agree better than chance."),
        ([LUCKY, OPPOSITE], "Of 2 pairs none agree better than chance."),
        ([OTHER], "gradient : occlusion (0.400 [0.300, 0.500], chance 0.000) agree better than"),
        ([LUCKY], "gradient : lrp (0.050 [-0.050, 0.150], chance 0.000) agree no better than"),
    ],
)
def test_all_none_and_a_single_pair_are_said_as_such(rows, expected):
    (sentence,) = findings(table(*rows), [KENDALL])
    assert expected in sentence


def test_the_random_method_gets_no_finding_unless_it_is_all_there_is():
    (sentence,) = findings(table(GOOD, NOISE), [KENDALL])
    assert "random" not in sentence
    (sentence,) = findings(table(NOISE), [KENDALL])
    assert "attention agrees no better than chance with random (0.010)." in sentence


def test_other_measures_are_in_the_table_alone():
    both = pandas.concat([table(GOOD), table(GOOD, measure="jsd")], ignore_index=True)
    (sentence,) = findings(both, [KENDALL, JSD])
    assert "(kendall, " in sentence


def test_many_pairs_are_counted():
    many = [("attention", f"method-{n}", 0.0, -0.1, 0.1, 1.0) for n in range(9)]
    (sentence,) = findings(table(GOOD, *many), [KENDALL])
    assert "method-5 (0.000) and 3 more." in sentence and "method-6" not in sentence


def test_pairs_without_a_value_are_said_to_have_none():
    nothing = ("attention", "lime", float("nan"), float("nan"), float("nan"), float("nan"))
    (sentence,) = findings(table(GOOD, nothing), [KENDALL])
    assert "attention : lime has no value on any text (constant scores)." in sentence
    (sentence,) = findings(table(nothing), [KENDALL])
    assert "no pair of methods has a value (constant scores)." in sentence


def test_the_closest_by_a_distance_are_the_least_distant():
    (sentence,) = findings(table(GOOD, OPPOSITE, measure="jsd"), [JSD])
    assert "closest are lrp : occlusion" in sentence


def test_how_a_pair_was_compared_is_said_with_its_number():
    rows = table(GOOD, OTHER, ("lrp", "lime", 0.3, 0.2, 0.4, 0.001))
    rows["compared"] = ["sizes", "scores", "signed scores"]
    (sentence,) = findings(rows, [KENDALL])
    assert "chance with gradient (0.500)." in sentence
    assert "attention : gradient (0.500 [0.400, 0.600], sizes, chance 0.000)" in sentence


def test_a_mean_is_read_next_to_the_best_that_ties_allow():
    rows = table(GOOD, OTHER, LUCKY)
    rows["ceiling"], rows["scaled"] = [0.52, 1.0, 0.999], [0.96, 0.4, 0.05]
    (sentence,) = findings(rows, [KENDALL])
    assert "agrees better than chance with gradient (0.500 of 0.520)." in sentence
    assert "gradient : occlusion (0.400" not in sentence


def test_the_closest_are_those_nearest_their_ceiling():
    rows = table(GOOD, OTHER)
    rows["ceiling"], rows["scaled"] = [1.0, 0.42], [0.5, 0.95]
    (sentence,) = findings(rows, [KENDALL])
    assert "The closest are gradient : occlusion (0.400 [0.300, 0.500] of 0.420," in sentence
    distances = table(GOOD, OPPOSITE, measure="jsd").assign(ceiling=0.1, scaled=[0.9, 0.2])
    (sentence,) = findings(distances, [JSD])
    assert "closest are attention : gradient" in sentence


def test_where_there_is_nothing_to_judge_nothing_else_is_said():
    rows = table(GOOD, OTHER).assign(**{"nothing to judge": "accuracy 0.5 is no better"})
    (sentence,) = findings(rows, [KENDALL])
    opening = "bilstm on sst (kendall, 50 texts): "
    assert sentence == f"{opening}nothing to judge: accuracy 0.5 is no better."
