"""What the general reader makes of good files."""

import json
import logging

import numpy
import pytest
from allennlp.common.util import END_SYMBOL, START_SYMBOL
from allennlp.data import Batch, Vocabulary

from attention_explain.data.errors import DataError
from attention_explain.errors import InputError

LINES = [
    {"id": "a", "text": "a fine day", "label": "good"},
    {"id": "b", "text": "rain again", "label": "bad"},
]


def jsonl(*records) -> str:
    return "".join(json.dumps(record) + "\n" for record in records)


def table(*rows, delimiter: str) -> str:
    return "".join(delimiter.join(row) + "\n" for row in rows)


def ids(instances) -> list:
    return [instance["metadata"]["id"] for instance in instances]


def words(instances) -> list:
    return [" ".join(instance["metadata"]["tokens"]) for instance in instances]


def labels(instances) -> list:
    return [instance["label"].label for instance in instances]


@pytest.mark.parametrize("ending", ["", ".gz"])
@pytest.mark.parametrize(
    "name, content",
    [
        ("data.jsonl", jsonl(*LINES)),
        (
            "data.csv",
            table(("id", "text", "label"), *(r.values() for r in LINES), delimiter=","),
        ),
        (
            "data.tsv",
            table(("id", "text", "label"), *(r.values() for r in LINES), delimiter="\t"),
        ),
    ],
)
def test_every_format_reads_the_same_texts(write, read, name, content, ending):
    instances = read(write(name + ending, content))
    assert ids(instances) == ["a", "b"]
    assert words(instances) == ["a fine day", "rain again"]
    assert labels(instances) == ["good", "bad"]
    assert [token.text for token in instances[0]["tokens"]] == ["a", "fine", "day"]


def test_the_format_option_wins_over_the_ending(write, read):
    path = write("data.csv", jsonl(*LINES))
    assert words(read(path, format="jsonl")) == ["a fine day", "rain again"]


def test_an_unknown_ending_means_jsonl(write, read):
    assert len(read(write("data#1", jsonl(*LINES)))) == 2


def test_csv_cells_may_hold_commas_quotes_and_line_ends(write, read):
    path = write("data.csv", 'text,label\n"one, ""two""\nthree",1\nfour,0\n')
    instances = read(path)
    assert words(instances) == ['one, "two" three', "four"]
    # A row is named by the line at which it begins.
    assert ids(instances) == ["line-2", "line-4"]


def test_tsv_cells_are_taken_literally(write, read):
    path = write("data.tsv", 'text\tlabel\nsay "no\t1\n')
    assert words(read(path)) == ['say "no']


def test_a_byte_order_mark_windows_line_ends_and_blank_lines_are_no_text(write, read):
    path = write("data.csv", "\ufefftext,label\r\none,1\r\n\r\ntwo,0\r\n")
    assert words(read(path)) == ["one", "two"]
    path = write("data.jsonl", "\n" + jsonl(LINES[0]) + "  \n")
    assert words(read(path)) == ["a fine day"]


def test_tokens_are_kept_as_they_are_and_win_over_text(write, read):
    record = {"tokens": ["New York", "it's"], "text": "other", "label": 1}
    instance = read(write("data.jsonl", jsonl(record)))[0]
    assert instance["metadata"]["tokens"] == ["New York", "it's"]
    path = write("data.csv", "tokens,label\na  b c,1\n")
    assert words(read(path)) == ["a b c"]


def test_the_default_tokenizer_splits_as_english_is_split(write, read):
    path = write("data.jsonl", jsonl({"text": "It's  fine.", "label": 1}))
    assert words(read(path, tokenizer={"type": "english"})) == ["It 's fine ."]


def test_fields_may_have_other_names(write, read):
    record = {"key": 7, "review": "good", "stars": 5, "marks": [1]}
    names = {"id": "key", "text": "review", "label": "stars", "rationale": "marks"}
    instance = read(write("data.jsonl", jsonl(record)), fields=names)[0]
    assert instance["metadata"].metadata == {"id": "7", "tokens": ["good"], "rationale": [1]}
    assert instance["label"].label == "5"


