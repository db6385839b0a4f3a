"""What a verdict says of what it could not ask."""

from pathlib import Path

import pytest

from analysis.verdict.verdict import verdict_on
from analysis.verdict.words import asked, because, lines
from tests.analysis.verdict.verdict_files import write_folder


@pytest.mark.parametrize(
    "label,why", [(None, "no text has a label"), ("0", "all texts have the label '0'")]
)
def test_that_nobody_could_ask_whether_the_model_has_learned_is_said(tmp_path, label, why):
    verdict = verdict_on(write_folder(tmp_path, label=label))
    assert f". Whether the model has learned anything was not asked: {why}." in because(verdict)
    assert verdict.as_json()["not_asked"] == why


def test_where_it_was_asked_nothing_is_said_of_it(tmp_path):
    assert "not asked" not in "\n".join(lines(verdict_on(write_folder(tmp_path)), Path("page")))


def test_texts_of_one_word_leave_nothing_to_judge(tmp_path):
    one = {"tokens": ["fine"], "attention": [1.0], "gradient": [1.0], "lrp": [1.0]}
    verdict = verdict_on(write_folder(tmp_path, **one))
    assert because(verdict) == "No text has two words, which could come in another order."
    assert verdict.recommended.method is None


def test_what_cannot_be_told_shows_under_which_erasure(tmp_path):
    places = {"attention": {"delete": 0.45, "unk": 0.3}, "lrp": {"delete": 0.9, "unk": 0.9}}
    verdict = verdict_on(write_folder(tmp_path, texts=30, places=places, spread=0.4))
    said = verdict.question("points").sentence
    assert verdict.answer == "cannot be told" and "] by delete and " in said


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
    assert f"explanation of bilstm tanh softmax on {name} (100 texts)?" in asked(verdict)
    assert verdict.as_json()["data"] == name
