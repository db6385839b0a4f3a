"""What a training wrote is what is read: damage is found, and named."""

import json
import shutil
from copy import deepcopy
from pathlib import Path

import pytest
from allennlp.commands.train import train_model
from allennlp.common import Params

from attention_explain.archives import open_archive, unpacked
from attention_explain.errors import InputError
from attention_explain.files.records import CHECKSUMS, sha256
from tests.training.runs import run_config

CONFIG = run_config([])


@pytest.fixture(scope="module")
def trained(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("checksums") / "run"
    train_model(Params(deepcopy(CONFIG)), folder)
    return folder


@pytest.fixture
def run(trained, tmp_path) -> Path:
    return Path(shutil.copytree(trained, tmp_path / "run"))


def flip(path: Path, position: float = 0.5) -> None:
    """Another byte, at that part of the file."""
    content = bytearray(path.read_bytes())
    content[int(position * len(content))] ^= 1
    path.write_bytes(content)


def test_a_finished_run_lists_all_that_is_read_of_it(run):
    listed = json.loads((run / CHECKSUMS).read_text())["files"]
    assert set(listed) == {
        "config.json",
        "meta.json",
        "best.th",
        "metrics.json",
        "model.tar.gz",
        "vocabulary/labels.txt",
        "vocabulary/non_padded_namespaces.txt",
        "vocabulary/text_origin_tags.txt",
        "vocabulary/tokens.txt",
    }
    open_archive(run)


@pytest.mark.parametrize("name", ["best.th", "config.json", "vocabulary/tokens.txt"])
def test_a_flipped_byte_is_found_in_each_file(run, name):
    flip(run / name)
    with pytest.raises(InputError) as caught:
        open_archive(run)
    assert str(caught.value) == (
        f"{run / name}: is damaged: it is not what was written; if that is on purpose, delete "
        f"{run / CHECKSUMS}"
    )


def test_a_flipped_byte_ends_a_command_in_a_sentence(run, ended):
    flip(run / "best.th")
    for command in ("evaluate", "predict", "attribute"):
        more = ["-o", "x.parquet"] if command == "attribute" else []
        code, message = ended(command, str(run), "test", *more)
        assert code == 2 and message.startswith(f"error: {run / 'best.th'}: is damaged: ")


@pytest.mark.parametrize("left", [0, 0.5])
def test_weights_that_were_cut_are_named(run, left):
    whole = (run / "best.th").read_bytes()
    (run / "best.th").write_bytes(whole[: int(left * len(whole))])
    with pytest.raises(InputError, match=r"run/best.th: is damaged"):
        open_archive(run)


def test_files_that_came_or_went_are_named(run):
    (run / "weights.th").write_bytes((run / "best.th").read_bytes())
    with pytest.raises(InputError, match=r"weights.th: did not exist when the other files were"):
        open_archive(run)
    (run / "weights.th").unlink()
    (run / "vocabulary" / "others.txt").touch()
    with pytest.raises(InputError, match=r"others.txt: did not exist when the other files were"):
        open_archive(run)
    (run / "vocabulary" / "others.txt").unlink()
    (run / "vocabulary" / "labels.txt").unlink()
    with pytest.raises(InputError, match=r"labels.txt: is missing"):
        open_archive(run)


@pytest.mark.parametrize("content", ["", "{", "[]", "{}", '{"files": 3}', '{"files": []}'])
def test_a_list_that_is_none_is_named_itself(run, content):
    (run / CHECKSUMS).write_text(content)
    with pytest.raises(InputError, match=r"run/checksums.json: is damaged"):
        open_archive(run)


def test_what_was_changed_on_purpose_is_read(run):
    config = json.loads((run / "config.json").read_text())
    (run / "config.json").write_text(json.dumps(config))
    (run / CHECKSUMS).unlink()
    open_archive(run)


def test_other_weights_are_read_next_to_damaged_ones(run, tmp_path):
    shutil.copy(run / "best.th", tmp_path / "other.th")
    flip(run / "best.th")
    open_archive(run, weights_file=str(tmp_path / "other.th"))


def test_a_training_that_goes_on_lists_what_it_wrote_last(run):
    stale = json.loads((run / CHECKSUMS).read_text())
    (run / CHECKSUMS).write_text("stale")
    train_model(Params(deepcopy(CONFIG)), run, recover=True)
    listed = json.loads((run / CHECKSUMS).read_text())
    # Nothing was trained again.
    assert listed["files"]["best.th"] == stale["files"]["best.th"]
    assert listed["files"]["metrics.json"] == sha256(run / "metrics.json")
    open_archive(run)


# The first bytes of a gzip file say when it was packed, and by whom.
@pytest.mark.parametrize("position", [0.1, 0.3, 0.5, 0.7, 0.9, 0.9999])
def test_a_flipped_byte_is_found_in_an_archive(run, position):
    archive = run / "model.tar.gz"
    flip(archive, position)
    with (
        pytest.raises(InputError, match=r"model.tar.gz: is not a model archive, or broken"),
        unpacked(archive),
    ):
        pass


def test_another_checksum_at_the_end_of_an_archive_is_found(run):
    """All members are as they were; but who knows that."""
    archive = run / "model.tar.gz"
    content = bytearray(archive.read_bytes())
    content[-8] ^= 1
    archive.write_bytes(content)
    with pytest.raises(InputError, match="CRC check failed"):
        open_archive(archive)
