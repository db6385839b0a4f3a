"""Every bad file is rejected with a message that names the file, the line and the field."""

import gzip
import os
import pickle

import pytest
from allennlp.data import Batch, Vocabulary

from attention_explain.data.errors import DataError

GOOD = b'{"text": "a b", "label": "1"}\n'


def test_a_missing_file(rejection, tmp_path):
    path = str(tmp_path / "none.jsonl")
    assert rejection(path) == f"{path}: no such file or folder; check the path"


def test_a_missing_file_of_a_paper_names_the_variable(rejection, tmp_path, monkeypatch):
    monkeypatch.setenv("ATTENTION_EXPLAIN_DATA", str(tmp_path))
    path = str(tmp_path / "sst" / "train.jsonl")
    assert rejection(path) == (
        f"{path}: no such file or folder; check the path, or set the environment variable "
        "ATTENTION_EXPLAIN_DATA to the folder that holds the data"
    )


def test_a_missing_file_with_a_relative_path_says_relative_to_what(rejection):
    assert rejection("none.jsonl").startswith(
        f"none.jsonl: no such file or folder under {os.getcwd()}; check the path"
    )


def test_a_folder_instead_of_a_file(rejection, tmp_path):
    assert rejection(str(tmp_path)) == f"{tmp_path}: is a folder, but a file is needed"


@pytest.mark.parametrize("name", ["data.jsonl", "data.csv", "data.tsv.gz"])
def test_an_empty_file(write, rejection, name):
    path = write(name, "")
    assert rejection(path) == f"{path}: holds no text at all"


def test_a_table_with_a_header_only(write, rejection):
    path = write("data.csv", "text,label\n")
    assert rejection(path) == f"{path}: holds no text at all"


@pytest.mark.parametrize("name, delimiter", [("data.csv", ","), ("data.tsv.gz", "\t")])
@pytest.mark.parametrize("column", ["text", "label", "id"])
def test_a_column_that_is_there_twice(write, rejection, name, delimiter, column):
    header = ["text", "label", "id", column]
    rows = "".join(delimiter.join(cells) + "\n" for cells in (header, ["a b", "1", "x", "1"]))
    path = write(name, rows)
    assert rejection(path) == f"{path}, line 1: has 2 columns '{column}'"


def test_columns_that_nobody_reads_may_be_there_twice(write, read):
    path = write("data.csv", "note,text,label,note\nx,a b,1,y\n")
    assert len(read(path)) == 1


def test_a_file_of_which_nothing_is_left(write, rejection):
    path = write("data.jsonl", GOOD)
    assert rejection(path, min_tokens=3) == (
        f"{path}: no text is left; dropped: 1 with fewer than 3 tokens"
    )


@pytest.mark.parametrize(
    "line, problem",
    [
        (
            b'{"text": "a"',
            "is not JSON (Expecting ',' delimiter: line 1 column 13 (char 12))",
        ),
        (b'["a", 1]', "is not a JSON object"),
        (
            b'{"text": ' + b"[" * 100000,
            "is not JSON (nested deeper than 200 levels: line 1 column 1 (char 0))",
        ),
        (
            b'{"text": "a", "label": ' + b"9" * 5000 + b"}",
            "is not JSON (a number is too long: line 1 column 1 (char 0))",
        ),
        (
            b'{"sentence": "a", "label": 1}',
            "field 'text' (or 'tokens') is missing; the line has 'sentence', 'label'; the reader's option "
            "`fields` says which of them it is",
        ),
        (
            b'{"text;label": "a;1"}',
            "field 'text' (or 'tokens') is missing; the line has 'text;label': fields of a csv are "
            "separated by commas, those of a tsv by tabs",
        ),
        (b"{}", "field 'text' (or 'tokens') is missing; the line has no field"),
        (b'{"text": "a"}', "field 'label' is missing"),
        (b'{"text": "a", "label": null}', "field 'label' is missing"),
        (b'{"text": "a", "label": [1]}', "field 'label' is not a single value"),
        (b'{"text": "a", "label": 1, "id": [1]}', "field 'id' is not a single value"),
        (b'{"text": 3, "label": 1}', "field 'text' is not a text"),
        (b'{"tokens": 3, "label": 1}', "field 'tokens' is not a list"),
        (b'{"tokens": ["a", null], "label": 1}', "field 'tokens' may hold only texts"),
        (
            b'{"text": " ", "label": 1}',
            "the text is empty (the dataset reader's option min_tokens, 1 or more, drops such texts)",
        ),
        (
            b'{"tokens": [], "label": 1}',
            "the text is empty (the dataset reader's option min_tokens, 1 or more, drops such texts)",
        ),
        (
            b'{"text": "a b", "label": 1, "rationale": [1]}',
            "field 'rationale' has 1 entries, but the text has 2 tokens",
        ),
        (
            b'{"text": "a b", "label": 1, "impermissible": [1, 0, 0]}',
            "field 'impermissible' has 3 entries, but the text has 2 tokens",
        ),
        (
            b'{"text": "a b", "label": 1, "rationale": [0.9, 0]}',
            "field 'rationale' may hold only 0 and 1",
        ),
        (
            b'{"text": "a b", "label": 1, "rationale": ["x", 0]}',
            "field 'rationale' may hold only 0 and 1",
        ),
        (
            b'{"text": "a b", "label": 1, "rationale": [[0, 1], [1]]}',
            "field 'rationale' has 1 entries, but the text has 2 tokens",
        ),
        (
            b'{"text": "a b", "label": 1, "rationale": [[0, 1], 1]}',
            "field 'rationale' may hold only 0 and 1",
        ),
        (
            b'{"text": "a b", "label": 1, "rationale": 1}',
            "field 'rationale' is not a list",
        ),
        (b'{"text": "\xff", "label": 1}', "is not UTF-8 (invalid start byte)"),
    ],
)
def test_a_bad_line(write, rejection, line, problem):
    path = write("data.jsonl", GOOD + line + b"\n")
    assert rejection(path) == f"{path}, line 2: {problem}"


