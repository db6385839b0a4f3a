"""The reader of HateXplain's files, on invented and harmless posts."""

import json

import pytest

POSTS = {
    "1": (["tea", "is", "awful"], ["offensive", "offensive", "normal"], [[0, 0, 1], [1, 1, 1]]),
    "2": (["tea", "time"], ["normal", "normal", "normal"], []),
    "3": (["no"], ["normal", "offensive", "hatespeech"], [[1], [1]]),
    # A marking that belongs to another text.
    "4": (["tea", "again"], ["offensive"] * 3, [[0, 1, 1], [0, 1]]),
}


@pytest.fixture
def folder(write):
    posts = {
        name: {
            "post_id": name,
            "post_tokens": tokens,
            "annotators": [{"label": label, "annotator_id": 1, "target": []} for label in labels],
            "rationales": rationales,
        }
        for name, (tokens, labels, rationales) in POSTS.items()
    }
    write("Data/dataset.json", json.dumps(posts, indent=1))
    path = write("Data/post_id_divisions.json", json.dumps({"train": list("124"), "val": ["3"]}))
    return path.rpartition("/")[0]


def test_the_label_is_that_of_most_and_annotators_are_kept_apart(folder, read, caplog):
    texts = read(f"{folder}/train", type="hatexplain")
    assert [text["label"].label for text in texts] == ["offensive", "normal", "offensive"]
    found = [text["metadata"].metadata for text in texts]
    assert [text["id"] for text in found] == ["1", "2", "4"]
    assert found[0]["tokens"] == ["tea", "is", "awful"]
    assert [text.get("rationale") for text in found] == [[[0, 0, 1], [1, 1, 1]], None, [[0, 1]]]
    assert "1 markings are not as long as their post" in caplog.text


def test_posts_that_no_label_has_most_of_are_dropped(folder, rejection):
    said = rejection(f"{folder}/val", type="hatexplain")
    assert "dropped: 1 without a majority label" in said


def test_bad_folders_are_named(folder, write, rejection):
    assert "has no split 'dev'; it has train, val" in rejection(f"{folder}/dev", type="hatexplain")
    write("Data/post_id_divisions.json", json.dumps({"train": ["9"]}))
    assert "has no post '9'" in rejection(f"{folder}/train", type="hatexplain")
    write("Data/dataset.json", "[]")
    assert "dataset.json: is not a JSON object" in rejection(f"{folder}/train", type="hatexplain")
    write("Data/dataset.json", "{")
    assert "is not JSON" in rejection(f"{folder}/train", type="hatexplain")
