"""Small JSON files: what is read is what was written, or an error that names the file."""

import json

import pytest

from attention_explain.files.records import (
    MOST_LEVELS,
    DamagedFileError,
    read_json,
    read_record,
    write_record,
)

CONTENT = {"seconds": 1.25, "of": {"b": [1, 2], "a": None}, "1": "é"}


def test_a_record_is_read_as_it_was_written(tmp_path):
    write_record(tmp_path / "one.json", CONTENT)
    assert read_record(tmp_path / "one.json") == CONTENT
    assert read_record(tmp_path / "none.json") is None


def test_whatever_byte_is_another_is_found(tmp_path):
    path = tmp_path / "one.json"
    write_record(path, CONTENT)
    written = path.read_bytes()
    for position in range(len(written)):
        changed = bytearray(written)
        changed[position] ^= 1
        path.write_bytes(changed)
        try:
            found = read_record(path)
        except DamagedFileError as error:
            assert str(error).startswith(f"{path}: is damaged: ")
        else:
            # The name of the hash itself: nothing that anybody reads has changed.
            assert {key: found.get(key) for key in CONTENT} == CONTENT


def test_an_older_one_without_a_hash_is_read(tmp_path):
    (tmp_path / "old.json").write_text(json.dumps(CONTENT))
    assert read_record(tmp_path / "old.json") == CONTENT


@pytest.mark.parametrize("content", ["", "{", "[]", '"text"', "3.5", "null", "[" * 100000, "\xff"])
def test_what_is_no_record_is_damaged(tmp_path, content):
    (tmp_path / "one.json").write_bytes(content.encode("latin-1"))
    with pytest.raises(DamagedFileError, match="one.json: is damaged: not"):
        read_record(tmp_path / "one.json")


@pytest.mark.parametrize(
    "text, reason",
    [
        ("[" * 100000, "nested deeper than"),
        ("[" * 100000 + "]" * 100000, "nested deeper than"),
        ('{"a":' * 100000 + "1" + "}" * 100000, "nested deeper than"),
        ("[" * (MOST_LEVELS + 1) + "]" * (MOST_LEVELS + 1), "nested deeper than"),
        ("9" * 5000, "a number is too long"),
        ('{"a": -' + "9" * 5000 + "}", "a number is too long"),
        (b'"\xff"', "not UTF-8"),
        ("{", "Expecting property name"),
    ],
    ids=range(8),
)
def test_whatever_is_wrong_with_json_is_one_kind_of_error(text, reason):
    with pytest.raises(json.JSONDecodeError, match=reason):
        read_json(text)


def test_what_is_wide_is_not_deep():
    levels = "[" * MOST_LEVELS + "]" * MOST_LEVELS
    assert read_json(f"[{', '.join(['{}'] * 5000)}]") == [{}] * 5000
    assert read_json(levels) == json.loads(levels)