@pytest.mark.parametrize(
    "line, problem",
    [
        (
            b'{"label": 1}',
            "field 'review' (or 'words') is missing; the line has 'label'; the reader's option `fields` "
            "says which of them it is",
        ),
        (b'{"review": "a"}', "field 'stars' is missing"),
        (
            b'{"review": "a", "stars": 6}',
            "field 'stars' is '6', which is not one of '1', '5'",
        ),
        (
            b'{"review": "a", "stars": 1, "why": [1, 1]}',
            "field 'why' has 2 entries, but the text has 1 tokens",
        ),
        (
            b'{"review": "a", "stars": 1, "key": 7}',
            "field 'key' is '7', as in line 1 already; ids must be unique, because results are "
            "joined by them",
        ),
    ],
)
def test_a_renamed_field_is_called_as_the_file_calls_it(write, rejection, line, problem):
    names = {
        "text": "review",
        "tokens": "words",
        "label": "stars",
        "rationale": "why",
        "id": "key",
    }
    path = write("data.jsonl", b'{"review": "a", "stars": 5, "key": 7}\n' + line)
    sentence = rejection(path, fields=names, labels={"1": "0", "5": "1"})
    assert sentence == f"{path}, line 2: {problem}"


def test_a_label_that_the_map_lacks(write, rejection):
    path = write("data.jsonl", GOOD)
    assert rejection(path, labels={"pos": "1", "neg": "0"}) == (
        f"{path}, line 1: field 'label' is '1', which is not one of 'pos', 'neg'"
    )


def test_a_label_that_the_training_data_lack(write, read):
    train = read(write("train.jsonl", GOOD + b'{"text": "c", "label": "0"}\n'))
    path = write("dev.jsonl", GOOD + b'{"text": "d", "label": "2"}\n')
    dev = Batch(read(path))
    with pytest.raises(DataError) as rejected:
        dev.index_instances(Vocabulary.from_instances(train))
    assert str(rejected.value) == (
        f"{path}, line 2: field 'label' is '2', which is not one of the labels of the training data "
        "('1', '0')"
    )


@pytest.mark.parametrize("cells", ["a", "a,1,x"])
def test_a_row_with_the_wrong_number_of_columns(write, rejection, cells):
    path = write("data.csv", f'text,label\n"two\nlines",1\n{cells}\n')
    count = len(cells.split(","))
    assert rejection(path) == f"{path}, line 4: has {count} columns, but the header has 2"


def test_a_quote_that_is_never_closed_is_named_by_where_it_opens(write, rejection):
    path = write("data.csv", 'text,label\n"a,1\nb,0\n')
    assert rejection(path) == f"{path}, line 2: is not a table (unexpected end of data)"


def test_a_gzip_file_that_ends_too_early(write, rejection):
    lines = b"".join(GOOD.replace(b"a b", b"%d" % number) for number in range(3000))
    path = write("data.jsonl", gzip.compress(lines)[:-20])
    assert rejection(path).endswith(
        "is a damaged gzip file (Compressed file ended before the end-of-stream marker was reached)"
    )


@pytest.mark.parametrize(
    "position, line, problem",
    [
        # The type of the first block, and the check sum.
        (10, 1, "Error -3 while decompressing data: invalid block type"),
        (-8, 2, "CRC check failed"),
    ],
)
def test_a_gzip_file_with_a_wrong_byte(write, rejection, position, line, problem):
    packed = bytearray(gzip.compress(GOOD))
    packed[position] = 0xFF
    path = write("data.jsonl", bytes(packed))
    assert rejection(path).startswith(f"{path}, line {line}: is a damaged gzip file ({problem}")


def test_a_text_without_words_for_a_predictor(make_reader):
    with pytest.raises(DataError) as rejected:
        make_reader().text_to_instance(" ")
    assert str(rejected.value) == "the text is empty"
    with pytest.raises(DataError) as rejected:
        make_reader().text_to_instance("a", tokens=["a"])
    assert str(rejected.value) == "an input needs a 'text' or its 'tokens', and not both"


def test_an_error_survives_the_way_from_a_worker_process():
    error = DataError("is bad", "data.jsonl", 3)
    copy = pickle.loads(pickle.dumps(error))
    assert str(copy) == str(error) == "data.jsonl, line 3: is bad"
    assert repr(copy) == "DataError('data.jsonl, line 3: is bad')"
