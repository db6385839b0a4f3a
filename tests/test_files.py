"""A file is whole or not there."""

import pytest

from attention_explain.errors import InputError
from attention_explain.output import check_writable, writing


def test_the_file_appears_when_it_is_complete(tmp_path):
    path = tmp_path / "table.txt"
    with writing(path) as unfinished:
        unfinished.write_text("half")
        assert not path.exists() and unfinished.parent == path.parent
        unfinished.write_text("whole")
    assert path.read_text() == "whole"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize(
    "error, raised",
    [
        (OSError(28, "No space left on device"), InputError),
        (KeyboardInterrupt(), KeyboardInterrupt),
    ],
)
def test_what_was_there_stays_if_anything_fails(tmp_path, error, raised):
    path = tmp_path / "table.txt"
    path.write_text("old")
    with pytest.raises(raised) as end, writing(path) as unfinished:
        unfinished.write_text("half")
        raise error
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]
    if raised is InputError:
        sentence = f"{path}: cannot be written (No space left on device)"
        assert end.value.message == sentence


def test_whether_a_file_can_be_written_is_said_beforehand(tmp_path):
    check_writable(tmp_path / "new" / "folder" / "file")
    assert not list((tmp_path / "new" / "folder").iterdir())
    (tmp_path / "file").write_text("")
    for path in (tmp_path / "file" / "below", tmp_path / "new"):
        with pytest.raises(InputError, match="cannot be written"):
            check_writable(path)
