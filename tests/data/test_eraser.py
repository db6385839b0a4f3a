"""The reader of ERASER's form, on invented reviews."""

import json
import re

import pytest


def line(name, label="POS", *spans, **more):
    evidences = [
        [{"docid": name, "start_token": start, "end_token": end, "text": "", **more}]
        for start, end in spans
    ]
    fields = {"annotation_id": name, "classification": label, "query": "?", "evidences": evidences}
    return json.dumps({**fields, "docids": None, "query_type": None}) + "\n"


@pytest.fixture
def task(write):
    """A task with a document a file; gives the path of its training split."""
    write("movies/docs/one.txt", "a  fine film .\n\nwe liked it\n")
    write("movies/docs/two.txt", "dull\n")
    write("movies/val.jsonl", line("two.txt", "NEG", (0, 1)))
    lines = line("one.txt", "POS", (1, 3), (2, 5)) + line("two.txt", "NEG")
    return write("movies/train.jsonl", lines)


def test_spans_of_tokens_over_all_sentences_are_the_rationale(task, read):
    one, two = read(task, type="eraser")
    assert one["metadata"].metadata == {
        "id": "one.txt",
        "tokens": ["a", "fine", "film", ".", "we", "liked", "it"],
        "rationale": [0, 1, 1, 1, 1, 0, 0],
    }
    assert (one["label"].label, two["label"].label) == ("POS", "NEG")
    assert two["metadata"]["rationale"] == [0]


def test_texts_of_another_split_are_left_out(task, make_reader):
    reader = make_reader("eraser", held_out=task.replace("train", "val"))
    assert [text["metadata"]["id"] for text in reader.read(task)] == ["one.txt"]
    assert reader.counts.to_dict()["dropped"] == {"held out": 1}


def test_documents_may_lie_in_one_file(write, read):
    write("docs.jsonl", json.dumps({"docid": "d", "document": "a fine\nfilm"}) + "\n")
    (text,) = read(write("test.jsonl", line("d", "POS", (1, 3))), type="eraser")
    assert text["metadata"]["tokens"] == ["a", "fine", "film"]
    assert text["metadata"]["rationale"] == [0, 1, 1]


@pytest.mark.parametrize(
    "content, problem",
    [
        (line("one.txt", "POS", (1, 9)), "has the tokens 1 to 9, but the document has 7"),
        (line("../val.jsonl", "POS", (0, 1)), "the document .*docs/val.jsonl is missing"),
        (line("one.txt", "POS", (0, 1), docid=None), "the document .* is missing"),
        ('{"annotation_id": "one.txt", "classification": "P", "evidences": [1]}', "not a list of"),
        ('{"annotation_id": "one.txt", "evidences": []}', "field 'classification' is missing"),
        ("[1]", "is not a JSON object"),
        ("{", "is not JSON"),
    ],
)
def test_bad_lines_are_named(task, write, rejection, content, problem):
    path = write("movies/bad.jsonl", content)
    said = rejection(path, type="eraser")
    assert path in said and "line 1" in said
    assert re.search(problem, said)


def test_evidence_of_two_documents_is_no_single_text(task, write, rejection):
    record = json.loads(line("one.txt", "POS", (0, 1)))
    record["evidences"] += json.loads(line("two.txt", "POS", (0, 1)))["evidences"]
    path = write("movies/bad.jsonl", json.dumps(record))
    assert "has evidence in 2 documents" in rejection(path, type="eraser")
