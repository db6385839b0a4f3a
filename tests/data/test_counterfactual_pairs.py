"""Pairs of versions: which words count as edited, which formats are read, and what is an error."""

import json

import pytest
from allennlp.data import DatasetReader

from attention_explain.data.counterfactual_pairs import EMBEDDED, Edit, edits_between
from attention_explain.data.errors import DataError
from tests.builders import params

PAIR = {
    "id": "a",
    "text": "The soup was hot and good.",
    "label": "pos",
    "edited_text": "The soup was cold and not good.",
    "edited_label": "neg",
}


def read(path):
    reader = DatasetReader.from_params(params({"type": "counterfactual_pairs"}))
    return [
        each["metadata"].metadata | {"label": each["label"].label}
        for each in reader.read(str(path))
    ]


@pytest.fixture
def write(tmp_path):
    def written(*records):
        path = tmp_path / "pairs.jsonl"
        path.write_text("\n".join(json.dumps(record) for record in records))
        return path

    return written


def test_both_versions_become_texts(write):
    first, other = read(write(PAIR))
    assert (first["id"], first["label"]) == ("a", "pos")
    assert (other["id"], other["label"]) == ("a (edited)", "neg")
    # The soup was hot and good . / The soup was cold and not good .
    assert first["rationale"] == [0, 0, 0, 1, 1, 1, 0]
    assert other["rationale"] == [0, 0, 0, 1, 0, 1, 0, 0]


@pytest.mark.parametrize(
    "words, others, edits",
    [
        ("a b c", "a x c", [Edit(1, 2, ("x",))]),
        ("a b c", "a x y c", [Edit(1, 2, ("x", "y"))]),
        ("a b c d", "a d", [Edit(1, 3, ())]),
        ("a d", "a b c d", [Edit(1, 1, ("b", "c"))]),
        ("a b c d", "x b c y", [Edit(0, 1, ("x",)), Edit(3, 4, ("y",))]),
    ],
)
def test_changed_spans_are_edits(words, others, edits):
    words, others = words.split(), others.split()
    found = edits_between(words, others)
    assert found == edits
    # All of them, from the last to the first, give the other version.
    for edit in reversed(found):
        words = edit.apply(words)
    assert words == others


def test_an_insertion_belongs_to_the_words_next_to_it():
    assert list(Edit(2, 2, ("not",)).marked(5)) == [1, 2]
    assert list(Edit(0, 0, ("not",)).marked(5)) == [0]
    assert list(Edit(5, 5, ("not",)).marked(5)) == [4]


def test_two_rows_of_a_tsv_are_a_pair(tmp_path):
    path = tmp_path / "paired.tsv"
    rows = ["Sentiment\tText\tbatch_id", "Positive\ta good film\t4", "Negative\ta bad film\t4"]
    path.write_text("\n".join(rows))
    first, other = read(path)
    assert first["label"] == "Positive" and other["label"] == "Negative"
    assert other["id"] == f"{first['id']} (edited)"
    assert first["rationale"] == other["rationale"] == [0, 1, 0]


def test_the_embedded_pairs_are_natural_pairs():
    texts = read(EMBEDDED)
    assert len(texts) == 120
    assert len({" ".join(text["tokens"]) for text in texts}) == 120
    assert {text["label"] for text in texts} == {"positive", "negative"}
    assert all(0 < sum(text["rationale"]) < len(text["tokens"]) for text in texts)


@pytest.mark.parametrize(
    "change, problem",
    [
        ({"edited_text": PAIR["text"]}, "equal to the text"),
        ({"edited_label": "pos"}, "the same label, 'pos'"),
        ({"edited_text": None}, "'edited_text' is missing"),
        ({"edited_label": ""}, "'edited_label' is missing"),
        ({"label": None}, "a label is missing"),
        ({"edited_text": "The  soup was hot and good."}, "equal as the reader splits them"),
    ],
)
def test_what_is_no_pair_is_an_error_with_its_line(change, problem, write):
    with pytest.raises(DataError, match=rf"line 2: .*{problem}"):
        read(write(PAIR, {**PAIR, "id": "b", **change}))


def test_a_row_without_its_partner_is_an_error(tmp_path):
    path = tmp_path / "paired.tsv"
    path.write_text("Sentiment\tText\tbatch_id\nPositive\ta good film\t4")
    with pytest.raises(DataError, match="line 2: the pair '4' has only one row"):
        read(path)