def test_labels_are_renamed_by_the_map_and_null_drops_them(write, read, caplog):
    records = [{"text": "x", "label": label} for label in (-1, 0, 1)]
    with caplog.at_level(logging.INFO):
        path = write("data.jsonl", jsonl(*records))
        instances = read(path, labels={"-1": "neg", "0": None, "1": 1})
    assert labels(instances) == ["neg", "1"]
    assert f"{path}: 2 texts kept; dropped: 1 with an unwanted label" in caplog.messages


def test_spaces_around_labels_are_cut_and_that_is_said_once(write, read, caplog):
    records = [{"text": "x", "label": label} for label in ("good", " good", "good\t", "bad", 7)]
    path = write("data.jsonl", jsonl(*records))
    assert labels(read(path)) == ["good", "good", "good", "bad", "7"]
    said = [text for text in caplog.messages if "spaces around" in text]
    assert said == [f"{path}: spaces around labels are cut (in 2 of the texts)"]


def test_spaces_around_labels_count_where_the_map_has_them(write, read):
    records = [{"text": "x", "label": label} for label in ("good ", " bad ", "bad")]
    path = write("data.jsonl", jsonl(*records))
    assert labels(read(path, labels={"good ": "1", "bad": "0"})) == ["1", "0", "0"]


def test_a_label_of_spaces_is_a_missing_one(write, read):
    path = write("data.jsonl", jsonl({"text": "x", "label": " "}))
    with pytest.raises(InputError, match="line 1: field 'label' is missing"):
        read(path)
    assert "label" not in read(path, require_label=False)[0].fields


def test_an_unwanted_label_drops_a_text_even_where_labels_are_optional(write, read):
    path = write("data.jsonl", jsonl({"text": "x", "label": "no"}, {"text": "y"}))
    instances = read(path, labels={"no": None}, require_label=False)
    assert words(instances) == ["y"]
    assert "label" not in instances[0].fields


def test_lowercase_and_digit_word_change_the_tokens(write, read):
    path = write("data.jsonl", jsonl({"text": "The 2nd DAY of May1", "label": 1}))
    assert words(read(path, lowercase=True, digit_word="qqq")) == ["the qqq day of qqq"]


def test_limits_drop_texts_and_say_how_many(write, read, caplog):
    texts = ["", "a", "a b", "a b c", "a b c d"]
    path = write("data.jsonl", jsonl(*({"text": text, "label": 1} for text in texts)))
    with caplog.at_level(logging.INFO):
        assert words(read(path, min_tokens=2, max_tokens=3)) == ["a b", "a b c"]
    assert (
        f"{path}: 2 texts kept; dropped: 2 with fewer than 2 tokens, 1 with more than 3 tokens"
        in caplog.messages
    )


def test_drop_longest_drops_every_text_of_the_greatest_length(write, read):
    texts = ["a", "a b c", "a b", "c b a"]
    path = write("data.jsonl", jsonl(*({"text": text, "label": 1} for text in texts)))
    assert words(read(path, drop_longest=True)) == ["a", "a b"]
    assert words(read(path, drop_longest=True, max_tokens=1)) == ["a"]


def test_drop_shortest_drops_every_text_of_the_least_length(write, read):
    texts = ["a b", "a", "a b c", "b", "a b c d"]
    path = write("data.jsonl", jsonl(*({"text": text, "label": 1} for text in texts)))
    assert words(read(path, drop_shortest=True)) == ["a b", "a b c", "a b c d"]
    assert words(read(path, drop_shortest=True, min_tokens=3)) == ["a b c", "a b c d"]
    assert words(read(path, drop_shortest=True, drop_longest=True)) == ["a b", "a b c"]


def test_drop_longest_looks_only_at_wanted_labels(write, read):
    records = [("a b c d", "neutral"), ("a b c", "good"), ("a b", "bad")]
    path = write("data.jsonl", jsonl(*({"text": text, "label": label} for text, label in records)))
    kept = read(path, drop_longest=True, labels={"good": "1", "bad": "0", "neutral": None})
    assert words(kept) == ["a b"]


def test_max_instances_counts_the_texts_that_are_kept(write, read):
    texts = ["a", "a b", "b", "b c", "c d"]
    path = write("data.jsonl", jsonl(*({"text": text, "label": 1} for text in texts)))
    assert words(read(path, min_tokens=2, max_instances=2)) == ["a b", "b c"]


