"""A sealed table is read as it was written, or not at all."""

import random

import pyarrow
import pyarrow.parquet
import pytest

from attention_explain.files.tables import (
    DamagedFileError,
    column_hash,
    read_sealed,
    sealed_metadata,
    write_sealed,
)

SCORES = pyarrow.list_(pyarrow.float32())


def a_table(texts: int = 40) -> pyarrow.Table:
    generator = random.Random(0)
    rows = [
        {
            "id": f"text-{number}",
            "tokens": [f"wörd{generator.randrange(99)}" for _ in range(number % 7)],
            "label": None if number % 5 == 0 else "good",
            "scores": None if number % 3 == 0 else [generator.random() for _ in range(number % 7)],
            "flagged": number % 2 == 0,
            "row": number,
        }
        for number in range(texts)
    ]
    types = {
        "id": pyarrow.string(),
        "tokens": pyarrow.list_(pyarrow.string()),
        "label": pyarrow.string(),
        "scores": SCORES,
        "flagged": pyarrow.bool_(),
        "row": pyarrow.int64(),
    }
    table = pyarrow.Table.from_pylist(rows, schema=pyarrow.schema(list(types.items())))
    return table.replace_schema_metadata({b"about": b'{"model": "runs/mine"}'})


@pytest.mark.parametrize("texts", [0, 1, 40])
def test_what_is_read_is_what_was_written(tmp_path, texts):
    table = a_table(texts)
    write_sealed(table, tmp_path / "a.parquet", row_group_size=16)
    read = read_sealed(tmp_path / "a.parquet")
    assert read.equals(table) and read.schema.metadata == table.schema.metadata
    assert sealed_metadata(tmp_path / "a.parquet") == table.schema.metadata
    some = read_sealed(tmp_path / "a.parquet", columns=["id", "scores"])
    assert some.equals(table.select(["id", "scores"]))


def test_the_hash_is_of_values_however_they_lie_in_memory():
    whole = a_table()
    halves = pyarrow.concat_tables([whole.slice(0, 13), whole.slice(13)])
    rebuilt = pyarrow.Table.from_pylist(whole.to_pylist(), schema=whole.schema)
    for name in whole.column_names:
        hashes = {column_hash(table[name]) for table in (whole, halves, rebuilt)}
        assert len(hashes) == 1, name
        assert column_hash(whole[name].slice(1)) != column_hash(whole[name])


@pytest.mark.parametrize(
    "one, other",
    [
        ([["ab", "c"]], [["a", "bc"]]),
        ([["a"], []], [[], ["a"]]),
        ([[]], [None]),
        (["", "a"], [None, "a"]),
        ([0, 1], [None, 1]),
        ([[1.0, 2.0]], [[2.0, 1.0]]),
    ],
)
def test_values_that_differ_have_other_hashes(one, other):
    kind = pyarrow.array(one).type
    assert column_hash(pyarrow.array(one, kind)) != column_hash(pyarrow.array(other, kind))


def test_no_flipped_bit_gives_other_values(tmp_path):
    table = a_table()
    path = tmp_path / "a.parquet"
    write_sealed(table, path)
    content = path.read_bytes()
    generator = random.Random(1)
    found = 0
    for _ in range(200):
        damaged = bytearray(content)
        damaged[generator.randrange(len(content))] ^= 1 << generator.randrange(8)
        path.write_bytes(damaged)
        try:
            read = read_sealed(path)
        except DamagedFileError as error:
            assert str(error).startswith(f"{path}: ") and len(str(error).splitlines()) == 1
            found += 1
        else:
            assert read.equals(table) and read.schema.metadata == table.schema.metadata
    assert found > 50


@pytest.mark.parametrize("share", [0.0, 0.5, 0.99])
def test_a_file_that_was_cut_is_damaged(tmp_path, share):
    path = tmp_path / "a.parquet"
    write_sealed(a_table(), path)
    path.write_bytes(path.read_bytes()[: int(share * path.stat().st_size)])
    with pytest.raises(DamagedFileError, match=r"a.parquet: not a readable parquet file"):
        read_sealed(path)
    with pytest.raises(DamagedFileError, match=r"a.parquet: not a readable parquet file"):
        sealed_metadata(path)


def test_a_file_without_a_seal_is_read_as_it_is(tmp_path):
    table = a_table()
    pyarrow.parquet.write_table(table, tmp_path / "a.parquet")
    assert read_sealed(tmp_path / "a.parquet").equals(table)
    with pytest.raises(FileNotFoundError):
        read_sealed(tmp_path / "b.parquet")
