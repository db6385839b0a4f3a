"""The readers of pairs, on invented stories and sentences."""

import json

import pytest
from allennlp.data import Vocabulary

from attention_explain.errors import InputError

STORY = """\
1 Ada went to the attic.
2 Bob took the lamp.
3 Where is Ada? \tattic\t1
4 Ada left for the cellar.
5 Where is Ada?\tcellar\t4 1
1 Bob sat in the porch.
2 Where is Bob? \tporch\t1
"""


def jsonl(*records) -> str:
    return "".join(json.dumps(record) + "\n" for record in records)


def line(**fields):
    return {"passage": "ada is upstairs", "question": "where ?", "answer": "upstairs"} | fields


def metadata(instances):
    return [instance["metadata"].metadata for instance in instances]


# bAbI ---------------------------------------------------------------------------------------------


@pytest.fixture
def story(write):
    return write("qa1_train.txt.gz", STORY)


def test_each_question_is_asked_of_the_story_so_far(story, read):
    found = read(story, type="babi", lowercase=True)
    assert [text["label"].label for text in found] == ["attic", "cellar", "porch"]
    first, second, third = metadata(found)
    assert [text["id"] for text in (first, second, third)] == ["line-3", "line-5", "line-7"]
    assert first["tokens"] == ["ada", "went", "to", "the", "attic.", "bob", "took", "the", "lamp."]
    assert first["query"] == ["where", "is", "ada?"]
    # Earlier questions are no part of the story, and supporting facts count its lines all the same.
    assert second["tokens"] == [*first["tokens"], "ada", "left", "for", "the", "cellar."]
    assert second["rationale"] == [1] * 5 + [0] * 4 + [1] * 5
    assert third["tokens"] == ["bob", "sat", "in", "the", "porch."]
    assert third["rationale"] == [1] * 5


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        (
            "1 Ada sat.\n2 Who?\tAda\t3\n",
            "line 2: supporting fact 3 is not a sentence of the story",
        ),
        ("1 Ada sat.\n2 Who?\tAda\t0\n", "line 2: supporting fact 0 is not a sentence"),
        ("1 A b.\n2 Who?\tA\t1\n3 Who?\tA\t2\n", "line 3: supporting fact 2 is not a sentence"),
        ("1 Ada sat.\n2 Who?\tAda\tx\n", "line 2: supporting fact x is not a sentence"),
        ("1 Who?\tAda\t\n", "line 1: the passage is empty"),
        ("1 Ada sat.\n2 \tAda\t1\n", "line 2: field 'question' is empty"),
        ("1 Ada sat.\n2 Who?\t\t1\n", "line 2: field 'answer' is missing"),
        ("1 Ada sat.\n3 Who?\tAda\t1\n", "line 2: begins with 3"),
        ("2 Ada sat.\n", "line 1: begins with 2"),
        ("Ada sat.\n", "line 1: does not begin with a number"),
        ("1 Ada sat.\n2 Who?\tAda\t1\t1\n", "line 2: has 4 columns"),
        ("1 Ada sat.\n", "holds no text at all"),
    ],
)
def test_bad_stories_are_rejected_with_their_line(lines, said, write, rejection):
    assert said in rejection(write("qa.txt", lines), type="babi")


# Candidates ---------------------------------------------------------------------------------------


def indexed_candidates(instances):
    vocab = Vocabulary.from_instances(instances)
    labels = vocab.get_token_to_index_vocabulary("labels")
    found = []
    for instance in instances:
        instance.index_fields(vocab)
        mask = instance["candidates"].as_tensor({})
        found.append({label for label, number in labels.items() if mask[number]})
    return found


def test_only_words_of_the_passage_may_be_answers_where_the_reader_says_so(story, make_reader):
    reader = make_reader("babi", candidates="passage", tokenizer="english", lowercase=True)
    instances = list(reader.read(story))
    for instance in instances:
        reader.apply_token_indexers(instance)
    assert indexed_candidates(instances) == [{"attic"}, {"attic", "cellar"}, {"porch"}]


