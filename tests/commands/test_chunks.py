"""ChunkStore are taken up by the job that made them, whole, and by no other."""

import json
import random

import pyarrow
import pytest

from attention_explain.commands import chunks as chunks_module
from attention_explain.commands.chunks import NOTE, ChunkStore, clear_merged, resumable
from attention_explain.errors import InputError
from attention_explain.files.tables import ROW

JOB = {"archive": "abc", "data": "def"}


@pytest.fixture
def output(tmp_path):
    return tmp_path / "scores.parquet"


def table(rows, value: float) -> pyarrow.Table:
    return pyarrow.table({"score": [value] * len(rows), ROW: rows})


def work(output, job=JOB, value=1.0, numbers=(0, 1), **options) -> ChunkStore:
    """The given number of chunks, and then a kill."""
    with ChunkStore(output, job).opened(**options) as chunks:
        for number in numbers:
            chunks.save(number, table([2 * number, 2 * number + 1], value), {"seconds": value})
    return chunks


def test_the_same_job_goes_on_with_its_parts(output):
    work(output)
    with ChunkStore(output, dict(reversed(JOB.items()))).opened() as chunks:
        assert chunks.finished() == {0, 1}
        whole, records = chunks.merged()
    assert whole["score"].to_pylist() == [1.0] * 4 and records == [{"seconds": 1.0}] * 2


def test_rows_of_one_text_stay_together_in_their_order(output):
    """Also many, of texts that came in any order: batches are by length."""
    positions = [5, 0, 3, 1, 4, 2]
    with ChunkStore(output, JOB).opened() as chunks:
        for number in range(2):
            texts = [
                position for position in positions[3 * number : 3 * number + 3] for _ in range(1000)
            ]
            values = list(range(1000)) * 3
            chunks.save(number, pyarrow.table({"score": values, ROW: texts}), {})
        whole, _ = chunks.merged()
    assert whole["score"].to_pylist() == list(range(1000)) * 6


def test_another_job_is_told_what_is_another_and_may_replace(output):
    work(output)
    with pytest.raises(InputError, match="of another command, with other archive"):
        work(output, {**JOB, "archive": "other"})
    chunks = work(output, {**JOB, "archive": "other"}, 2.0, [0], replace=True)
    assert chunks.finished() == {0}
    assert chunks.merged()[0]["score"].to_pylist() == [2.0, 2.0]


@pytest.mark.parametrize("replace", [False, True])
def test_parts_without_a_note_are_nobodys(output, replace):
    """As a kill in the middle of a removal leaves them."""
    chunks = work(output)
    (chunks.folder / NOTE).unlink()
    with ChunkStore(output, JOB).opened(replace=replace) as chunks:
        assert chunks.finished() == set()


def test_a_part_that_came_from_elsewhere_is_not_adopted(output, tmp_path):
    mine = work(output)
    other = work(tmp_path / "other.parquet", {**JOB, "archive": "other"}, 2.0)
    (other.folder / "000001.parquet").replace(mine.folder / "000001.parquet")
    with ChunkStore(output, JOB).opened() as chunks:
        assert chunks.finished() == {0}


@pytest.mark.parametrize("content", ["", "{", "[1]", '"text"', "[" * 100_000])
def test_a_damaged_note_is_said_and_replaced_by_force(output, content):
    (work(output).folder / NOTE).write_text(content)
    with pytest.raises(InputError, match=r"job.json: is damaged; give --force"):
        work(output)
    with ChunkStore(output, JOB).opened(replace=True) as chunks:
        assert chunks.finished() == set()
        assert json.loads((chunks.folder / NOTE).read_text()) == JOB


def test_a_damaged_part_is_said_and_made_again_by_force(output):
    path = work(output).folder / "000001.parquet"
    content = bytearray(path.read_bytes())
    generator = random.Random(0)
    for _ in range(40):
        content[generator.randrange(len(content))] ^= 255
    path.write_bytes(content)
    with pytest.raises(InputError, match=r"000001.parquet: .*; give --force"):
        work(output, numbers=())
    with ChunkStore(output, JOB).opened(replace=True) as chunks:
        assert chunks.finished() == {0}


@pytest.mark.parametrize("killed_in", ["os.replace", "shutil.rmtree"])
def test_parts_that_became_the_output_are_cleared_and_no_others(output, monkeypatch, killed_in):
    """Killed right before the output is put at its place, and right after it, when chunks are left."""

    def killed(*given, **options):
        raise KeyboardInterrupt

    module, function = killed_in.split(".")
    with (
        monkeypatch.context() as patched,
        pytest.raises(KeyboardInterrupt),
        ChunkStore(output, JOB).opened() as chunks,
    ):
        chunks.save(0, table([0], 1.0), {})
        with chunks.completing() as whole:
            whole.write_text("all rows")
            patched.setattr(getattr(chunks_module, module), function, killed)
    is_whole = killed_in == "shutil.rmtree"
    assert output.exists() == is_whole and (chunks.folder / "000000.parquet").exists()
    # Something else at its place: then the chunks are still somebody's work.
    if not is_whole:
        output.write_text("of a quicker command")
    clear_merged(output)
    assert chunks.folder.exists() != is_whole
    if not is_whole:
        with ChunkStore(output, JOB).opened(replace=True) as chunks:
            assert chunks.finished() == {0}
            with chunks.completing() as whole:
                whole.write_text("all rows")
        assert output.read_text() == "all rows" and not chunks.folder.exists()


def test_parts_that_another_process_works_on_are_not_cleared(output):
    output.write_text("old")
    with ChunkStore(output, JOB).opened(replace=True) as chunks:
        chunks.save(0, table([0], 1.0), {})
        (chunks.folder / NOTE).unlink()
        clear_merged(output)
        assert chunks.finished() == {0}


def test_an_output_that_appears_meanwhile_is_not_replaced(output):
    with ChunkStore(output, JOB).opened() as chunks:
        chunks.save(0, table([0], 1.0), {})
        output.write_text("of a quicker command")
        with pytest.raises(InputError, match="exists already; give --force"):
            chunks.merged()
    with pytest.raises(InputError, match="exists already; give --force"):
        work(output)
    # Nothing is lost: --force goes on from the part.
    with ChunkStore(output, JOB).opened(replace=True) as chunks:
        assert chunks.merged()[0].num_rows == 1


@pytest.mark.parametrize("finished", [0, 1])
def test_a_stop_of_the_work_says_what_is_left_of_it(output, capsys, finished):
    with (
        pytest.raises(SystemExit, match="130"),
        ChunkStore(output, JOB).opened() as chunks,
        resumable(chunks),
    ):
        for number in range(finished):
            chunks.save(number, table([0], 1.0), {})
        raise KeyboardInterrupt
    said = capsys.readouterr().err
    assert ("nothing of" in said) is (not finished) and chunks.folder.exists() == bool(finished)
    assert (f"finished work is in {chunks.folder}" in said) == bool(finished)
