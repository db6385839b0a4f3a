"""Labels that would silently become classes of their own are errors; suspicious texts are warned of."""

import json
import logging
import unicodedata

import pytest
from allennlp.data import Vocabulary

from attention_explain.data.errors import TrainingLabelsError
from attention_explain.models.classifier import check_label_counts

COMPOSED, DECOMPOSED = "caf\u00e9", "cafe\u0301"


def lines(*labels) -> str:
    return "".join(
        json.dumps({"text": f"a b {number}", "label": label}) + "\n"
        for number, label in enumerate(labels)
    )


@pytest.mark.parametrize("value", ["NaN", "Infinity", "-Infinity"])
def test_a_label_that_is_not_a_finite_number(write, rejection, value):
    path = write("data.jsonl", lines("1") + f'{{"text": "a", "label": {value}}}\n')
    assert rejection(path) == (
        f"{path}, line 2: field 'label' is {value}, which is not a label; give the text a label, or "
        "remove the line"
    )


@pytest.mark.parametrize("name", ["nan", "inf"])
def test_a_label_may_be_a_word_that_is_also_a_number(write, read, name):
    # Min Nan Chinese has the language code "nan".
    assert len(read(write("data.jsonl", lines("en", name)))) == 2


@pytest.mark.parametrize(
    "first, second, told",
    [
        (1, 1.0, ("'1.0'", "'1'")),
        (1, True, ("'True'", "'1'")),
        (False, 0.0, ("'0.0'", "'False'")),
        ("1", "1.0", ("'1.0'", "'1'")),
        (True, "true", ("'true'", "'True'")),
        (COMPOSED, DECOMPOSED, (r"'cafe\u0301'", r"'caf\xe9'")),
    ],
)
def test_one_label_in_two_spellings(write, rejection, first, second, told):
    path = write("data.jsonl", lines(first, "other", second))
    assert rejection(path) == (
        f"{path}, line 3: field 'label' is {told[0]}, but in line 1 the same label is {told[1]}, and "
        "they would become two classes; use one spelling, or map the labels with the reader's option "
        "`labels`"
    )


@pytest.mark.parametrize(
    "labels",
    [(1, "1"), (True, False), (0.5, 1.5), ("01", "1"), ("1.1", "1.10"), ("1", "-1"), ("a", "A")],
)
def test_labels_that_are_different_stay_so(write, read, labels):
    assert len(read(write("data.jsonl", lines(*labels)))) == len(labels)


def test_a_map_of_labels_joins_spellings(write, read):
    path = write("data.jsonl", lines(1, 1.0, 0))
    instances = read(path, labels={"1": "yes", "1.0": "yes", "0": "no"})
    assert [instance["label"].label for instance in instances] == ["yes", "yes", "no"]


@pytest.mark.parametrize("label", ["@@PADDING@@", "@@UNKNOWN@@"])
def test_a_label_that_the_vocabulary_reserves(write, rejection, label):
    path = write("data.jsonl", lines("1", label))
    assert rejection(path) == (
        f"{path}, line 2: field 'label' is '{label}', which is reserved by the vocabulary; rename it "
        "with the reader's option `labels`"
    )


@pytest.mark.parametrize("character", ["\u200b", "\u200d", "\ufeff", "\u00ad", "\u2060"])
def test_a_label_with_an_invisible_character(write, rejection, character):
    path = write("data.jsonl", lines("positive", f"posi{character}tive"))
    name = f"{unicodedata.name(character)}, U+{ord(character):04X}"
    assert rejection(path) == (
        f"{path}, line 2: field 'label' is {f'posi{character}tive'!a}, which contains an invisible "
        f"character ({name}); remove it, or rename the label with the reader's option `labels`"
    )


def test_joiners_belong_to_some_scripts(write, read, rejection):
    persian = "\u0645\u06cc\u200c\u0634\u0648\u062f"
    assert len(read(write("data.jsonl", lines(persian, "other")))) == 2
    twin = write("twin.jsonl", lines(persian, persian.replace("\u200c", "")))
    assert "would become two classes" in rejection(twin)


def test_splits_with_different_spellings_are_found_by_the_model(write, read):
    train, dev = read(write("a.jsonl", lines(1, 1, 0, 0))), read(write("b.jsonl", lines(1.0, 1.0)))
    with pytest.raises(TrainingLabelsError, match="the labels '1' and '1.0' .* would become two"):
        check_label_counts(Vocabulary.from_instances([*train, *dev]), 2)
    check_label_counts(Vocabulary.from_instances(train), 2)


@pytest.mark.parametrize(
    "line",
    ['{"text": "a", "label": "1", "label": "0"}', '{"text": "a", "label": "1", "text": "b"}'],
)
def test_a_field_that_is_there_twice(write, rejection, line):
    path = write("data.jsonl", lines("1") + line + "\n")
    field = "label" if line.count("label") == 2 else "text"
    assert rejection(path) == f"{path}, line 2: has the field '{field}' twice; keep one of them"


def test_html_tags_are_warned_of(write, read, caplog):
    texts = ["good<br />film", "a <p>b</p>", "2 < 3 > 1", "<DE> was seen", "x <3 y"]
    path = write("data.jsonl", "".join(json.dumps({"text": t, "label": 1}) + "\n" for t in texts))
    with caplog.at_level(logging.WARNING):
        read(path)
    (record,) = caplog.records
    assert record.getMessage() == (
        f"{path}: 2 of the texts contain HTML tags (the first is '<br />' in line 1), which become "
        "words; remove them if the model is not to read them"
    )


def test_quoted_cells_of_a_tsv_are_warned_of(write, read, caplog):
    rows = 'text\tlabel\tnote\na b\t1\t"x"\n"a fine film"\t1\t\nb\t"0"\t\nhe said "no"\t0\t\n'
    path = write("data.tsv", rows)
    with caplog.at_level(logging.WARNING):
        assert len(read(path)) == 4
    (record,) = caplog.records
    assert record.getMessage() == (
        f"{path}: 2 of the rows have a cell in quotes (the first in line 3); a tsv has no quoting, so "
        "that the quotes become part of the text; save the file as csv, or remove them"
    )
    caplog.clear()
    read(write("data.csv", 'text,label\n"a, fine film",1\n'))
    assert not caplog.records
