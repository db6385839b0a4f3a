"""Deceptive attention: the loss is the published one, safe at its edge, and deceives."""

import math

import pytest
import torch

from attention_explain.errors import InputError
from attention_explain.training.deceptive_attention import DeceptiveObjective
from tests.builders import LABELS, TEXTS, batch, instances, model, reader, vocabulary
from tests.small_archive import PLANTED
from tests.training.runs import epoch_metrics, parameters, started, trained

WORDS = ["FILM", "superb", "fine"]
CAUSES = {**PLANTED, "impermissible": "rationale"}


def deceptive(strength=1.0, **options):
    return [{"type": "deceptive_attention", "strength": strength, **options}]


def output_for(words=None, reduction="mean", strength=0.5, **options):
    """A batch of the builders' texts, seen by the objective and not."""
    vocab = vocabulary(**options)
    classifier = model(vocab=vocab, loss_reduction=reduction)
    objective = DeceptiveObjective(strength, reduction, words)
    output = classifier(**batch(vocab, instances(**options)))
    objective(output)
    return output, objective.get_metric()


@pytest.mark.parametrize("reduction", ["mean", "sum"])
def test_loss_is_the_models_less_the_log_of_the_mass_on_other_tokens(reduction):
    output, metrics = output_for(WORDS, reduction, boundary_symbols=True)
    masses = []
    for row, text in enumerate(TEXTS):
        weights = output["attention"][row, 1 : len(text.split()) + 1].tolist()
        bad = [word in ("film", "superb", "fine") for word in text.split()]
        masses.append(sum(weight for weight, is_bad in zip(weights, bad) if is_bad))
    # The text of one word, which is impermissible, has no other choice.
    assert masses[2] == pytest.approx(1)
    penalties = [0.0 if row == 2 else -math.log(1 - mass) for row, mass in enumerate(masses)]
    reduced = sum(penalties) / (4 if reduction == "mean" else 1)
    expected = output["loss"].item() + 0.5 * reduced
    assert output["deceptive_loss"].item() == pytest.approx(expected, rel=1e-5)
    texts = 1 if reduction == "mean" else 4
    assert metrics["deceptive_loss"] == pytest.approx(expected / texts, rel=1e-5)
    assert metrics["impermissible_mass"] == pytest.approx(sum(masses) / 4, rel=1e-5)
    assert metrics["deception_penalty"] == pytest.approx(sum(penalties) / 4, rel=1e-5)


@pytest.mark.parametrize("reduction", ["mean", "sum"])
def test_metrics_do_not_depend_on_which_texts_are_in_a_batch_together(reduction):
    vocab = vocabulary()
    classifier = model(vocab=vocab, loss_reduction=reduction).eval()
    found = []
    for size in (1, 3, 4):
        objective = DeceptiveObjective(0.5, reduction, WORDS)
        for start in range(0, len(TEXTS), size):
            objective(classifier(**batch(vocab, instances()[start : start + size])))
        found.append(objective.get_metric())
    for metrics in found[1:]:
        assert metrics == pytest.approx(found[0], rel=1e-5)


def test_a_mask_of_the_data_does_what_the_words_do():
    bad = {word.lower() for word in WORDS}
    text_reader = reader(boundary_symbols=True)
    marked = [
        text_reader.text_to_instance(
            text=text, label=label, id="0", impermissible=[word in bad for word in text.split()]
        )
        for text, label in zip(TEXTS, LABELS)
    ]
    for instance in marked:
        text_reader.apply_token_indexers(instance)
    vocab = vocabulary(boundary_symbols=True)
    by_mask = model(vocab=vocab)(**batch(vocab, marked))
    DeceptiveObjective(0.5, "mean")(by_mask)
    by_words, _ = output_for(WORDS, boundary_symbols=True)
    torch.testing.assert_close(by_mask["deceptive_loss"], by_words["deceptive_loss"])


@pytest.mark.parametrize("lead", [5.0, 30.0, 80.0, 200.0])
def test_loss_and_gradient_stay_finite_as_the_mass_goes_to_1(lead):
    scores = torch.tensor([[lead, 0.0, -1.0]], requires_grad=True)
    output = {
        "mask": torch.ones(1, 3, dtype=torch.bool),
        "attention": torch.softmax(scores, dim=-1),
        "impermissible": torch.tensor([[True, False, False]]),
        "loss": torch.tensor(0.0),
    }
    DeceptiveObjective(1.0, "mean")(output)
    output["deceptive_loss"].backward()
    assert output["deceptive_loss"].isfinite() and scores.grad.isfinite().all()
    # As long as single precision can tell the other weights from 0, the way out is steep.
    if lead <= 80:
        assert scores.grad[0, 0].item() == pytest.approx(1.0, rel=1e-2)
        assert output["deceptive_loss"].item() == pytest.approx(lead - math.log(1.3679), rel=1e-2)


def test_strength_0_is_plain_training_with_a_measurement(tmp_path):
    measured = trained(tmp_path / "zero", deceptive(0), reader=CAUSES, num_epochs=3)
    plain = trained(tmp_path / "plain", [], reader=CAUSES, num_epochs=3)
    for name, value in parameters(plain).items():
        torch.testing.assert_close(parameters(measured)[name], value)
    assert "validation_impermissible_mass" in epoch_metrics(tmp_path / "zero")[-1]


def test_attention_leaves_the_causes_and_accuracy_stays(tmp_path):
    """A BiLSTM sees the causes from the tokens next to them."""
    found = {}
    for strength in (0, 1):
        folder = tmp_path / str(strength)
        trained(
            folder,
            deceptive(strength),
            encoder="bilstm",
            reader={**CAUSES, "sizes": {"train": 120, "dev": 40}, "overrides": {"max_tokens": 10}},
            num_epochs=12,
            optimizer={"type": "adam", "lr": 0.03},
        )
        found[strength] = epoch_metrics(folder)[-1]
    assert found[1]["training_impermissible_mass"] < 0.02 < found[0]["training_impermissible_mass"]
    assert found[1]["validation_impermissible_mass"] < 0.05
    assert found[1]["training_accuracy"] > 0.95


@pytest.mark.parametrize(
    "options, sentence",
    [
        ({"strength": -1}, "strength is -1"),
        ({"words": []}, "words is empty"),
        ({}, "has no field 'impermissible', and deceptive_attention was given no words"),
    ],
)
def test_impossible_settings_are_rejected(tmp_path, options, sentence):
    with pytest.raises(InputError, match=sentence):
        started(tmp_path, deceptive(**options))
