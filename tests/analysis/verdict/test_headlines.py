"""The sentences of the verdict for every case, as people read them."""

import itertools
import math
import re

import pytest

from analysis.verdict.answers import Answer
from analysis.verdict.decision import Comparison, Reason
from analysis.verdict.headlines import (
    Situation,
    comparison_of,
    fraction_of,
    headline,
    next_step,
    other_training,
    sides_of,
)
from analysis.written import Estimate

SCORE = Estimate(0.68, 0.65, 0.7)
LRP = Comparison("lrp", Estimate(0.15, 0.12, 0.18), 0.82)
LIKE = Comparison("lrp", Estimate(0.01, -0.02, 0.04), 0.99)
BOTH = {"score": SCORE, "best": LRP, "shown": "lrp", "direction": "lrp", "texts": 100}
ALONE = {"score": SCORE, "best": LIKE, "shown": "attention", "direction": "lrp", "texts": 100}
YES, PARTLY, NO = Answer.YES, Answer.PARTLY, Answer.NO
INCONCLUSIVE, DEPENDS = Answer.INCONCLUSIVE, Answer.DEPENDS
USED, STABLE = "this model barely uses its attention", "its weights change with the seed"
GOOD_FOR = (
    "it finds the words that matter and says whether they speak for or against the prediction"
)
UNSAID = "It does not say whether a word speaks for or against the prediction"
MISSES = "attention misses most of the words that matter"
UNUSED = "this model barely uses its attention"

