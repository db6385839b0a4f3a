"""Adversaries: the loss is the published one, and training on it does what it says."""

import json
import math

import numpy
import pytest
import torch
from entmax import sparsemax
from scipy.spatial.distance import jensenshannon
from scipy.special import rel_entr

from attention_explain.archives import open_archive
from attention_explain.errors import InputError
from attention_explain.training.adversarial_attention import FLOOR, kl_from_base
from tests.builders import batch
from tests.commands_run import forked_allennlp
from tests.small_archive import PLANTED, small_archive
from tests.training.runs import (
    adversary,
    built,
    epoch_metrics,
    parameters,
    run_config,
    started,
    trained,
)


def test_kl_equals_scipys_over_the_real_tokens():
    torch.manual_seed(0)
    mask = torch.arange(6) < torch.tensor([[6], [2], [1]])
    scores = torch.randn(2, 3, 6).masked_fill(~mask, -math.inf)
    ours, theirs = torch.softmax(scores, dim=-1)
    expected = [
        rel_entr(ours[row][mask[row]].numpy(), theirs[row][mask[row]].numpy()).sum()
        for row in range(3)
    ]
    numpy.testing.assert_allclose(kl_from_base(ours, theirs, mask), expected, atol=1e-6)


def test_zeros_of_a_sparse_base_count_as_the_floor_and_kl_stays_finite():
    base = torch.tensor([[0.7, 0.3, 0.0, 0.0]])
    mask = torch.tensor([[True, True, True, False]])
    ours = torch.tensor([[0.0, 0.5, 0.5, 0.0]])
    floored = numpy.array([0.7, 0.3, 0.01])
    expected = rel_entr([0.0, 0.5, 0.5], floored / floored.sum()).sum()
    assert kl_from_base(ours, base, mask, floor=0.01).item() == pytest.approx(expected, rel=1e-5)
    furthest = kl_from_base(torch.tensor([[0.0, 0.0, 1.0, 0.0]]), base, mask)
    assert furthest.item() == pytest.approx(-math.log(FLOOR), rel=1e-5)


def test_gradient_of_kl_is_finite_where_the_model_gives_no_weight():
    scores = torch.tensor([[3.0, 0.2, 0.1]], requires_grad=True)
    ours = sparsemax(scores, dim=-1)
    assert (ours == 0).any()
    mask = torch.ones(1, 3, dtype=torch.bool)
    kl_from_base(ours, torch.tensor([[0.0, 0.4, 0.6]]), mask).sum().backward()
    assert scores.grad.isfinite().all()


@pytest.mark.parametrize("projection", ["softmax", "sparsemax"])
def test_metrics_are_the_means_of_the_measures_by_scipy(tmp_path, projection):
    reader = {**PLANTED, "boundary_symbols": True}
    attention = {"projection": projection}
    theirs = small_archive(tmp_path / "base", "bilstm", reader, attention=attention)
    trainer, _ = started(tmp_path / "run", adversary(theirs), encoder="bilstm", reader=reader)
    ours, theirs = trainer.model.eval(), open_archive(theirs).model
    read = list(trainer.data_loader.iter_instances())[:5]
    measured = {"tvd": [], "jsd": [], "kl": [], "decision_agreement": []}
    for mine, base in zip(ours.forward_on_instances(read), theirs.forward_on_instances(read)):
        order = [theirs.labels.index(label) for label in ours.labels]
        probs, weights = base["probs"][order], numpy.array(base["attention"])
        floored = numpy.maximum(weights, FLOOR)
        measured["tvd"].append(abs(mine["probs"] - probs).sum() / 2)
        measured["jsd"].append(jensenshannon(mine["attention"], weights) ** 2)
        measured["kl"].append(rel_entr(mine["attention"], floored / floored.sum()).sum())
        measured["decision_agreement"].append(mine["label"] == base["label"])
    expected = {name: numpy.mean(values) for name, values in measured.items()}
    expected["tvd_as_published"] = expected["tvd"] / 2
    expected["adversarial_loss"] = expected["tvd"] - 0.1 * expected["kl"]

    ours.get_metrics(reset=True)
    output = ours(**batch(ours.vocab, read))
    metrics = ours.get_metrics(reset=True)
    assert output["adversarial_loss"].item() == pytest.approx(
        expected["adversarial_loss"], rel=1e-4
    )
    for name, value in expected.items():
        assert metrics[name] == pytest.approx(value, rel=1e-4, abs=1e-6)


