"""What a killed process has left is cleared away, and nothing of a living one."""

import os
import subprocess
import sys

from attention_explain.files.atomic import (
    clear_leftovers,
    is_alive,
    owned_name,
    write_atomic,
    writing,
)


def dead_process() -> int:
    process = subprocess.Popen([sys.executable, "-c", ""])
    process.wait()
    return process.pid


def test_only_what_no_living_process_owns_is_removed(tmp_path):
    dead = dead_process()
    assert not is_alive(dead) and is_alive(os.getpid())
    (tmp_path / f"unpacked.{dead}-abc").mkdir()
    (tmp_path / f"unpacked.{dead}-abc" / "weights.th").write_text("")
    # The rest of a name is random, and may begin with a digit.
    (tmp_path / f"unpacked.{dead}-1bc").mkdir()
    kept = {owned_name("unpacked", "-abc"), f"other.{dead}-abc", "unpacked", f"unpacked.{dead}"}
    for name in kept:
        (tmp_path / name).write_text("")
    clear_leftovers(tmp_path, "unpacked", "-")
    assert {path.name for path in tmp_path.iterdir()} == kept


def test_the_next_writer_of_a_file_clears_what_a_killed_one_left_of_it(tmp_path):
    dead = dead_process()
    (tmp_path / f".table.csv.{dead}.unfinished").write_text("half")
    other = tmp_path / f".other.csv.{dead}.unfinished"
    other.write_text("half")
    write_atomic(tmp_path / "table.csv", "whole")
    assert {path.name for path in tmp_path.iterdir()} == {"table.csv", other.name}


def test_two_processes_that_write_one_file_do_not_share_a_name(tmp_path):
    with writing(tmp_path / "table.csv") as mine:
        assert str(os.getpid()) in mine.name
        mine.write_text("whole")
    assert (tmp_path / "table.csv").read_text() == "whole"


def test_a_folder_that_is_not_there_has_no_leftovers(tmp_path):
    clear_leftovers(tmp_path / "nowhere", "name")
