"""The reader of movie reviews, on invented reviews in a folder and in an archive."""

import os

import pytest

REVIEWS = {
    "neg/0_2.txt": "So dull.<br /><br />I slept.",
    "neg/10_1.txt": "Never again",
    "neg/9_4.txt": "Too long",
    "pos/0_9.txt": "Caf\u00e9 scenes shine",
    "pos/.hidden": "\ufffd",
}
ALL_IDS = ["train/neg/0_2", "train/pos/0_9", "train/neg/9_4", "train/neg/10_1"]


@pytest.fixture
def corpus(write, tmp_path):
    for name, text in REVIEWS.items():
        write(f"movies/train/{name}", text)
    write("movies/train/unsup/0_0.txt", "not read")
    return str(tmp_path / "movies" / "train")


def ids(instances) -> list:
    return [instance["metadata"]["id"] for instance in instances]


def test_a_folder_is_read_in_the_order_of_the_numbers_both_classes_in_turn(corpus, read):
    instances = read(corpus, type="acl_imdb")
    assert ids(instances) == ALL_IDS
    assert [instance["label"].label for instance in instances] == ["0", "1", "0", "0"]


def test_a_trailing_slash_changes_nothing(corpus, read):
    assert ids(read(corpus + "/", type="acl_imdb")) == ALL_IDS


def test_line_breaks_of_html_become_spaces(corpus, read):
    assert read(corpus, type="acl_imdb")[0]["metadata"]["tokens"] == ["So", "dull.", "I", "slept."]


@pytest.mark.parametrize("archive", ["movies.tar", "movies.tar.gz"])
def test_an_archive_is_read_as_the_folder_in_it_and_not_unpacked(
    corpus, pack, read, tmp_path, archive
):
    path = pack("movies", archive)
    before = sorted(os.listdir(tmp_path))
    from_folder = read(corpus, type="acl_imdb")
    from_archive = read(f"{path}!movies/train", type="acl_imdb")
    assert ids(from_archive) == ids(from_folder)
    assert [i["metadata"]["tokens"] for i in from_archive] == [
        i["metadata"]["tokens"] for i in from_folder
    ]
    assert sorted(os.listdir(tmp_path)) == before


def test_a_folder_whose_name_has_the_archive_mark_is_a_folder(write, read, tmp_path):
    write("great!/train/pos/0_9.txt", "good")
    write("great!/train/neg/0_1.txt", "bad")
    assert len(read(str(tmp_path / "great!" / "train"), type="acl_imdb")) == 2


def test_labels_may_be_renamed(corpus, read):
    instances = read(corpus, type="acl_imdb", labels={"neg": "bad", "pos": "good"})
    assert [instance["label"].label for instance in instances] == ["bad", "good", "bad", "bad"]


def test_a_missing_class_is_rejected(write, pack, rejection, tmp_path):
    write("movies/train/pos/0_9.txt", "good")
    folder = str(tmp_path / "movies" / "train")
    assert rejection(folder, type="acl_imdb") == f"{folder}: has no folder 'neg'"
    archived = pack("movies", "movies.tar.gz") + "!movies/train"
    assert rejection(archived, type="acl_imdb") == f"{archived}: has no folder 'neg'"


def test_a_review_with_another_name_is_rejected(corpus, write, rejection):
    path = write("movies/train/pos/notes.txt", "buy milk")
    assert rejection(corpus, type="acl_imdb") == (
        f"{path}: is not named <number>_<rating>.txt as a review is"
    )


def test_a_review_that_is_not_utf8_is_rejected_by_its_name_in_the_archive(
    corpus, write, pack, rejection
):
    write("movies/train/pos/1_8.txt", b"caf\xe9")
    path = pack("movies", "movies.tar")
    assert rejection(f"{path}!movies/train", type="acl_imdb") == (
        f"{path}!movies/train/pos/1_8.txt: is not UTF-8 (unexpected end of data)"
    )


def test_an_empty_review_is_rejected_by_its_file(corpus, write, rejection):
    path = write("movies/train/neg/11_1.txt", "<br />")
    assert rejection(corpus, type="acl_imdb") == (
        f"{path}: the text is empty (the dataset reader's option min_tokens, 1 or more, drops such texts)"
    )


def test_an_archive_without_a_folder_says_how_to_name_one(corpus, pack, rejection):
    path = pack("movies", "movies.tar.gz")
    assert rejection(path, type="acl_imdb") == (
        f"{path}: is a file, but a folder is needed; a folder inside a tar archive is written "
        "archive.tar.gz!folder"
    )


def test_a_file_that_is_no_archive_is_rejected(write, rejection):
    path = write("movies.tar", "words")
    assert rejection(f"{path}!movies/train", type="acl_imdb").startswith(
        f"{path}: is not a readable tar archive ("
    )


@pytest.mark.parametrize("missing", [5, 200])
def test_an_archive_that_ends_too_early_is_rejected(corpus, pack, write, rejection, missing):
    with open(pack("movies", "movies.tar.gz"), "rb") as whole:
        path = write("part.tar", whole.read()[:-missing])
    assert rejection(f"{path}!movies/train", type="acl_imdb") == (
        f"{path}: is not a readable tar archive (Compressed file ended before the end-of-stream "
        "marker was reached)"
    )


def test_a_missing_archive_is_rejected(rejection, tmp_path):
    path = str(tmp_path / "none.tar.gz")
    assert rejection(f"{path}!movies/train", type="acl_imdb").startswith(
        f"{path}: no such file or folder; check the path"
    )