CASES = [
    (
        Situation(YES, **ALONE),
        "Yes, attention finds the words that matter (and lrp adds the direction)",
        f"You can show attention for which words matter. {UNSAID}: show lrp where readers need that.",
    ),
    (
        Situation(YES, **BOTH),
        "Yes, attention finds the words that matter (and lrp adds the direction)",
        f"You can show attention for which words matter. {UNSAID}: show lrp where readers need that. lrp also "
        "finds more of the words that matter.",
    ),
    (
        Situation(YES, **{**ALONE, "direction": None}),
        "Yes, attention finds the words that matter (but no method adds the direction)",
        f"You can show attention for which words matter. {UNSAID}, and no compared method says so reliably.",
    ),
    (
        Situation(YES, **{**ALONE, "direction": None}, direction_measured=False),
        "Yes, attention finds the words that matter",
        "You can show attention for which words matter.",
    ),
    (
        Situation(PARTLY, Reason.BEHIND, **BOTH),
        "Partly: attention finds many of the words that matter, but lrp finds far more",
        f"Show lrp: {GOOD_FOR}. Do not show attention as the explanation on its own.",
    ),
    (
        Situation(PARTLY, Reason.BEHIND, barely_used=True, objections=(USED,), **BOTH),
        f"Partly: {UNUSED}, which finds many of the words that matter, but lrp finds far more",
        f"Show lrp: {GOOD_FOR}. Do not show attention as the explanation on its own.",
    ),
    (
        Situation(PARTLY, objections=(STABLE,), **ALONE),
        f"Partly: attention finds the words that matter, but {STABLE}",
        f"If you show attention for which words matter, add this reservation. {UNSAID}: show lrp where readers need "
        "that.",
    ),
    (
        Situation(PARTLY, objections=(USED,), barely_used=True, **BOTH),
        f"Partly: {UNUSED}, although its weights find the words that matter",
        "Do not present attention as the reason for a prediction: the model hardly needs it. Show lrp instead.",
    ),
    (
        Situation(PARTLY, objections=(USED, STABLE), barely_used=True, **ALONE),
        f"Partly: {UNUSED}, although its weights find the words that matter, and {STABLE}",
        "Do not present attention as the reason for a prediction: the model hardly needs it. Show lrp instead.",
    ),
    (
        Situation(PARTLY, **BOTH),
        "Partly: attention finds some of the words that matter; lrp finds more",
        f"Show lrp: {GOOD_FOR}. Do not show attention as the explanation on its own.",
    ),
    (
        Situation(PARTLY, **ALONE),
        "Partly: attention finds some of the words that matter; no other method finds clearly more",
        "No other method finds clearly more. If you show attention, say that it finds about two thirds of what "
        f"matters. {UNSAID}: show lrp where readers need that.",
    ),
    (
        Situation(PARTLY, barely_used=True, **BOTH),
        f"Partly: {UNUSED}, which finds some of the words that matter; lrp finds more",
        f"Show lrp: {GOOD_FOR}. Do not show attention as the explanation on its own.",
    ),
    (
        Situation(DEPENDS, Reason.REMOVALS, sides=(("yes", "delete"), ("no", "unk")), **BOTH),
        "Partly: whether attention finds the words that matter depends on how words are removed (yes: delete; no: "
        "unk)",
        "Choose the removal method that leaves texts most like your own, and take the answer that is named for it; "
        "or train with masked words and judge again. "
        "Until then, do not show attention as the explanation.",
    ),
    (
        # The best method costs more than the one to show.
        Situation(PARTLY, **{**BOTH, "best": Comparison("ig", LRP.difference, 0.8)}),
        "Partly: attention finds some of the words that matter; lrp finds more",
        f"Show lrp: {GOOD_FOR}. Do not show attention as the explanation on its own.",
    ),
    (
        Situation(NO, **BOTH),
        f"No: {MISSES}; show lrp instead",
        f"Show lrp: {GOOD_FOR}. Do not show attention as the explanation on its own.",
    ),
    (
        Situation(NO, **{**BOTH, "shown": "gradient", "direction": "lrp"}),
        f"No: {MISSES}; show gradient instead",
        "Show gradient for which words matter, and lrp for the direction. Do not show attention as the explanation "
        "on its own.",
    ),
    (
        Situation(NO, **{**BOTH, "shown": "gradient", "direction": None}),
        f"No: {MISSES}; show gradient instead",
        "Show gradient for which words matter; no compared method gives the direction reliably. Do not show "
        "attention as the explanation on its own.",
    ),
    (
        Situation(NO, barely_used=True, **BOTH),
        f"No: {UNUSED}, which misses most of the words that matter; show lrp instead",
        f"Show lrp: {GOOD_FOR}. Do not show attention as the explanation on its own.",
    ),
    (
        Situation(NO, **{**ALONE, "shown": None}),
        f"No: {MISSES}, and no other method finds clearly more",
        "Do not show attention as the explanation. No method can be recommended: none is clearly better than a "
        "random order.",
    ),
    (
        Situation(INCONCLUSIVE, Reason.BOUNDS, texts_needed=340, **BOTH),
        "Inconclusive: 100 texts do not decide whether attention finds the words that matter",
        f"Judge more texts: about 340 would decide. Until then, show lrp: {GOOD_FOR}.",
    ),
    (
        Situation(INCONCLUSIVE, Reason.BOUNDS, barely_used=True, **ALONE),
        f"Inconclusive: {UNUSED}, and 100 texts do not decide whether attention finds the words that matter",
        "More texts alone would hardly decide: attention's score is close to a bound, or removal methods differ.",
    ),
    (
        Situation(INCONCLUSIVE, Reason.EQUAL_VALUES, **ALONE),
        "Inconclusive: 100 texts do not decide whether attention finds the words that matter",
        "More texts alone would hardly decide: attention's score is close to a bound, or removal methods differ.",
    ),
    (
        Situation(INCONCLUSIVE, Reason.FEW_TEXTS, texts=1),
        "Inconclusive: 1 text is too few; an answer needs at least 20",
        "Judge at least 20 texts of two or more words.",
    ),
    (
        Situation(INCONCLUSIVE, Reason.UNRELIABLE, reliability=0.816, **BOTH),
        "Inconclusive: which words matter could not be measured reliably (reliability 0.82, 0.9 needed)",
        "The effect of a word depends too much on which other words are left, so that no method can be judged on "
        "these texts. Try other texts, or a model that was trained with masked words.",
    ),
    (
        Situation(INCONCLUSIVE, Reason.NOT_MEASURED, texts=100),
        "Inconclusive: these files do not say which words matter to the model",
        "Run `allennlp verdict` again, in another folder, to measure which words matter.",
    ),
    (
        Situation(INCONCLUSIVE, Reason.NOTHING, nothing="accuracy 0.5, no better than the majority class"),
        "Inconclusive: there is nothing to judge (accuracy 0.5, no better than the majority class)",
        "Check the model and the data first: there is no prediction to explain.",
    ),
]  # fmt: skip


@pytest.mark.parametrize("case, first_line, next_line", CASES)
def test_each_case_has_its_headline_and_its_next_step(case, first_line, next_line):
    assert headline(case) == first_line
    assert next_step(case) == next_line


def test_all_reasons_and_answers_are_in_the_table():
    assert {case.answer for case, *_ in CASES} == {*Answer}
    assert {case.reason for case, *_ in CASES} == {*Reason}


