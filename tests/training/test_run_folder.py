"""Which folders a training may use, and what is said of the others."""

import fcntl
import json
import os
from copy import deepcopy

import pytest
from allennlp.commands.train import train_model
from allennlp.common import Params

from attention_explain.errors import InputError
from attention_explain.training import run_start
from tests.training.runs import adversary, run_config

RIGHT = run_config([])
# Fails when training is to begin, with data, vocabulary and model made.
WRONG = run_config(adversary("no/such/run"))


def train(config, folder, **options):
    return train_model(Params(deepcopy(config)), folder, **options)


def failed(folder):
    with pytest.raises(InputError, match="no/such/run"):
        train(WRONG, folder)
    assert (folder / "config.json").exists() and (folder / "vocabulary").exists()


@pytest.mark.parametrize("recover", [False, True])
def test_a_folder_in_which_nothing_was_trained_is_used_again(tmp_path, recover, monkeypatch):
    said = []
    monkeypatch.setattr(run_start.logger, "warning", lambda *parts: said.append(parts[0]))
    failed(tmp_path)
    assert not said
    (tmp_path / "vocabulary" / "stale.txt").touch()
    train(RIGHT, tmp_path, recover=recover)
    assert said == ["%s: nothing was trained there; it is used again"]
    assert (tmp_path / "model.tar.gz").exists()
    assert not (tmp_path / "vocabulary" / "stale.txt").exists()
    stored = json.loads((tmp_path / "config.json").read_text())
    assert stored["trainer"]["callbacks"] == []


@pytest.mark.parametrize("other", ["notes.txt", "best.th", "metrics_epoch_0.json"])
def test_a_folder_with_anything_else_in_it_is_left_as_it_is(tmp_path, other):
    failed(tmp_path)
    (tmp_path / other).write_text("precious")
    with pytest.raises(InputError, match="was broken off; --recover goes on with it"):
        train(RIGHT, tmp_path)
    assert (tmp_path / other).read_text() == "precious"
    assert (tmp_path / "vocabulary").exists()


def test_a_folder_with_a_config_of_somebodys_own_is_left_as_it_is(tmp_path):
    (tmp_path / "config.json").write_text(json.dumps(RIGHT))
    with pytest.raises(InputError, match="broken off"):
        train(RIGHT, tmp_path)
    assert (tmp_path / "config.json").exists()


def test_a_folder_of_other_things_is_named_as_such(tmp_path):
    (tmp_path / "notes.txt").touch()
    with pytest.raises(InputError, match="not the folder of a training .*'notes.txt'"):
        train(RIGHT, tmp_path)


def test_a_finished_training_is_neither_trained_over_nor_gone_on_with_otherwise(tmp_path):
    train(RIGHT, tmp_path)
    with pytest.raises(InputError, match="holds a finished training"):
        train(RIGHT, tmp_path)
    other = {**RIGHT, "evaluate_on_test": False, "random_seed": 3}
    del other["datasets_for_vocab_creation"]
    with pytest.raises(InputError) as caught:
        train(other, tmp_path, recover=True)
    assert (
        "datasets_for_vocab_creation was ['train'] and is not given now, evaluate_on_test was True "
        "and is False, random_seed is 3 and was not given; give another folder"
    ) in str(caught.value)


def test_a_training_that_was_killed_while_it_wrote_its_archive_is_not_finished(tmp_path):
    train(RIGHT, tmp_path)
    archive = tmp_path / "model.tar.gz"
    whole = archive.read_bytes()
    (tmp_path / "checksums.json").unlink()
    archive.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(InputError, match="was broken off; --recover goes on with it"):
        train(RIGHT, tmp_path)
    train(RIGHT, tmp_path, recover=True)
    with pytest.raises(InputError, match="holds a finished training"):
        train(RIGHT, tmp_path)


def test_a_config_that_was_not_written_to_its_end_is_said_to_take_force(tmp_path):
    whole = json.dumps(RIGHT)
    (tmp_path / "config.json").write_text(whole[: len(whole) // 2])
    with pytest.raises(InputError, match="config.json: cannot be read; --force"):
        train(RIGHT, tmp_path, recover=True)
    train(RIGHT, tmp_path, force=True)


def test_another_process_that_trains_there_is_not_disturbed(tmp_path):
    failed(tmp_path)
    run_start.release()
    held = os.open(tmp_path, os.O_RDONLY)
    fcntl.flock(held, fcntl.LOCK_EX)
    try:
        for options in ({}, {"recover": True}, {"force": True}):
            with pytest.raises(InputError, match="another process trains there"):
                train(RIGHT, tmp_path, **options)
        assert (tmp_path / "vocabulary").exists()
    finally:
        os.close(held)
    train(RIGHT, tmp_path)


def test_what_a_kill_left_of_a_finished_training_is_cleared(tmp_path):
    train(RIGHT, tmp_path)
    # Of a process that is no more: numbers of processes are smaller.
    left = [tmp_path / f".{name}.{2**30}.unfinished" for name in ("checksums.json", "best.th")]
    for path in left:
        path.touch()
    with pytest.raises(InputError, match="holds a finished training"):
        train(RIGHT, tmp_path)
    assert not any(path.exists() for path in left)
