"""Faithfulness scores over removal methods, each of which counts once."""

import pytest

from analysis.verdict.inputs import load_inputs
from analysis.verdict.scores import score_methods
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
