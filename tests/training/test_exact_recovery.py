"""A recovered training ends with the weights and metrics of an unbroken one, bit for bit."""

import json
import random
from collections import defaultdict
from collections.abc import Callable
from copy import deepcopy
from pathlib import Path
from typing import Any

import numpy
import pytest
import torch
from allennlp.commands.train import train_model
from allennlp.common import Params
from allennlp.training import Checkpointer, GradientDescentTrainer
from allennlp.training.metrics import Metric

from attention_explain.models.metrics import Confusion
from attention_explain.training.exact_recovery import (
    INEXACT,
    KEY,
    load_metric_states,
    metric_states,
    random_state,
    set_random_state,
)
from tests.builders import ENCODERS
from tests.training.runs import adversary, run_config

EPOCHS = 4
BATCHES = 5
# Numbers that say how long the training took, or what memory it needed.
MEASURED = ("training_duration", "memory_MB")
SHUFFLED = {"batch_size": 8, "shuffle": True}
BUCKETS = {"batch_sampler": {"type": "bucket", "batch_size": 8, "padding_noise": 0.5}}
ADAM = {"type": "adam", "lr": 0.02, "amsgrad": True}
FUSED = {"type": "fused_adam", "lr": 0.02, "amsgrad": True, "weight_decay": 1e-5}


class Killed(BaseException):
    """Nothing catches it, so that nothing is written after it."""


def config(
    data_loader: dict[str, Any] = SHUFFLED,
    callbacks: Any = (),
    model: Any = None,
    vocabulary: Any = None,
    optimizer: Any = FUSED,
    **trainer: Any,
) -> dict[str, Any]:
    made = run_config(
        list(callbacks),
        encoder="bilstm",
        model={"dropout": 0.3, **(model or {})},
        vocabulary=vocabulary,
        num_epochs=EPOCHS,
        optimizer=optimizer,
        **{"validation_metric": "-loss", **trainer},
    )
    made["data_loader"] = data_loader
    made["validation_data_loader"] = BUCKETS
    return made


def trained(folder: Path, made: dict[str, Any], recover: bool = False) -> dict[str, Any]:
    """What a training that ended has written: weights, and metrics of all epochs and of the end."""
    train_model(Params(deepcopy(made)), folder, recover=recover)
    files = [*sorted(folder.glob("metrics_epoch_*.json")), folder / "metrics.json"]
    if "should_validate_callback" in json.dumps(made):
        # An epoch that is not validated repeats the numbers of the one before; that has its own file.
        files = files[-1:]
    results = {path.name: json.loads(path.read_text()) for path in files}
    for metrics in results.values():
        for name in [name for name in metrics if name.endswith(MEASURED)]:
            del metrics[name]
    weights = torch.load(folder / "best.th")
    return {**results, **{name: value.tolist() for name, value in weights.items()}}


def killed_at(moment: Callable, folder: Path, made: dict[str, Any], recover: bool = False) -> None:
    with pytest.MonkeyPatch.context() as patch:
        moment(patch)
        with pytest.raises(Killed):
            train_model(Params(deepcopy(made)), folder, recover=recover)


def in_batch(number: int) -> Callable:
    """Counted from the beginning of the process, or from where it goes on."""

    def patch(monkeypatch: Any) -> None:
        compute, seen = GradientDescentTrainer.batch_outputs, []

        def count_and_die(self, batch, for_training):
            seen.append(for_training)
            if sum(seen) == number:
                raise Killed
            return compute(self, batch, for_training)

        monkeypatch.setattr(GradientDescentTrainer, "batch_outputs", count_and_die)

    return patch


def after_checkpoint(epochs: int, batches: int = 0) -> Callable:
    """Before the best weights are written."""

    def patch(monkeypatch: Any) -> None:
        save = Checkpointer.save_checkpoint

        def save_and_die(self, trainer):
            save(self, trainer)
            if (trainer._epochs_completed, trainer._batches_in_epoch_completed) == (
                epochs,
                batches,
            ):
                raise Killed

        monkeypatch.setattr(Checkpointer, "save_checkpoint", save_and_die)

    return patch


def recovered(folder: Path, made: dict[str, Any], *moments: Callable) -> dict[str, Any]:
    """After a kill at each of the moments."""
    for number, moment in enumerate(moments):
        killed_at(moment, folder, made, recover=number > 0)
    results = trained(folder, made, recover=True)
    assert not (folder / INEXACT).exists()
    return results


