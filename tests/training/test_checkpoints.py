"""A training that was killed while it wrote goes on from what is whole."""

import json
import logging
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
import torch
from allennlp.commands.train import train_model
from allennlp.common import Params
from allennlp.data.data_loaders import MultiProcessDataLoader
from allennlp.models import load_archive
from allennlp.training import Checkpointer
from allennlp.training.util import evaluate

from attention_explain.errors import InputError
from tests.training.runs import built, epoch_metrics, run_config

ADAM = {"type": "adam", "lr": 0.02}


def trained_for(epochs: int, folder: Path, validation_metric: str = "+accuracy"):
    """A training of the given number of epochs, or the rest of one."""
    loop = built(folder, [], num_epochs=epochs, optimizer=ADAM, validation_metric=validation_metric)
    loop.run()
    return loop


def truncated(path: Path, left: float) -> None:
    whole = path.read_bytes()
    path.write_bytes(whole[: int(left * len(whole))])


@pytest.mark.parametrize("state", ["model_state", "training_state"])
@pytest.mark.parametrize("left", [0, 0.5, 0.999])
def test_half_a_checkpoint_is_said_and_the_one_before_is_gone_on_from(
    tmp_path, caplog, state, left
):
    trained_for(3, tmp_path)
    truncated(tmp_path / f"{state}_e3_b0.th", left)
    with caplog.at_level(logging.WARNING, "attention_explain"):
        loop = trained_for(4, tmp_path)
    said = [record.getMessage() for record in caplog.records if "attention_explain" in record.name]
    assert said == [
        f"{tmp_path}: the checkpoint after epoch 3 was not written to its end; "
        "training goes on after epoch 2"
    ]
    assert loop.trainer._start_after_epochs_completed == 2
    assert len(epoch_metrics(tmp_path)) == 4
    # The third epoch, which was trained again, has been written again.
    for name in ("model_state_e3_b0.th", "training_state_e3_b0.th"):
        torch.load(tmp_path / name)


def test_a_missing_half_counts_as_one_that_is_not_whole(tmp_path):
    trained_for(2, tmp_path)
    (tmp_path / "training_state_e2_b0.th").unlink()
    assert trained_for(3, tmp_path).trainer._start_after_epochs_completed == 1


def test_without_a_whole_checkpoint_training_starts_again(tmp_path, caplog):
    trained_for(1, tmp_path)
    truncated(tmp_path / "training_state_e1_b0.th", 0)
    loop = trained_for(2, tmp_path)
    assert "training starts again" in caplog.text
    assert loop.trainer._start_after_epochs_completed == 0


@pytest.mark.parametrize("left", [None, 0.5])
def test_best_weights_that_were_not_written_are_those_of_the_checkpoint(tmp_path, left):
    first = trained_for(1, tmp_path, "-loss")
    if left is None:
        (tmp_path / "best.th").unlink()
    else:
        # Not through the link, which is the checkpoint itself.
        half = (tmp_path / "best.th").read_bytes()[:100]
        (tmp_path / "best.th").unlink()
        (tmp_path / "best.th").write_bytes(half)
    again = trained_for(1, tmp_path, "-loss")
    best = torch.load(tmp_path / "best.th")
    for name, value in first.model.state_dict().items():
        assert torch.equal(best[name], value)
    assert again.trainer.get_best_weights_path() == str(tmp_path / "best.th")


def test_a_recovered_training_ends_with_the_weights_of_its_best_epoch(tmp_path):
    """Also if that was the last before it was killed: its checkpoint does not know best.th yet."""
    metric = "-epochs_so_far"
    first = built(tmp_path, [], num_epochs=1, optimizer=ADAM, validation_metric=metric)
    first.model.extra_metrics.append(EpochsSoFar())
    first.run()
    loop = built(tmp_path, [], num_epochs=3, optimizer=ADAM, validation_metric=metric)
    loop.model.extra_metrics.append(EpochsSoFar(1))
    assert loop.run()["best_epoch"] == 0
    for name, value in first.model.state_dict().items():
        assert torch.equal(loop.model.state_dict()[name], value)


class EpochsSoFar:
    """A metric by which the first epoch is the best."""

    def __init__(self, seen: int = 0) -> None:
        self.seen = seen

    def __call__(self, output) -> None:
        pass

    def get_metric(self, reset: bool = False):
        self.seen += reset
        return {"epochs_so_far": self.seen}


