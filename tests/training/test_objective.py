"""The backward pass that a callback has taken over: scaled, accumulated, shared as AllenNLP's is."""

import json

import pytest
import torch
from allennlp.training.callbacks.backward import OnBackwardException

from attention_explain.archives import open_archive
from attention_explain.errors import InputError
from tests.commands_run import allennlp
from tests.training.runs import (
    adversary,
    parameters,
    run_config,
    started,
    trained,
)


def test_accumulated_gradients_equal_those_of_one_larger_batch(tmp_path, base):
    # 40 texts: the last step accumulates over one batch instead of two.
    halves = trained(
        tmp_path / "halves", adversary(base), batch_size=8, num_gradient_accumulation_steps=2
    )
    whole = trained(tmp_path / "whole", adversary(base), batch_size=16)
    for name, value in parameters(whole).items():
        torch.testing.assert_close(parameters(halves)[name], value, atol=1e-6, rtol=1e-5)


def test_backward_goes_through_the_scaler_of_mixed_precision(tmp_path, base):
    class Scaler:
        def scale(self, loss):
            return loss * 1024

    trainer, callback = started(tmp_path, adversary(base))
    tensors = next(iter(trainer.data_loader))
    gradients = []
    for trainer._scaler in (None, Scaler()):
        trainer.optimizer.zero_grad()
        callback.on_backward(trainer, trainer.model(**tensors), backward_called=False)
        gradients.append(trainer.model.decoder.weight.grad.clone())
    torch.testing.assert_close(gradients[0] * 1024, gradients[1])


def test_half_precision_outputs_are_compared_in_full_precision(tmp_path, base):
    trainer, callback = started(tmp_path, adversary(base))
    output = trainer.model(**next(iter(trainer.data_loader)))
    exact = output["adversarial_loss"].item()
    output["probs"], output["attention"] = output["probs"].half(), output["attention"].half()
    callback.objective(output)
    assert output["adversarial_loss"].dtype == torch.float32
    assert output["adversarial_loss"].item() == pytest.approx(exact, abs=0.01)


def test_a_penalty_of_the_model_is_part_of_what_is_minimised(tmp_path, base):
    regularizer = {"regexes": [[".*", {"type": "l2", "alpha": 100.0}]]}
    shrunk = trained(
        tmp_path / "l2",
        adversary(base),
        model={"regularizer": regularizer},
        optimizer={"type": "sgd", "lr": 0.001},
    )
    free = trained(tmp_path / "free", adversary(base), optimizer={"type": "sgd", "lr": 0.001})
    norms = [
        sum(float(value.norm() ** 2) for value in parameters(loop).values())
        for loop in (shrunk, free)
    ]
    assert norms[0] < norms[1] / 2


def test_a_second_owner_of_the_backward_pass_is_rejected(tmp_path, base):
    trainer, callback = started(tmp_path, adversary(base))
    with pytest.raises(OnBackwardException, match="AdversarialAttention"):
        callback.on_backward(trainer, {}, backward_called=True)


def test_two_objectives_are_rejected_before_any_work(tmp_path):
    # The base is not there; nothing looks for it.
    deceptive = {"type": "deceptive_attention", "strength": 1.0, "words": ["the"]}
    sentence = "AdversarialAttention and DeceptiveAttention would each train the model"
    with pytest.raises(InputError, match=sentence):
        trained(tmp_path, [*adversary(tmp_path / "absent"), deceptive])


def test_a_reader_that_does_not_tell_ids_and_tokens_is_rejected(tmp_path):
    lines = [json.dumps({"text": f"word {label}", "label": label}) for label in "abab"]
    (tmp_path / "texts.jsonl").write_text("\n".join(lines))
    reader = {"type": "text_classification_json", "tokenizer": "whitespace"}
    with pytest.raises(InputError, match="must know the id and the tokens of each text"):
        started(
            tmp_path / "run", adversary(tmp_path), reader=reader, data=str(tmp_path / "texts.jsonl")
        )


@pytest.mark.slow
@pytest.mark.parametrize("frozen", [False, True])
def test_two_processes_give_what_one_gives(tmp_path, base, frozen):
    one = run_config(adversary(base, frozen=frozen), batch_size=16, num_epochs=2)
    two = run_config(adversary(base, frozen=frozen), batch_size=8, num_epochs=2)
    for config, name in ((one, "one"), (two, "two")):
        # AllenNLP evaluates the test split in one of the processes, whose metrics wait for all.
        config["evaluate_on_test"] = False
        if name == "two":
            config["distributed"] = {"cuda_devices": [-1, -1]}
            config["trainer"].pop("cuda_device")
        (tmp_path / f"{name}.json").write_text(json.dumps(config))
        done = allennlp(
            "train",
            f"{name}.json",
            "-s",
            name,
            "--include-package",
            "attention_explain",
            folder=tmp_path,
        )
        assert done.returncode == 0, done.stderr
    single, double = (open_archive(tmp_path / name).model.state_dict() for name in ("one", "two"))
    for name, value in single.items():
        torch.testing.assert_close(double[name], value, atol=1e-5, rtol=1e-4)
    metrics = [
        json.loads((tmp_path / name / "metrics.json").read_text()) for name in ("one", "two")
    ]
    for name in ("tvd", "kl", "jsd", "adversarial_loss", "decision_agreement"):
        for split in ("training", "validation"):
            values = [found[f"{split}_{name}"] for found in metrics]
            assert values[1] == pytest.approx(values[0], rel=1e-3, abs=1e-5)
