"""The treebank reader and its parser, on invented sentences."""

import logging

import pytest

from attention_explain.data.sst_trees import parse_tree
from attention_explain.errors import InputError

TREES = (
    "(3 (2 The) (3 (3 plums) (2 shine)))\n"
    "(2 (2 It) (2 (2 is) (2 late)))\n"
    "\n"
    "(0 (0 dull) (1 (1 grey) (2 rain)))\n"
)


def labelled(instances) -> list:
    return [(" ".join(i["metadata"]["tokens"]), i["label"].label) for i in instances]


@pytest.mark.parametrize("name", ["trees.txt", "trees.txt.gz"])
def test_binary_drops_neutral_sentences_and_counts_them(write, read, caplog, name):
    path = write(name, TREES)
    with caplog.at_level(logging.INFO):
        instances = read(path, type="sst_trees")
    assert labelled(instances) == [("The plums shine", "1"), ("dull grey rain", "0")]
    assert [i["metadata"]["id"] for i in instances] == ["line-1", "line-4"]
    assert f"{path}: 2 texts kept; dropped: 1 with an unwanted label" in caplog.messages


def test_five_keeps_every_class(write, read):
    instances = read(write("trees.txt", TREES), type="sst_trees", granularity="five")
    assert [label for _, label in labelled(instances)] == ["3", "2", "0"]


def test_subtrees_are_texts_with_ids_of_their_own(write, read):
    path = write("trees.txt", TREES.splitlines()[0])
    instances = read(path, type="sst_trees", granularity="five", subtrees=True)
    assert labelled(instances) == [
        ("The plums shine", "3"),
        ("The", "2"),
        ("plums shine", "3"),
        ("plums", "3"),
        ("shine", "2"),
    ]
    assert [i["metadata"]["id"] for i in instances] == [
        "line-1",
        "line-1/1",
        "line-1/2",
        "line-1/3",
        "line-1/4",
    ]


def test_words_are_kept_as_published(write, read):
    path = write("trees.txt", "(4 (2 -LRB-) (3 (2 half\\/full) (2 3\u00a01\\/2)))")
    tokens = read(path, type="sst_trees")[0]["metadata"]["tokens"]
    assert tokens == ["-LRB-", "half\\/full", "3\u00a01\\/2"]


def test_labels_may_be_mapped_from_the_names_of_the_classes(write, read):
    extremes = {
        "very negative": "bad",
        "very positive": "good",
        "negative": None,
        "neutral": None,
        "positive": None,
    }
    instances = read(write("trees.txt", TREES), type="sst_trees", labels=extremes)
    assert labelled(instances) == [("dull grey rain", "bad")]


def test_a_label_typed_for_a_text_is_the_models_and_not_a_class_of_the_trees(make_reader):
    reader = make_reader("sst_trees")
    assert reader.text_to_instance("plums", label="1")["label"].label == "1"
    assert reader.text_to_instance("plums", label="negative")["label"].label == "0"


def test_a_deep_tree_is_no_problem():
    depth = 5000
    words, phrases = parse_tree("(2 (2 a) " * depth + "(2 a)" + ")" * depth)
    assert len(words) == depth + 1
    assert len(phrases) == 2 * depth + 1
    assert (phrases[0].start, phrases[0].end) == (0, depth + 1)


@pytest.mark.parametrize(
    "tree, problem",
    [
        ("(3 (2 a) (2 b)", "1 brackets are not closed"),
        ("(3 (2 a) (2 b)))", "')' follows the end of the tree"),
        ("(3 a) (2 b)", "'(' follows the end of the tree"),
        ("3 a", "it begins with '3' instead of a bracket"),
        (") (", "it begins with ')' instead of a bracket"),
        ("(3)", "a node holds no word"),
        ("(3 (2 a) (2 ))", "a node holds no word"),
        ("(3 a b)", "the word 'b' is not in a node of its own"),
        ("(3 (2 a) b)", "the word 'b' is not in a node of its own"),
        ("(3 a (2 b))", "a node holds the word 'a' and another node"),
        ("(5 a)", "a class is '5', but must be 0, 1, 2, 3 or 4"),
        ("(a)", "a class is 'a', but must be 0, 1, 2, 3 or 4"),
        ("((2 a))", "a class is '(', but must be 0, 1, 2, 3 or 4"),
        ("(", "a class is missing"),
    ],
)
def test_a_broken_tree_is_rejected_by_file_and_line(write, rejection, tree, problem):
    path = write("trees.txt", "(3 fine)\n" + tree + "\n")
    assert rejection(path, type="sst_trees") == (
        f"{path}, line 2: is not a sentiment tree ({problem})"
    )


def test_an_unknown_granularity_is_rejected(make_reader):
    with pytest.raises(InputError) as rejected:
        make_reader("sst_trees", granularity="three")
    assert str(rejected.value) == "granularity is 'three', but must be one of binary, five"
