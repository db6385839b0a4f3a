"""A training that was killed while it wrote goes on from what is whole."""

import logging
from pathlib import Path

import pytest
import torch
from allennlp.common.checks import ConfigurationError
from allennlp.training import Checkpointer

from tests.training.runs import built, epoch_metrics

ADAM = {"type": "adam", "lr": 0.02}


def trained_for(epochs: int, folder: Path, validation_metric: str = "+accuracy"):
    """A training of so many epochs, or the rest of one."""
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


def test_without_a_whole_checkpoint_training_starts_anew(tmp_path, caplog):
    trained_for(1, tmp_path)
    truncated(tmp_path / "training_state_e1_b0.th", 0)
    loop = trained_for(2, tmp_path)
    assert "training starts anew" in caplog.text
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
    for name in ("model_state", "training_state"):
        state = {
            "metric_tracker": {"is_best_so_far": False, "epoch_number": 2},
            "best_model_filename": "runs/before/it/was/moved/best.th",
        }
        torch.save(state, tmp_path / f"{name}_e2_b0.th")
    torch.save({}, tmp_path / "best.th")
    loaded = Checkpointer(tmp_path).load_checkpoint()
    assert loaded.trainer_state["best_model_filename"] == str(tmp_path / "best.th")
    truncated(tmp_path / "best.th", 0.5)
    with pytest.raises(ConfigurationError, match="best.th: was not written to its end"):
        Checkpointer(tmp_path).load_checkpoint()
