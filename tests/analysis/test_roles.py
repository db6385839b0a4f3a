"""What a model was trained for is read from its config."""

import pytest

from analysis.model_config import ModelConfig
from tests.analysis.attribution_files import config


def trained(**callback):
    return config(trainer={"callbacks": ["tensorboard", callback]})


ADVERSARY = {"type": "adversarial_attention", "base": "runs/b", "lambda_": 0.001}
GUIDED = config(projection="guide")
GUIDED["dataset_reader"]["guide"] = ["train.parquet", "dev.parquet"]


def masked(**erased):
    given = config()
    given["dataset_reader"]["erased"] = erased
    return given


@pytest.mark.parametrize(
    "given, role, name",
    [
        (config(), "plain", "bilstm tanh softmax"),
        (config(trainer={}), "plain", "bilstm tanh softmax"),
        (config(projection="uniform"), "uniform", "bilstm uniform"),
        (GUIDED, "guided", "bilstm guide"),
        (trained(**ADVERSARY), "adversary", "bilstm tanh softmax adversary(0.001)"),
        (
            trained(**ADVERSARY, frozen=True),
            "adversary",
            "bilstm tanh softmax frozen adversary(0.001)",
        ),
        (
            trained(type="deceptive_attention", strength=0.1),
            "deceptive",
            "bilstm tanh softmax deceptive(0.1)",
        ),
        (masked(share=0.25, by="lrp"), "erased", "bilstm tanh softmax erased(0.25 by lrp)"),
        (
            masked(share=0.5, by="lrp", ranking="signed"),
            "erased",
            "bilstm tanh softmax erased(0.5 by lrp (signed))",
        ),
        (masked(share=0.5), "erased", "bilstm tanh softmax erased(0.5 by random)"),
        (masked(share=1), "erased", "bilstm tanh softmax erased(1)"),
    ],
)
def test_role_and_name(given, role, name):
    model = ModelConfig(given)
    assert (model.role, model.name) == (role, name)


def test_an_adversary_says_what_it_is_held_against():
    adversary = ModelConfig(trained(**ADVERSARY)).adversary
    assert (adversary.base, adversary.lambda_, adversary.frozen) == ("runs/b", 0.001, False)
    assert ModelConfig(config()).adversary is None and ModelConfig(config()).strength is None