def test_best_weights_that_nothing_has_any_more_are_said_to_be_lost(tmp_path):
    """The folder has been moved, too."""
    loop = built(tmp_path / "run", [], num_epochs=2, optimizer=ADAM, validation_metric="+loss")
    loop.run()
    moved = (tmp_path / "run").rename(tmp_path / "moved")
    again = trained_for(2, moved, "+loss")
    assert again.trainer.get_best_weights_path() == str(moved / "best.th")
    truncated(moved / "best.th", 0.5)
    with pytest.raises(InputError, match="best.th: is missing or was not written to its end"):
        trained_for(2, moved, "+loss")


def test_best_weights_of_an_epoch_that_is_dropped_are_no_other_epochs(tmp_path):
    """The third epoch is the best; without it the first is, whose weights nothing has any more."""
    few = {"checkpointer": {"keep_most_recent_by_count": 2}, "validation_metric": "+good"}
    loop = built(tmp_path, [], num_epochs=3, optimizer=ADAM, **few)
    loop.model.extra_metrics.append(GoodThenBadThenBest())
    loop.run()
    truncated(tmp_path / "training_state_e3_b0.th", 0.5)
    with pytest.raises(InputError, match="no checkpoint has the weights of the best epoch"):
        built(tmp_path, [], num_epochs=2, optimizer=ADAM, **few).run()


class GoodThenBadThenBest(EpochsSoFar):
    def get_metric(self, reset: bool = False):
        # Training and validation of an epoch are two.
        seen = super().get_metric(reset)["epochs_so_far"]
        return {"good": {2: 1, 4: 0, 6: 2}.get(seen, 0)}


class Killed(BaseException):
    """As nothing catches it, nothing is written after it."""


def kill_before(moment: str, monkeypatch) -> None:
    save = Checkpointer.save_checkpoint

    def save_and_die(checkpointer: Checkpointer, trainer: Any) -> None:
        save(checkpointer, trainer)
        if trainer._epochs_completed == trainer._num_epochs:
            raise Killed

    def die(*_: Any, **__: Any) -> None:
        raise Killed

    if moment == "best.th":
        monkeypatch.setattr(Checkpointer, "save_checkpoint", save_and_die)
    else:
        place = {"metrics.json": "TrainModel.finish", "model.tar.gz": "archive_model"}[moment]
        monkeypatch.setattr(f"allennlp.commands.train.{place}", die)


AVERAGES = {"moving_average": {"type": "exponential", "decay": 0.5}}


@pytest.mark.parametrize("trainer", [{}, AVERAGES], ids=["weights", "averages"])
@pytest.mark.parametrize("moment", ["best.th", "metrics.json", "model.tar.gz"])
def test_the_archive_of_a_recovered_run_is_the_model_of_its_metrics(
    tmp_path, monkeypatch, trainer, moment
):
    """Killed in the last epoch, which is the best, before that file is written."""
    few = {"checkpointer": {"keep_most_recent_by_count": 1}, "validation_metric": "-loss"}
    config = run_config([], num_epochs=3, optimizer=ADAM, **few, **trainer)
    with monkeypatch.context() as patch:
        kill_before(moment, patch)
        with pytest.raises(Killed):
            train_model(Params(deepcopy(config)), tmp_path)
    assert not (tmp_path / "model.tar.gz").exists()
    train_model(Params(deepcopy(config)), tmp_path, recover=True)
    metrics = json.loads((tmp_path / "metrics.json").read_text())
    assert metrics["best_epoch"] == 2
    # What was said of the last epoch before the kill.
    last = epoch_metrics(tmp_path)[2]
    assert {name: metrics[name] for name in last} == last and last["epoch"] == 2
    assert {"training_loss", "training_duration", "validation_loss"} <= last.keys()
    archive = load_archive(tmp_path / "model.tar.gz")
    for split, prefix in (("dev", "best_validation_"), ("test", "test_")):
        texts = MultiProcessDataLoader(archive.dataset_reader, split, batch_size=8)
        texts.index_with(archive.model.vocab)
        for name, value in evaluate(archive.model, texts).items():
            assert metrics[prefix + name] == pytest.approx(value, abs=1e-6)