@pytest.mark.parametrize("reduction", ["mean", "sum", "as_published"])
def test_the_loss_has_the_scale_asked_for_and_metrics_are_means(tmp_path, base, reduction):
    # Six texts of one label and two of the other, whose weights then differ.
    weights = {"0": 1.0, "1": 3.0}
    trainer, _ = started(
        tmp_path,
        adversary(base, lambda_=0.4, loss_reduction=reduction),
        model={"class_weights": weights},
    )
    ours, theirs = trainer.model.eval(), open_archive(base).model
    read = list(trainer.data_loader.iter_instances())
    by_label = {name: [one for one in read if one["label"].label == name] for name in weights}
    read = by_label["0"][:6] + by_label["1"][:2]
    # As the released code has it, for the probability of label 1 alone.
    distance = divergence = 0.0
    for mine, its in zip(ours.forward_on_instances(read), theirs.forward_on_instances(read)):
        probs = [
            made["probs"][made_by.labels.index("1")]
            for made, made_by in ((mine, ours), (its, theirs))
        ]
        distance += 0.5 * abs(probs[0] - probs[1])
        divergence += rel_entr(mine["attention"], its["attention"]).sum()
    # Their lambda is half of ours.
    loss = distance - 0.2 * divergence
    published = sum(weights[one["label"].label] * loss for one in read)
    expected = {"mean": 2 * loss / 8, "sum": 2 * loss, "as_published": published}
    ours.get_metrics(reset=True)
    output = ours(**batch(ours.vocab, read))
    assert output["adversarial_loss"].item() == pytest.approx(expected[reduction], rel=1e-4)
    metrics = ours.get_metrics(reset=True)
    assert metrics["adversarial_loss"] == pytest.approx(expected["mean"], rel=1e-4)


def test_weight_decay_counts_for_less_next_to_a_larger_loss(tmp_path, base):
    norms = {}
    for reduction in ("mean", "as_published"):
        loop = trained(
            tmp_path / reduction,
            adversary(base, loss_reduction=reduction),
            num_epochs=8,
            optimizer={"type": "adam", "lr": 0.01, "weight_decay": 0.1},
        )
        norms[reduction] = sum(value.norm() for value in parameters(loop).values())
    assert norms["mean"] < 0.7 * norms["as_published"]


def test_gradient_equals_finite_differences(tmp_path, base):
    trainer, callback = started(tmp_path, adversary(base, lambda_=0.7))
    ours = trainer.model.double()
    tensors = next(iter(trainer.data_loader))
    assert callback.on_backward(trainer, ours(**tensors), backward_called=False)
    chance = torch.Generator().manual_seed(0)
    for parameter in ours.parameters():
        gradient = parameter.grad.flatten()
        # Rows of words that are not in the batch have none.
        positions = gradient.nonzero().flatten()
        for position in positions[torch.randint(len(positions), (3,), generator=chance)]:
            losses = []
            with torch.no_grad():
                flat = parameter.view(-1)
                before = flat[position].item()
                for step in (1e-6, -1e-6):
                    flat[position] = before + step
                    losses.append(ours(**tensors)["adversarial_loss"].item())
                flat[position] = before
            slope = (losses[0] - losses[1]) / 2e-6
            assert gradient[position].item() == pytest.approx(slope, rel=1e-4, abs=1e-7)


def test_with_lambda_0_the_model_becomes_the_base(tmp_path, base):
    adam = {"type": "adam", "lr": 0.02}
    trained(tmp_path, adversary(base, lambda_=0), num_epochs=40, optimizer=adam)
    first, *_, last = epoch_metrics(tmp_path)
    assert first["training_tvd"] > 0.02
    assert last["training_tvd"] < 0.01


