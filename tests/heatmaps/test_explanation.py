"""Rows of an attribution file as explained texts."""

from attention_explain.files.attributions import KNOWN, MARKED
from attention_explain.heatmaps.explanation import explanations

METADATA = {
    "labels": ["good", "bad"],
    "interpreters": {"attention": {"signed": False}, "lrp": {"signed": True}},
    "skipped": {"lrp": {"a score that is not finite": 1}},
    "target": None,
    "config": {"dataset_reader": {"type": "attention_text"}},
}
ROW = {
    "id": "7",
    "tokens": ["a", "film"],
    "label": "bad",
    "predicted": "good",
    "probs": [0.75, 0.25],
    "attention": [0.5, 0.5],
    "lrp": [-1.0, 2.0],
    "lrp.conservation_error": 0.125,
    "lrp.flagged": None,
}


def test_a_row_has_its_text_its_prediction_and_the_scores_and_checks_of_each_method():
    (text,) = explanations([ROW], METADATA)
    assert (text.id, text.tokens, text.label, text.gold) == ("7", ["a", "film"], "good", "bad")
    assert (text.labels, text.probs) == (["good", "bad"], [0.75, 0.25])
    assert text.scores == {"attention": [0.5, 0.5], "lrp": [-1.0, 2.0]}
    assert text.signed == {"attention": False, "lrp": True}
    assert text.checks == {"lrp": {"conservation_error": 0.125}}
    assert text.skipped == {} and text.rationale is None and text.target is None
    assert text.unknown is None


def test_unknown_tokens_are_no_method():
    (text,) = explanations([{**ROW, "unknown": [0, 1]}], METADATA)
    assert text.unknown == [0, 1] and list(text.scores) == ["attention", "lrp"]


def test_a_method_that_failed_on_a_text_says_why():
    first, second = explanations([{**ROW, "lrp": None, "rationale": [0, 1]}, ROW], METADATA)
    assert first.scores["lrp"] is None and first.rationale == [0, 1]
    assert first.skipped == {"lrp": "a score that is not finite"}
    assert second.skipped == {}


def test_only_a_corpus_made_of_causes_has_known_ones():
    def said(**config):
        (text,) = explanations([ROW], {**METADATA, "config": config})
        return text.rationales

    assert said(dataset_reader={"type": "planted"}) == said(dataset_reader="planted") == KNOWN
    assert said(dataset_reader={"type": "attention_text"}) == MARKED
    # The texts that are explained are read by the reader of validation data, where there is one.
    both = {"dataset_reader": "planted", "validation_dataset_reader": {"type": "attention_text"}}
    assert said(**both) == MARKED