def test_boundary_symbols_are_read_but_not_attended_to(write, read):
    path = write(
        "data.jsonl",
        jsonl({"text": "a b", "label": 0, "impermissible": [0, 1]}, {"text": "c", "label": 1}),
    )
    first, second = read(path, boundary_symbols=True)
    assert [token.text for token in first["tokens"]] == [START_SYMBOL, "a", "b", END_SYMBOL]
    assert first["metadata"]["tokens"] == ["a", "b"]
    assert first["attendable"].tensor.tolist() == [False, True, True, False]
    assert first["impermissible"].tensor.tolist() == [False, False, True, False]
    assert "impermissible" not in second.fields
    batch = Batch([second, read(path, boundary_symbols=True)[1]])
    batch.index_instances(Vocabulary.from_instances([first, second]))
    assert str(batch.as_tensor_dict()["attendable"].dtype) == "torch.bool"


def test_padding_is_not_attendable(write, read):
    path = write("data.jsonl", jsonl({"text": "a b c", "label": 0}, {"text": "d", "label": 1}))
    batch = Batch(read(path, boundary_symbols=True))
    batch.index_instances(Vocabulary.from_instances(batch.instances))
    attendable = batch.as_tensor_dict()["attendable"].numpy()
    expected = [[0, 1, 1, 1, 0], [0, 1, 0, 0, 0]]
    assert numpy.array_equal(attendable, numpy.array(expected, dtype=bool))


def test_without_boundary_symbols_there_is_no_attendable_field(write, read):
    assert set(read(write("data.jsonl", jsonl(LINES[0])))[0].fields) == {
        "tokens",
        "label",
        "metadata",
    }


def test_the_line_number_is_the_id_where_there_is_none(write, read):
    path = write("data.jsonl", "\n" + jsonl({"text": "a", "label": 1}, {"text": "b", "label": 1}))
    assert ids(read(path)) == ["line-2", "line-3"]


def test_a_mask_in_a_table_is_separated_by_spaces(write, read):
    path = write("data.csv", "text,label,rationale\na b c,1,0 1 1\n")
    assert read(path)[0]["metadata"]["rationale"] == [0, 1, 1]


def test_several_annotators_are_kept_apart(write, read):
    lines = [
        {"text": "a b c", "label": 1, "rationales": [[0, 1, 1], [1, 0, 0]]},
        {"text": "a b c", "label": 1, "rationales": [[0, 1, 1]]},
        {"text": "a b c", "label": 1, "rationales": []},
        {"text": "a b c", "label": 1},
    ]
    path = write("data.jsonl", jsonl(*lines))
    marked = read(path, fields={"rationale": "rationales"}, max_tokens=2, too_long="cut")
    found = [instance["metadata"].metadata.get("rationale") for instance in marked]
    assert found == [[[0, 1], [1, 0]], [[0, 1]], None, None]


def test_given_tokens_can_be_split_and_pieces_have_the_marks_of_their_token(write, make_reader):
    line = {"tokens": ["It's", "a", "crime."], "label": 1, "impermissible": [1, 0, 0]}
    masks = [[0, 0, 1], [1, 0, 0]]
    path = write("data.jsonl", jsonl({**line, "rationale": masks}, {**line, "rationale": masks[0]}))
    reader = make_reader(tokenizer="english", split_tokens=True)
    for instance, marked in zip(
        reader.read(path), [[[0, 0, 0, 1, 1], [1, 1, 0, 0, 0]], [0, 0, 0, 1, 1]]
    ):
        assert instance["metadata"]["tokens"] == ["It", "'s", "a", "crime", "."]
        assert instance["metadata"]["rationale"] == marked
        assert instance["impermissible"].tensor.tolist() == [True, True, False, False, False]
    with pytest.raises(DataError, match="'rationale' has 1 entries, but the text has 3 tokens"):
        reader.text_to_instance(tokens=line["tokens"], rationale=[1])


def test_texts_that_are_held_out_are_dropped_however_they_are_written(write, make_reader):
    held = write(
        "held.jsonl", jsonl({"tokens": ["It's", "a", "crime,", "in", "1999!"], "label": "x"})
    )
    lines = ["it 's a crime , in qqq !", "It is a crime.", "Its a crime in 2001"]
    path = write("data.jsonl", jsonl(*({"text": text, "label": 1} for text in lines)))
    reader = make_reader(held_out=held, digit_word="qqq")
    kept = [instance["metadata"]["id"] for instance in reader.read(path)]
    assert kept == ["line-2"] and reader.counts.to_dict()["dropped"] == {"held out": 2}