def test_lambda_buys_distance_of_attention(tmp_path, base):
    distances = []
    for lambda_ in (0, 1):
        folder = tmp_path / str(lambda_)
        adam = {"type": "adam", "lr": 0.02}
        trained(folder, adversary(base, lambda_), num_epochs=15, optimizer=adam)
        distances.append(epoch_metrics(folder)[-1]["validation_jsd"])
    assert distances[0] < 0.1 < 0.4 < distances[1]


def test_early_stopping_and_the_best_epoch_go_by_the_adversarial_loss(tmp_path, base):
    loop = built(
        tmp_path,
        adversary(base, lambda_=0.01),
        num_epochs=30,
        patience=2,
        validation_metric="-adversarial_loss",
        optimizer={"type": "sgd", "lr": 30.0},
    )
    metrics = loop.run()
    losses = [epoch["validation_adversarial_loss"] for epoch in epoch_metrics(tmp_path)]
    assert metrics["best_epoch"] == losses.index(min(losses)) == len(losses) - 3
    assert metrics["best_validation_adversarial_loss"] == min(losses)


def test_the_last_epoch_can_be_kept(tmp_path, base):
    options = {"num_epochs": 3, "validation_metric": "+epochs_trained", "patience": 1}
    metrics = built(tmp_path, adversary(base), **options).run()
    assert metrics["best_epoch"] == 2
    epochs = [epoch["validation_epochs_trained"] for epoch in epoch_metrics(tmp_path)]
    assert epochs == [1, 2, 3]


def test_every_split_has_the_metrics(tmp_path, base):
    loop = trained(tmp_path, adversary(base))
    loop.finish(epoch_metrics(tmp_path)[-1])
    metrics = json.loads((tmp_path / "metrics.json").read_text())
    names = ("adversarial_loss", "tvd", "tvd_as_published", "jsd", "kl", "decision_agreement")
    for split in ("training", "validation", "test"):
        assert {f"{split}_{name}" for name in names} < set(metrics)


def test_a_recovered_run_goes_on_where_it_was(tmp_path, base):
    options = {"num_epochs": 2, "validation_metric": "+epochs_trained"}
    # From the base's own attention KL has no slope, and nothing would move far enough to be seen.
    callbacks = adversary(base, frozen=True, new_attention=True)
    first = built(tmp_path, callbacks, **options)
    first.run()
    kept = parameters(first)
    # Nothing is left to train: whatever differs now was lost by recovering.
    again = built(tmp_path, callbacks, **options)
    again.run()
    for name, value in kept.items():
        assert torch.equal(parameters(again)[name], value), name
    longer = built(tmp_path, callbacks, **{**options, "num_epochs": 4})
    metrics = longer.run()
    assert metrics["epoch"] == 3 and longer.trainer._start_after_epochs_completed == 2
    moved = {n for n, value in kept.items() if not torch.allclose(parameters(longer)[n], value)}
    assert moved and all(name.startswith("attention.") for name in moved)


@pytest.mark.parametrize(
    "options, sentence",
    [
        ({"lambda_": -1}, "lambda_ is -1"),
        ({"floor": 0}, "floor is 0"),
        ({"loss_reduction": "max"}, "loss_reduction is 'max', but must be one of mean, sum, as"),
        ({"base": "no/such/run"}, "base is 'no/such/run', but no model archive"),
    ],
)
def test_impossible_settings_are_rejected(tmp_path, base, options, sentence):
    with pytest.raises(InputError, match=sentence):
        started(tmp_path, [{**adversary(base)[0], **options}])


def test_training_from_the_command_line(tmp_path, base):
    config = run_config(
        adversary(base), num_epochs=2, validation_metric="-adversarial_loss", patience=1
    )
    (tmp_path / "config.json").write_text(json.dumps(config))
    process = forked_allennlp("train", "config.json", "-s", "run", folder=tmp_path)
    process.join()
    assert process.exitcode == 0, (tmp_path / "said.txt").read_text()
    metrics = json.loads((tmp_path / "run" / "metrics.json").read_text())
    assert metrics["best_validation_adversarial_loss"] <= metrics["validation_adversarial_loss"]
    # The archive needs neither callback nor base.
    assert open_archive(tmp_path / "run" / "model.tar.gz").model.extra_metrics == []
