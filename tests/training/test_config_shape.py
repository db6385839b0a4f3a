"""A training config whose fields are of another kind is rejected by the name of the field."""

import re
from copy import deepcopy
from pathlib import Path

import pytest
from allennlp.common import Params

from attention_explain.errors import InputError
from attention_explain.training.run_start import NEEDED, check_training_config
from tests.test_plugin import SMALL


def changed(name: str, value) -> Params:
    config = deepcopy(SMALL)
    *positions, last = name.split(".")
    inner = config
    for position in positions:
        inner = inner[position]
    inner[last] = value
    return Params(config)


@pytest.mark.parametrize(
    "name, value, wanted",
    [
        ("dataset_reader", None, "is null, but must be an object with its options, or the name of"),
        ("model", 3, "is 3, but must be an object with its options"),
        ("data_loader", [], "is [], but must be an object"),
        ("trainer", True, "is True, but must be an object"),
        ("train_data_path", None, "is null, but must be the path of a file or folder"),
        ("train_data_path", [], "is [], but must be the path"),
        ("validation_data_path", {}, "is {}, but must be the path"),
        ("test_data_path", ["a.jsonl", 3], "is ['a.jsonl', 3], but must be the path"),
        ("datasets_for_vocab_creation", "train", "is 'train', but must be a list of texts"),
        ("numpy_seed", -1, "is -1, but must be a whole number from 0"),
        ("random_seed", True, "is True, but must be a whole number"),
        ("distributed", 2, "is 2, but must be an object"),
        ("trainer.cuda_device", "gpu", "is 'gpu', but must be the number of a GPU, or -1 for the"),
        ("trainer.callbacks", 3, "is 3, but must be a list"),
        ("trainer.no_grad", ["("], "is ['('], but must be a list of regular expressions"),
        ("trainer.no_grad", ".*", "is '.*', but must be a list of regular expressions"),
        ("model.encoder.type", 3, "is 3, but must be the name of a type"),
        ("include_in_archive", "x" * 200, f"is '{'x' * 79}..., but must be a list of texts"),
    ],
)
def test_a_field_of_another_kind_is_named(name, value, wanted):
    with pytest.raises(InputError, match=re.escape(f"the config's {name} {wanted}")):
        check_training_config(changed(name, value))


@pytest.mark.parametrize(
    "groups",
    [3, [[["("], {}]], [["a", {}]], [[["a"], 3]], [[["a"], {"lr": "x"}]], [[["a"], {"lr": True}]]],
)
def test_parameter_groups_of_another_kind_are_named(groups):
    config = changed("trainer.optimizer", {"type": "adam", "parameter_groups": groups})
    said = (
        f"the config's trainer.optimizer.parameter_groups is {groups}, but must be a list of groups"
    )
    with pytest.raises(InputError, match=re.escape(said)):
        check_training_config(config)


@pytest.mark.parametrize("name", NEEDED)
def test_a_field_that_is_missing_is_named(name):
    config = {key: value for key, value in SMALL.items() if key != name}
    with pytest.raises(InputError, match=f"the config has no '{name}', which is "):
        check_training_config(Params(config))


@pytest.mark.parametrize(
    "name, value",
    [
        ("train_data_path", ["a.jsonl", "b.jsonl"]),
        ("train_data_path", {"first": "a.jsonl", "second": "b.jsonl"}),
        ("train_data_path", Path("a.jsonl")),
        ("trainer", "gradient_descent"),
        ("validation_data_path", None),
        ("random_seed", "13"),
        ("random_seed", None),
        ("trainer.cuda_device", None),
        ("trainer.no_grad", ["^encoder", "bias$"]),
        ("trainer.optimizer", {"parameter_groups": [[["a", "b"], {"lr": 1, "betas": [0, 1]}]]}),
        ("evaluation", {"type": "simple"}),
        # Somebody's own option by that name.
        ("model.types", {"type": {"a": 1}}),
    ],
)
def test_all_that_allennlp_takes_is_taken(name, value):
    check_training_config(changed(name, value))


def test_a_loop_of_another_type_has_fields_of_its_own():
    check_training_config(Params({"type": "mine", "epochs": 3}))