def every_case():
    """All combinations, but for a yes with an objection, which the rule makes a partly."""
    for answer, reason, used, objections in itertools.product(
        Answer, Reason, (True, False), ((), (STABLE,))
    ):
        if answer == YES and (used or objections):
            continue
        for best, shown, direction, measured in itertools.product(
            (None, LRP, LIKE), (None, "attention", "lrp"), (None, "lrp", "ig"), (True, False)
        ):
            yield Situation(
                answer, reason, 100, None, SCORE, best, None, shown,
                direction if measured else None, measured, used, objections,
            )  # fmt: skip


def test_no_case_says_yes_and_do_not_show_attention():
    for case in every_case():
        first, then = headline(case), next_step(case)
        assert re.match(r"(Yes, |Partly: |No: |Inconclusive: )\w", first)
        assert not first.endswith(".") and then.endswith(".")
        assert "None" not in first + then and "  " not in first + then
        if first.startswith("Yes"):
            assert "instead" not in then and then.startswith("You can show attention")
        if first.startswith("No"):
            assert "You can show attention" not in then


@pytest.mark.parametrize(
    "best, unsigned, sentence",
    [
        (LRP, None, "lrp, the best other method, scores 0.150 [0.120, 0.180] more. Attention finds"),
        (LIKE, None, "lrp, the best other method, does not differ clearly (difference 0.010 [-0.020, 0.040])"),
        (
            Comparison("lrp", Estimate(-0.2, -0.3, -0.1), 1.4), None,
            "lrp, the best other method, scores 0.200 [0.100, 0.300] less",
        ),
        (
            LRP, Comparison("gradient", Estimate(0.02, 0.01, 0.03), 0.97),
            "more. gradient, the best other unsigned method, scores 0.020 [0.010, 0.030] more. Attention finds about two "
            "thirds of what matters: it scores 0.680 [0.650, 0.700]",
        ),
        (LIKE, LIKE, "0.040]). Attention finds"),
        (None, None, "Attention finds about two thirds of what matters"),
    ],
)  # fmt: skip
def test_the_comparison_comes_before_attention_s_own_score(best, unsigned, sentence):
    case = Situation(YES, texts=100, score=SCORE, best=best, best_unsigned=unsigned)
    assert sentence in comparison_of(case)


@pytest.mark.parametrize("reason", [Reason.FEW_TEXTS, Reason.UNRELIABLE, Reason.NOTHING])
def test_numbers_that_decide_nothing_are_not_compared(reason):
    assert comparison_of(Situation(INCONCLUSIVE, reason, score=SCORE, best=LRP)) == ""


@pytest.mark.parametrize(
    "score, words",
    [
        (-0.2, "hardly more than a random order"), (0.1, "a small part"), (0.25, "about a quarter"),
        (0.33, "about a third"), (0.5, "about half"), (0.67, "about two thirds"),
        (0.75, "about three quarters"), (0.9, "most"), (1.0, "nearly all"),
    ],
)  # fmt: skip
def test_a_score_has_words(score, words):
    assert fraction_of(score) == words


@pytest.mark.parametrize(
    "seeds, other, sentence",
    [
        (1, INCONCLUSIVE, ""),
        (2, INCONCLUSIVE, "Another training may differ: 2 seeds cannot tell, and 3 are needed."),
        (
            5, YES,
            "Another training would probably give the same answer: over 5 seeds attention scores 0.680 "
            "[0.650, 0.700].",
        ),
        (
            5, INCONCLUSIVE,
            "Another training may give another answer: over 5 seeds attention scores 0.680 [0.650, 0.700].",
        ),
    ],
)  # fmt: skip
def test_several_seeds_say_what_another_training_would_give(seeds, other, sentence):
    assert other_training(seeds, YES, other, SCORE, 3) == sentence


def test_removal_methods_are_named_by_side():
    scores = [("delete", Estimate(0.8, 0.7, 0.9)), ("unk", Estimate(0.1, 0.0, 0.2))]
    assert sides_of(scores, 0.5) == (("yes", "delete"), ("no", "unk"))
    assert sides_of([("delete", Estimate(math.nan, math.nan, math.nan))], 0.5) == (
        ("no", "delete"),
    )


def test_without_an_interval_more_texts_are_asked_for():
    """After the first few texts, the interval for all numbers of texts excludes nothing."""
    unknown = Estimate(0.4, float("nan"), float("nan"))
    case = Situation(Answer.INCONCLUSIVE, Reason.BOUNDS, texts=24, score=unknown)
    assert next_step(case) == "Judge more texts. How many would decide is not known yet."
