"""Numbers of a config that cannot be meant, and trainings that cannot go on, end in an error."""

import json

import pytest
from allennlp.common import Params
from allennlp.data.samplers import BatchSampler
from allennlp.modules import TokenEmbedder
from allennlp.training.optimizers import Optimizer

from attention_explain.errors import InputError
from attention_explain.models.classifier import class_weight_vector
from tests.training.runs import built, trained

SAMPLER = {"type": "bucket", "batch_size": 4}
EMBEDDER = {"type": "embedding", "num_embeddings": 3}


def message(build) -> str:
    with pytest.raises(InputError) as raised:
        build()
    return raised.value.message


@pytest.mark.parametrize(
    "options, problem",
    [
        ({"padding_noise": -0.1}, "padding_noise is -0.1, but must be 0 or more"),
        ({"padding_noise": None}, "padding_noise is null, but must be a number"),
        ({"padding_noise": True}, "padding_noise is true, but must be a number"),
        ({"batch_size": True}, "batch_size is true, but must be a number"),
        ({"batch_size": None}, "batch_size is null, but must be a number"),
    ],
)
def test_options_of_a_sampler(options, problem):
    config = Params({**SAMPLER, **options})
    assert message(lambda: BatchSampler.from_params(config)) == f"BucketBatchSampler: {problem}"


@pytest.mark.parametrize(
    "value, problem",
    [
        (True, "is true, but must be a number"),
        (None, "is null, but must be a number"),
        (10**9, "is 1000000000, but must be 1000000 or less"),
    ],
)
def test_sizes(value, problem):
    config = Params({**EMBEDDER, "embedding_dim": value})
    assert (
        message(lambda: TokenEmbedder.from_params(config)) == f"Embedding: embedding_dim {problem}"
    )


def test_options_that_may_be_true_or_null_stay_so():
    config = Params({**EMBEDDER, "embedding_dim": 2, "trainable": True, "projection_dim": None})
    assert TokenEmbedder.from_params(config).get_output_dim() == 2


@pytest.mark.parametrize("lr", [1e300, 10**20, -(10**20)])
def test_a_learning_rate_beyond_all_numbers(lr):
    config = Params({"type": "sgd", "lr": lr})
    assert "lr is " in message(lambda: Optimizer.from_params(config, model_parameters=[]))


@pytest.mark.parametrize(
    "options, problem",
    [
        ({"grad_norm": 0}, "grad_norm is 0, but must be larger than 0"),
        ({"grad_norm": -1.5}, "grad_norm is -1.5, but must be larger than 0"),
        ({"grad_clipping": 0}, "grad_clipping is 0, but must be larger than 0"),
        ({"num_epochs": 10**18}, f"num_epochs is {10**18}, but must be 1000000 or less"),
        ({"num_epochs": True}, "num_epochs is true, but must be a number"),
        ({"patience": True}, "patience is true, but must be a number"),
        ({"no_grad": [".*"]}, "no parameter is left to train"),
        (
            {"optimizer": {"type": "sgd", "lr": 1, "parameter_groups": [
                [["attention"], {"lr": 1}], [[".*"], {"lr": 2}]]}},
            "the optimizer's parameter_groups overlap: attention.",
        ),
        (
            {"optimizer": {"type": "sgd", "lr": 1, "parameter_groups": [
                [[".*"], {"requires_grad": False}]]}},
            "no parameter is left to train",
        ),
    ],
)  # fmt: skip
def test_options_of_the_trainer(tmp_path, options, problem):
    assert problem in message(lambda: built(tmp_path / "run", [], **options))


@pytest.mark.parametrize("grad_norm", [False, True, 0.5])
def test_the_norm_of_gradients_may_be_measured_only(tmp_path, grad_norm):
    trainer = built(tmp_path / "run", [], grad_norm=grad_norm).trainer
    assert trainer._grad_norm == grad_norm


@pytest.mark.parametrize(
    "weights", [{"0": -1, "1": 1}, {"0": 0, "1": 0}, {"0": float("inf"), "1": 1}]
)
def test_class_weights(weights):
    said = message(lambda: class_weight_vector(None, ["0", "1"], weights))
    assert said.endswith("but every weight must be 0 or more, and one of them above 0")


def test_one_class_weight_may_be_zero():
    assert class_weight_vector(None, ["0", "1"], {"0": 0, "1": 2}).tolist() == [0, 2]


# Each step multiplies the weights by -1e20.
EXPLOSION = {"optimizer": {"type": "sgd", "lr": 1e10, "weight_decay": 1e10}}


def test_a_training_that_diverges(tmp_path):
    said = message(lambda: trained(tmp_path / "run", [], num_epochs=3, **EXPLOSION))
    assert said == (
        "the training diverged in epoch 0: the loss is not a number; lower the optimizer's lr, or limit "
        "the gradients with the trainer's grad_norm"
    )


def test_a_training_whose_last_step_diverges(tmp_path):
    data = tmp_path / "data.jsonl"
    lines = [{"text": f"word {number}", "label": str(number % 2)} for number in range(8)]
    data.write_text("".join(json.dumps(line) + "\n" for line in lines))
    options = {"reader": {"type": "attention_text"}, "data": str(data), "batch_size": 8}
    once = {"type": "sgd", "lr": 1e18, "weight_decay": 1e18, "momentum": 1e18, "nesterov": True}
    said = message(lambda: trained(tmp_path / "run", [], **options, optimizer=once))
    assert said.startswith("the training diverged in epoch 0: '")
    assert "has weights that are not finite" in said
    assert not list((tmp_path / "run").glob("*.th"))
