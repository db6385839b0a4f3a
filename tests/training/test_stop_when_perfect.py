"""Training that stops at a perfect epoch gives what all of its epochs would have given."""

import pytest
import torch

from attention_explain.errors import InputError
from tests.training.runs import built, epoch_metrics, parameters

STOPS = [{"type": "stop_when_perfect"}]
OPTIONS = {"num_epochs": 6, "validation_metric": "+accuracy"}


def run(folder, callbacks, lr):
    loop = built(folder, callbacks, data="train", optimizer={"type": "adam", "lr": lr}, **OPTIONS)
    loop.run()
    return loop, epoch_metrics(folder)


# It is validated on what it learns, and so becomes perfect.
def test_the_model_is_the_one_that_all_epochs_give(tmp_path):
    _, all_epochs = run(tmp_path / "whole", [], lr=0.05)
    stopped, epochs = run(tmp_path / "stopped", STOPS, lr=0.05)
    perfect = [each["validation_accuracy"] for each in all_epochs].index(1.0)
    assert len(epochs) == perfect + 1 < len(all_epochs) == 6
    assert epochs[-1]["best_epoch"] == all_epochs[-1]["best_epoch"] == perfect
    weights = [torch.load(tmp_path / each / "best.th") for each in ("whole", "stopped")]
    assert all(torch.equal(value, weights[1][name]) for name, value in weights[0].items())
    assert all(torch.equal(value, weights[0][name]) for name, value in parameters(stopped).items())


def test_an_imperfect_training_goes_to_its_end(tmp_path):
    _, epochs = run(tmp_path, STOPS, lr=1e-6)
    assert max(each["validation_accuracy"] for each in epochs) < 1
    assert len(epochs) == 6


@pytest.mark.parametrize("metric", ["-loss", ["+accuracy", "-loss"]])
def test_a_metric_without_a_known_best_is_rejected(tmp_path, metric):
    trainer = built(tmp_path, STOPS, validation_metric=metric).trainer
    with pytest.raises(InputError, match="validation_metric is .*-loss"):
        trainer._callbacks[0].on_start(trainer)
