"""A killed training goes on from whole checkpoints only; without one it starts again."""

import json
import zipfile
from pathlib import Path

import pytest

from attention_explain.workflow.progress import drop_checkpoints, prepare_training
from attention_explain.workflow.study import StudyError

CONFIG = {"model": "any"}


def saved(path: Path, whole: bool = True) -> None:
    """As torch saves; half of it if it was killed meanwhile."""
    with zipfile.ZipFile(path, "w") as file:
        file.writestr("data", "0" * 1000)
    if not whole:
        path.write_bytes(path.read_bytes()[:600])


def begun(folder: Path, *epochs: int, config=CONFIG) -> Path:
    folder.mkdir()
    (folder / "config.json").write_text(json.dumps(config))
    for epoch in epochs:
        for name in ("model", "training"):
            saved(folder / f"{name}_state_e{epoch}_b0.th")
    if epochs:
        saved(folder / "best.th")
    return folder


def test_a_checkpoint_is_gone_on_from(tmp_path):
    folder = begun(tmp_path / "run", 3)
    assert prepare_training(folder, CONFIG)
    assert (folder / "training_state_e3_b0.th").exists()


@pytest.mark.parametrize("state", ["model", "training"])
def test_half_a_checkpoint_is_dropped_for_the_one_before(state, tmp_path):
    folder = begun(tmp_path / "run", 3, 4)
    saved(folder / f"{state}_state_e4_b0.th", whole=False)
    assert prepare_training(folder, CONFIG)
    assert {path.name for path in folder.glob("*_state_*")} == {
        "model_state_e3_b0.th",
        "training_state_e3_b0.th",
    }


def test_a_checkpoint_of_which_a_file_is_missing_is_dropped(tmp_path):
    folder = begun(tmp_path / "run", 3, 4)
    (folder / "training_state_e4_b0.th").unlink()
    assert prepare_training(folder, CONFIG)
    assert not (folder / "model_state_e4_b0.th").exists()


def test_without_a_whole_checkpoint_nothing_is_left(tmp_path):
    folder = begun(tmp_path / "run", 3)
    saved(folder / "training_state_e3_b0.th", whole=False)
    assert not prepare_training(folder, CONFIG)
    assert not folder.exists()


def test_without_whole_best_weights_nothing_is_left(tmp_path):
    folder = begun(tmp_path / "run", 3)
    saved(folder / "best.th", whole=False)
    assert not prepare_training(folder, CONFIG)
    assert not folder.exists()


def test_best_weights_of_an_epoch_that_is_dropped_are_none(tmp_path):
    folder = begun(tmp_path / "run", 3, 4)
    (folder / "best.th").unlink()
    (folder / "best.th").hardlink_to(folder / "model_state_e4_b0.th")
    saved(folder / "training_state_e4_b0.th", whole=False)
    assert not prepare_training(folder, CONFIG)
    assert not folder.exists()


def test_an_empty_folder_is_no_beginning(tmp_path):
    assert not prepare_training(tmp_path, CONFIG)
    assert not prepare_training(tmp_path / "none", CONFIG)


def test_what_was_begun_with_other_paths_is_not_gone_on_from(tmp_path):
    folder = begun(tmp_path / "run", 3, config={"model": "other"})
    with pytest.raises(
        StudyError, match="run: training was started with the same settings but other paths"
    ):
        prepare_training(folder, CONFIG)
    assert (folder / "best.th").exists()


def test_a_finished_run_keeps_its_best_weights_alone(tmp_path):
    folder = begun(tmp_path / "run", 3, 4)
    drop_checkpoints(folder)
    assert {path.name for path in folder.iterdir()} == {"best.th", "config.json"}