def check(tmp_path: Path, made: dict[str, Any], *moments: Callable) -> dict[str, Any]:
    unbroken = trained(tmp_path / "unbroken", made)
    assert recovered(tmp_path / "killed", made, *moments) == unbroken
    return unbroken


EVERY_BATCH = {"checkpointer": {"save_every_num_batches": 1, "keep_most_recent_by_count": 2}}
MASKED = {"tokens_to_add": {"tokens": ["@@MASK@@"]}}
CONFIGS: dict[str, dict[str, Any]] = {
    "shuffle and fused amsgrad": {},
    "shuffle and amsgrad": {"optimizer": ADAM},
    "buckets with padding noise": {"data_loader": BUCKETS},
    "batches across epochs": {"data_loader": {**SHUFFLED, "batches_per_epoch": 4}},
    "texts read in every epoch": {"data_loader": {**SHUFFLED, "max_instances_in_memory": 16}},
    "simple loader": {"data_loader": {"type": "simple", **SHUFFLED}},
    "plateau": {
        "learning_rate_scheduler": {"type": "reduce_on_plateau", "patience": 0, "factor": 0.5}
    },
    "slanted triangular": {"learning_rate_scheduler": {"type": "slanted_triangular"}},
    "linear with warm-up": {
        "learning_rate_scheduler": {"type": "linear_with_warmup", "warmup_steps": 7}
    },
    "polynomial decay": {"learning_rate_scheduler": {"type": "polynomial_decay"}},
    "combined": {
        "learning_rate_scheduler": {
            "type": "combined",
            "schedulers": [
                [2, {"type": "linear_with_warmup", "warmup_steps": 3}],
                [2, {"type": "cosine", "t_initial": 2}],
            ],
        }
    },
    "cosine": {"learning_rate_scheduler": {"type": "cosine", "t_initial": 3}},
    "gradual unfreezing": {
        "optimizer": {
            **FUSED,
            "parameter_groups": [
                [["^text_field"], {}],
                [["^encoder"], {}],
                [["^attention", "^decoder"], {}],
            ],
        },
        "learning_rate_scheduler": {"type": "slanted_triangular", "gradual_unfreezing": True},
    },
    "momentum": {
        "optimizer": {"type": "sgd", "lr": 0.2, "momentum": 0.9},
        "momentum_scheduler": {"type": "inverted_triangular", "cool_down": 2, "warm_up": 2},
    },
    "moving average": {"moving_average": {"type": "exponential", "decay": 0.7}},
    "accumulated gradients": {"num_gradient_accumulation_steps": 2, "grad_norm": 1.0},
    "regularised": {"model": {"regularizer": {"regexes": [[".*", {"type": "l2", "alpha": 0.01}]]}}},
    "deceptive": {
        "callbacks": [{"type": "deceptive_attention", "strength": 0.5, "words": ["the", "film"]}]
    },
    "erasure": {"callbacks": ["erasure_training"], "vocabulary": MASKED},
    "patience": {"validation_metric": "+loss", "patience": 2},
    "validated every second epoch": {
        "callbacks": [{"type": "should_validate_callback", "validation_interval": 2}]
    },
}


# The batches of an epoch in which a step of the trainer is not one batch of the 40 texts.
STEPS = {"accumulated gradients": 3, "batches across epochs": 4}


@pytest.mark.parametrize("name", ["shuffle and fused amsgrad", "buckets with padding noise"])
def test_killed_within_an_epoch_and_after_a_checkpoint(tmp_path, name):
    """AllenNLP's default is a checkpoint after each epoch."""
    check(tmp_path, config(**CONFIGS[name]), in_batch(BATCHES + 2), after_checkpoint(3))


@pytest.mark.slow
@pytest.mark.parametrize("name", CONFIGS)
def test_killed_four_times_with_a_checkpoint_after_every_batch(tmp_path, name):
    last = STEPS.get(name, BATCHES)
    check(
        tmp_path,
        config(**CONFIGS[name], **EVERY_BATCH),
        in_batch(3),
        after_checkpoint(1, 1),
        after_checkpoint(1, last),
        after_checkpoint(2),
    )


def test_killed_while_training_against_a_base(tmp_path, base):
    made = config(
        callbacks=adversary(base, frozen=True, new_attention=True),
        model={"encoder": ENCODERS["affine"]},
        validation_metric="-adversarial_loss",
        **EVERY_BATCH,
    )
    check(tmp_path, made, in_batch(BATCHES + 3))