def test_a_label_in_capitals_is_found_in_a_passage_in_lower_case(write, make_reader):
    path = write("qa.txt", "1 Ada sat .\n2 Who?\tAda\t1\n")
    reader = make_reader("babi", candidates="passage", lowercase=True)
    (instance,) = reader.read(path)
    reader.apply_token_indexers(instance)
    assert indexed_candidates([instance]) == [{"Ada"}]


def test_candidates_of_the_file_are_taken(write, make_reader):
    lines = [line(candidates=["upstairs", "roof"]), line(answer="roof", candidates=["roof"])]
    reader = make_reader("question_passage")
    instances = list(reader.read(write("qa.jsonl", jsonl(*lines))))
    for instance in instances:
        reader.apply_token_indexers(instance)
    assert indexed_candidates(instances) == [{"upstairs", "roof"}, {"roof"}]


def test_a_line_without_candidates_of_its_own_may_have_any_label(write, make_reader):
    lines = [line(candidates=["upstairs", "roof"]), line(answer="roof"), line(answer="attic")]
    reader = make_reader("question_passage")
    instances = list(reader.read(write("qa.jsonl", jsonl(*lines))))
    for instance in instances:
        reader.apply_token_indexers(instance)
    every = {"upstairs", "roof", "attic"}
    assert indexed_candidates(instances) == [{"upstairs", "roof"}, every, every]
    assert [("candidates" in one["metadata"].metadata) for one in instances] == [True, False, False]


def test_an_answer_that_is_no_candidate_is_rejected(write, rejection):
    path = write("qa.jsonl", jsonl(line(), line(answer="roof", candidates=["attic", "ada"])))
    assert rejection(path, type="question_passage").endswith(
        "line 2: field 'answer' is 'roof', which is not one of its candidates ('attic', 'ada')"
    )
    path = write("qa.jsonl", jsonl(line(answer="roof")))
    said = rejection(path, type="question_passage", candidates="passage")
    assert "line 1: field 'answer' is 'roof', which is not a word of the passage" in said


def test_a_text_none_of_whose_candidates_was_ever_a_label_is_rejected(write, make_reader):
    reader = make_reader("question_passage", candidates="passage")
    (known,) = reader.read(write("train.jsonl", jsonl(line())))
    (other,) = reader.read(write("test.jsonl", jsonl(line(passage="bob ate", answer="ate"))))
    reader.apply_token_indexers(known)
    vocab = Vocabulary.from_instances([known])
    with pytest.raises(InputError) as rejected:
        other["candidates"].index(vocab)
    assert "line 1: none of the candidates of this text is a label of the training data" in str(
        rejected.value
    )


# Files of pairs -----------------------------------------------------------------------------------


def test_question_and_passage_are_read_alike(write, read):
    path = write("qa.jsonl", jsonl(line(id="one", rationale=[0, 0, 1], passage="Ada is 9")))
    (found,) = read(
        path, type="question_passage", lowercase=True, digit_word="qqq", boundary_symbols=True
    )
    told = found["metadata"].metadata
    assert told == {
        "id": "one",
        "tokens": ["ada", "is", "qqq"],
        "query": ["where", "?"],
        "rationale": [0, 0, 1],
    }
    assert [token.text for token in found["query"].tokens] == ["@start@", "where", "?", "@end@"]
    assert found["attendable"].tensor.tolist() == [False, True, True, True, False]


def test_tokens_and_renamed_fields(write, read):
    record = {"story": "x", "passage_tokens": ["a b", "c"], "question_tokens": ["d"], "y": "e"}
    fields = {"passage": "story", "answer": "y"}
    (found,) = read(write("qa.jsonl", jsonl(record)), type="question_passage", fields=fields)
    assert found["metadata"].metadata["tokens"] == ["a b", "c"]
    assert found["metadata"].metadata["query"] == ["d"]
    assert found["label"].label == "e"


