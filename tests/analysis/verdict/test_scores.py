"""Faithfulness scores over removal methods, each of which counts once."""

import pytest

from analysis.verdict.inputs import load_inputs
from analysis.verdict.scores import score_methods
from analysis.verdict.verdict import verdict_on
from tests.analysis.verdict.verdict_files import write_folder

ERASURES = ("delete", "unk", "zero")
SCORES = {
    "attention": {"delete": 0.1, "unk": 0.4, "zero": 0.4},
    "lrp": {"delete": 0.9, "unk": 0.8, "zero": 0.8},
}


def test_removal_methods_with_the_same_values_count_once(tmp_path):
    scores = score_methods(
        load_inputs(write_folder(tmp_path, scores=SCORES, spread=0.0, erasures=ERASURES))
    )
    assert scores.removal_methods == ["delete", "unk"]
    assert scores.score("attention").estimate.mean == pytest.approx(0.25)


@pytest.mark.parametrize(
    "lrp,spread", [({**SCORES["lrp"], "zero": 0.7}, 0.0), (SCORES["lrp"], 0.1)]
)
def test_removal_methods_that_differ_for_any_method_or_text_are_kept(tmp_path, lrp, spread):
    made = write_folder(tmp_path, scores={**SCORES, "lrp": lrp}, spread=spread, erasures=ERASURES)
    assert score_methods(load_inputs(made)).removal_methods == list(ERASURES)


def test_removal_methods_without_reliable_relevance_are_left_out(tmp_path):
    folder = write_folder(tmp_path, reliability={"delete": 0.95, "unk": 0.8})
    verdict = verdict_on(folder)
    assert verdict.scores.removal_methods == ["delete"] and verdict.answer == "no"
    assert verdict.decision.reliability == 0.95
    assert "unk left out, where relevance is not reliable" in verdict.finding("where").sentence


def test_if_relevance_is_reliable_for_no_removal_method_there_is_no_answer(tmp_path):
    verdict = verdict_on(write_folder(tmp_path, reliability={"delete": 0.85, "unk": 0.8}))
    assert verdict.answer == "inconclusive" and verdict.scores.removal_methods == ["delete", "unk"]
    assert verdict.headline.endswith("(reliability 0.80, 0.9 needed)")
    assert "reliability of 0.800" in verdict.finding("where").sentence
    assert verdict.as_json()["reliability"] == 0.8
    assert load_inputs(tmp_path).reliability == {"delete": 0.85, "unk": 0.8}