def test_a_training_that_had_stopped_early_stays_stopped(tmp_path):
    """Its patience runs out after the third epoch, and it is killed before it ends."""
    callbacks = [{"type": "deceptive_attention", "strength": 0, "words": ["the"]}]
    made = config(callbacks=callbacks, validation_metric="-epochs_trained", patience=2)
    unbroken = check(tmp_path, made, after_checkpoint(3))
    assert unbroken["metrics.json"]["epoch"] == 2


def test_a_training_that_was_perfect_stays_stopped(tmp_path):
    made = config(validation_metric="+accuracy", callbacks=["stop_when_perfect"])
    with pytest.MonkeyPatch.context() as patch:
        # The metric of this small model.
        patch.setattr(Confusion, "get_metric", perfect)
        unbroken = check(tmp_path, made, after_checkpoint(1))
    assert unbroken["metrics.json"]["epoch"] == 0


def perfect(self: Confusion, reset: bool = False) -> dict[str, Any]:
    return {"accuracy": 1.0, "f1": [1.0, 1.0], "macro_f1": 1.0}


@pytest.mark.parametrize("state", ["model", "training"])
def test_killed_while_a_checkpoint_was_written(tmp_path, state):
    made = config(**EVERY_BATCH)
    unbroken = trained(tmp_path / "unbroken", made)
    folder = tmp_path / "killed"
    killed_at(after_checkpoint(1, 3), folder, made)
    path = folder / f"{state}_state_e1_b3.th"
    path.write_bytes(path.read_bytes()[:-1000])
    assert trained(folder, made, recover=True) == unbroken


def test_a_checkpoint_without_the_recovery_state_goes_on_with_a_notice(tmp_path, capsys):
    """As AllenNLP writes it without this plugin."""
    made = config()
    killed_at(after_checkpoint(2), tmp_path, made)
    path = tmp_path / "training_state_e2_b0.th"
    state = torch.load(path)
    assert state.pop(KEY)
    torch.save(state, path)
    train_model(Params(deepcopy(made)), tmp_path, recover=True)
    notice = "may not end with the same weights as without the interruption"
    assert notice in (tmp_path / "out.log").read_text()
    assert notice in "".join(capsys.readouterr())
    assert (tmp_path / INEXACT).exists()
    assert json.loads((tmp_path / "metrics.json").read_text())["epoch"] == EPOCHS - 1


def test_a_training_that_starts_again_is_not_marked(tmp_path):
    made = config()
    killed_at(after_checkpoint(1), tmp_path, made)
    (tmp_path / INEXACT).touch()
    path = tmp_path / "training_state_e1_b0.th"
    path.write_bytes(path.read_bytes()[:100])
    train_model(Params(deepcopy(made)), tmp_path, recover=True)
    assert not (tmp_path / INEXACT).exists()


def test_a_checkpoint_is_plain_data_and_small(tmp_path):
    """AllenNLP without this plugin can load it, too: it has no numpy arrays."""
    killed_at(after_checkpoint(1, 3), tmp_path, config(**EVERY_BATCH))
    path = tmp_path / "training_state_e1_b3.th"
    state = torch.load(path, weights_only=True)
    size = path.stat().st_size
    del state[KEY]
    torch.save(state, path)
    assert size - path.stat().st_size < 60_000


def test_random_states_are_restored():
    def draw() -> list[float]:
        # The first of a pair, so that each generator keeps the second.
        normal = random.gauss(0, 1), numpy.random.normal()
        return [*normal, random.random(), numpy.random.rand(), torch.rand(1).item()]

    draw()
    state = random_state()
    expected = draw()
    assert draw() != expected
    set_random_state(state)
    assert draw() == expected


class Counts(Metric):
    def __init__(self) -> None:
        self.by_label = defaultdict(int)
        self.seen = [torch.zeros(2), (1, None)]
        self.owner = object()


class Holder(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.metrics = {"counts": Counts()}


def test_the_counts_of_metrics_are_restored(tmp_path):
    full, empty = Holder(), Holder()
    counts = full.metrics["counts"]
    counts.by_label["yes"] += numpy.int64(2)
    counts.seen[0] += 1.5
    torch.save(metric_states(full), tmp_path / "states.th")
    load_metric_states(empty, torch.load(tmp_path / "states.th"), torch.device("cpu"))
    restored = empty.metrics["counts"]
    assert restored.by_label == {"yes": 2} and restored.by_label["no"] == 0
    assert restored.seen[0].tolist() == [1.5, 1.5] and restored.seen[1] == (1, None)
    assert restored.owner is not counts.owner