@pytest.mark.parametrize(
    ("record", "said"),
    [
        (line(passage=" "), "line 1: the passage is empty (the dataset reader's option min_tokens"),
        (line(question=""), "line 1: field 'question' is empty"),
        ({"passage": "a", "answer": "b"}, "line 1: field 'question' (or 'question_tokens')"),
        ({"question": "a", "answer": "b"}, "line 1: field 'passage' (or 'passage_tokens')"),
        (line(question=["a"]), "line 1: field 'question' is not a text"),
        (line(rationale=[1]), "line 1: field 'rationale' has 1 entries, but the text has 3 tokens"),
        (line(candidates=[1]), "line 1: field 'candidates' may hold only texts"),
        (line(answer=None), "line 1: field 'answer' is missing"),
    ],
)
def test_bad_pairs_are_rejected_with_line_and_field(record, said, write, rejection):
    assert said in rejection(write("qa.jsonl", jsonl(record)), type="question_passage")


def test_limits_are_those_of_the_passage(write, make_reader):
    reader = make_reader("question_passage", min_tokens=1, max_tokens=3)
    path = write("qa.jsonl", jsonl(line(), line(passage=""), line(passage="a b c d")))
    assert len(list(reader.read(path))) == 1
    dropped = {"with fewer than 1 tokens": 1, "with more than 3 tokens": 1}
    assert dict(reader.counts.dropped) == dropped


def test_mistyped_options_are_rejected(make_reader):
    with pytest.raises(InputError, match="candidates is 'passages'"):
        make_reader("babi", candidates="passages")
    with pytest.raises(InputError, match="only these fields are read: passage"):
        make_reader("question_passage", fields={"text": "story"})


# SNLI ---------------------------------------------------------------------------------------------

PAIRS = [
    ("A dog runs .", "An animal moves .", "entailment", "p1"),
    ("A dog runs .", "A cat sleeps .", "-", "p2"),
    ("A dog runs .", "It is dusk .", "neutral", "p3"),
]
OFFICIAL = ("sentence1", "sentence2", "gold_label", "pairID")


@pytest.mark.parametrize("ending", ["jsonl", "txt"])
def test_snli_is_read_in_both_of_its_forms(ending, write, make_reader):
    if ending == "jsonl":
        content = jsonl(*({**dict(zip(OFFICIAL, pair)), "captionID": "c"} for pair in PAIRS))
    else:
        content = "".join("\t".join((*row, "c")) + "\n" for row in (OFFICIAL, *PAIRS))
    reader = make_reader("snli")
    found = list(reader.read(write(f"snli_1.0_dev.{ending}", content)))
    assert [text["id"] for text in metadata(found)] == ["p1", "p3"]
    assert metadata(found)[1]["tokens"] == ["A", "dog", "runs", "."]
    assert metadata(found)[1]["query"] == ["It", "is", "dusk", "."]
    assert [text["label"].label for text in found] == ["entailment", "neutral"]
    assert reader.counts.dropped == {"with an unwanted label": 1}


def test_other_labels_and_empty_premises_of_snli_are_rejected(write, rejection):
    bad = dict(zip(OFFICIAL, ("A dog .", "A cat .", "perhaps", "p")))
    assert "field 'gold_label' is 'perhaps', which is not one of" in rejection(
        write("a.jsonl", jsonl(bad)), type="snli"
    )
    empty = dict(zip(OFFICIAL, ("", "A cat .", "neutral", "p")))
    assert "line 1: the premise is empty" in rejection(write("a.jsonl", jsonl(empty)), type="snli")


# The published files ------------------------------------------------------------------------------


@pytest.mark.parametrize(("task", "facts"), [(1, 1), (2, 2), (3, 3)])
def test_the_published_stories_are_read_whole(published, read, task, facts):
    path = published / "babi" / "raw" / f"qa{task}_dev.txt.gz"
    found = read(
        str(path), type="babi", candidates="passage", tokenizer="english", max_instances=200
    )
    assert len(found) == 200
    for text in metadata(found):
        ends = [position for position, word in enumerate(text["tokens"]) if word == "."]
        assert sum(text["rationale"][position] for position in ends) == facts