@pytest.mark.parametrize("boundary_symbols", [False, True])
def test_a_text_that_is_too_long_can_be_cut(write, make_reader, caplog, boundary_symbols):
    line = {"text": "a b c d", "label": 1, "rationale": [0, 1, 1, 1], "impermissible": [1, 0, 1, 0]}
    path = write("data.jsonl", jsonl(line, {"text": "a b", "label": 0}))
    reader = make_reader(max_tokens=3, too_long="cut", boundary_symbols=boundary_symbols)
    with caplog.at_level("INFO"):
        cut, whole = reader.read(path)
    padding = [False] * boundary_symbols
    assert cut["metadata"]["tokens"] == ["a", "b", "c"] and cut["metadata"]["rationale"] == [
        0,
        1,
        1,
    ]
    mask = cut["impermissible"].tensor.tolist()
    assert mask == [*padding, True, False, True, *padding]
    assert len(cut["tokens"]) == len(mask)
    if boundary_symbols:
        assert cut["attendable"].tensor.tolist() == [*padding, True, True, True, *padding]
    assert whole["metadata"]["tokens"] == ["a", "b"]
    assert reader.counts.to_dict() == {"kept": 2, "dropped": {}, "cut": {"to 3 tokens": 1}}
    assert "2 texts kept; cut: 1 to 3 tokens" in caplog.text
    # The same text given alone is the same text.
    assert reader.text_to_instance("a b c d")["metadata"]["tokens"] == ["a", "b", "c"]


def test_the_longest_are_dropped_before_any_is_cut(write, make_reader):
    texts = ["a", "a b c", "a b c d"]
    path = write("data.jsonl", jsonl(*({"text": text, "label": 1} for text in texts)))
    reader = make_reader(max_tokens=2, too_long="cut", drop_longest=True)
    assert words(reader.read(path)) == ["a", "a b"]
    assert reader.counts.dropped == {"with more than 3 tokens": 1}


def test_text_to_instance_takes_a_text_or_tokens(make_reader):
    reader = make_reader(labels={"pos": "1", "neg": "0"}, min_tokens=5)
    from_text = reader.text_to_instance("a b", id=3)
    from_tokens = reader.text_to_instance(tokens=["a", "b"])
    assert from_text["metadata"].metadata == {"id": "3", "tokens": ["a", "b"]}
    assert from_tokens["metadata"]["tokens"] == ["a", "b"]
    assert "label" not in from_text.fields


def test_text_to_instance_knows_a_label_by_both_of_its_names(make_reader):
    reader = make_reader(labels={"pos": "1", "neg": "0"})
    assert reader.text_to_instance("a", label="pos")["label"].label == "1"
    assert reader.text_to_instance("a", label=1)["label"].label == "1"
    # A map that swaps names means the file's names.
    swapped = make_reader(labels={"1": "0", "0": "1"})
    assert swapped.text_to_instance("a", label="1")["label"].label == "0"


def test_equal_words_share_one_token(write, read):
    tokens = read(write("data.jsonl", jsonl({"text": "so so", "label": 1})))[0]["tokens"]
    assert tokens[0] is tokens[1]


@pytest.mark.parametrize(
    "options, problem",
    [
        ({"format": "xml"}, "format is 'xml', but must be one of jsonl, csv, tsv"),
        (
            {"fields": {"txt": "text"}},
            "fields renames ['txt'], but only these fields are read: "
            "text, tokens, label, id, rationale, impermissible",
        ),
        (
            {"min_tokens": 3, "max_tokens": 2},
            "min_tokens (3) is larger than max_tokens (2)",
        ),
        ({"min_tokens": 0}, "min_tokens is 0, but must be 1 or more"),
        ({"too_long": "trim"}, "too_long is 'trim', but must be one of drop, cut"),
        ({"too_long": "cut"}, "too_long 'cut' needs a max_tokens of 1 or more to cut to"),
        (
            {"lower_case": True},
            "the dataset reader has no option 'lower_case'; did you mean 'lowercase'?",
        ),
    ],
)
def test_senseless_options_are_rejected(make_reader, options, problem):
    with pytest.raises(InputError) as rejected:
        make_reader(**options)
    assert str(rejected.value) == problem
