"""Sentences of a verdict."""

from pathlib import Path

import pytest

from analysis.verdict.text import lines, question_of, summary_of
from analysis.verdict.verdict import verdict_on
from tests.analysis.verdict.verdict_files import write_folder


@pytest.mark.parametrize(
    "label,why", [(None, "no text has a label"), ("0", "all texts have the label '0'")]
)
def test_it_is_said_that_it_is_not_known_whether_the_model_has_learned(tmp_path, label, why):
    verdict = verdict_on(write_folder(tmp_path, label=label))
    assert f"Whether the model has learned anything is not known: {why}." in summary_of(verdict)
    assert verdict.as_json()["not_asked"] == why


def test_nothing_is_said_if_the_model_has_learned(tmp_path):
    assert "is not known" not in "\n".join(lines(verdict_on(write_folder(tmp_path)), Path("page")))


def test_texts_of_one_word_leave_nothing_to_judge(tmp_path):
    one = {"tokens": ["fine"], "attention": [1.0], "gradient": [1.0], "lrp": [1.0]}
    verdict = verdict_on(write_folder(tmp_path, **one))
    assert summary_of(verdict) == "No text has two words to rank."
    assert verdict.recommended.method is None


def test_the_interval_for_each_removal_method_is_shown(tmp_path):
    scores = {"attention": {"delete": 0.5, "unk": 0.48}, "lrp": {"delete": 0.6, "unk": 0.6}}
    verdict = verdict_on(write_folder(tmp_path, texts=30, scores=scores, spread=0.4))
    said = verdict.finding("where").sentence
    assert verdict.answer == "inconclusive" and "] by delete and " in said


@pytest.mark.parametrize("seeds", [1, 2, 4])
def test_several_seeds_have_a_sentence_about_another_training(tmp_path, seeds):
    verdict = verdict_on(write_folder(tmp_path, seeds=seeds))
    said = verdict.another_training
    assert said in summary_of(verdict) and verdict.as_json()["another_training"] == said
    starts = {1: "", 2: "Another training may differ", 4: "Another training would probably give"}
    assert said.startswith(starts[seeds]) and bool(said) is (seeds > 1)


@pytest.mark.parametrize(
    "corpus, data, name",
    [
        ("small", "my/reviews/test.jsonl", "small"),
        (None, "my/reviews/test.jsonl", "reviews/test.jsonl"),
        (None, "mine.jsonl", "mine.jsonl"),
        (None, "test", "attention_text"),
    ],
)
def test_the_title_names_the_data_and_not_the_reader(tmp_path, corpus, data, name):
    verdict = verdict_on(write_folder(tmp_path, corpus=corpus, data=data))
    assert f"explanation of bilstm tanh softmax on {name} (100 texts)?" in question_of(verdict)
    assert verdict.as_json()["data"] == name
