"""What is of another kind than a command needs, somewhere inside a config, an archive or an option."""

import json
import shutil
from pathlib import Path
from typing import Optional

import pytest
import torch
from allennlp.common import Params, Registrable

from attention_explain.sentences import sentence_of
from tests.small_archive import small_archive
from tests.test_plugin import SMALL, config

TRAINER, MODEL = SMALL["trainer"], SMALL["model"]


@pytest.fixture(scope="module")
def run(tmp_path_factory) -> Path:
    """A run's folder, whose config has no data_loader."""
    return small_archive(tmp_path_factory.mktemp("odd") / "run").parent


@pytest.mark.parametrize("text", ["[1, 2]", "3", '"text"', "null"])
def test_a_config_that_is_no_object(ended, tmp_path, text):
    (tmp_path / "bad.jsonnet").write_text(text)
    wanted = "must be an object, with the config's fields by their names"
    for more in ([], ["--overrides", '{"model.dropout": 0.5}']):
        said = ended("train", "bad.jsonnet", "-s", "run", *more)
        assert said == (2, f"error: bad.jsonnet: {wanted}")
    said = ended("train", config(tmp_path), "-s", "run", "--overrides", text)
    assert said == (2, f"error: the overrides: {wanted}")


@pytest.mark.parametrize(
    "changes, sentence",
    [
        (
            {"data_loader": None},
            "the config's data_loader is null, but must be an object with its options, or the name "
            "of its type",
        ),
        (
            {"data_loader": {"batch_size": 0}},
            "MultiProcessDataLoader: batch_size must be at least 1",
        ),
        (
            {"data_loader": {}},
            "MultiProcessDataLoader: batch_size is required when batch_sampler is not supplied",
        ),
        (
            {"model": {**MODEL, "encoder": None}},
            "AttentionClassifier: encoder is null, but must be an object with its options, or the "
            "name of its type",
        ),
        (
            {"trainer": {**TRAINER, "cuda_device": "gpu"}},
            "the config's trainer.cuda_device is 'gpu', but must be the number of a GPU, or -1 for "
            "the CPU",
        ),
        (
            {"trainer": {**TRAINER, "grad_norm": None}},
            "the trainer's option 'grad_norm' is null; leave it out",
        ),
        (
            {"trainer": {**TRAINER, "num_gradient_accumulation_steps": 0}},
            "num_gradient_accumulation_steps is 0, but must be 1 or more",
        ),
    ],
)
def test_a_config_with_something_odd_in_it(ended, tmp_path, changes, sentence):
    assert ended("train", config(tmp_path, **changes), "-s", "run") == (2, f"error: {sentence}")


class Choosy(Registrable):
    """Says no to small numbers, and fails with large ones."""

    def __init__(self, number: int) -> None:
        if number < 3:
            raise ValueError("number must be 3 or more")
        self.index = self.find(number)

    def find(self, number: int) -> int:
        return ["a"].index(number)


Choosy.register("choosy")(Choosy)


def test_what_a_component_says_is_told_and_its_own_mistakes_are_not_hidden():
    def told(number: int) -> Optional[str]:
        with pytest.raises(ValueError) as raised:
            Choosy.from_params(Params({"type": "choosy", "number": number}))
        return sentence_of(raised.value)

    assert told(1) == "Choosy: number must be 3 or more"
    assert told(5) is None


def test_several_files_for_a_reader_of_one(ended, tmp_path):
    reader = {"type": "attention_text"}
    path = config(tmp_path, dataset_reader=reader, train_data_path=["a.jsonl", "b.jsonl"])
    said = "error: ['a.jsonl', 'b.jsonl']: this reader takes the path of one file or folder"
    assert ended("train", path, "-s", "run") == (2, said)


@pytest.mark.parametrize("weights", [[1, 2], {3: torch.ones(2)}, torch.ones(2)], ids=str)
@pytest.mark.parametrize("command", ["attribute", "evaluate"])
def test_weights_without_names(ended, run, tmp_path, command, weights):
    folder = Path(shutil.copytree(run, tmp_path / "copy"))
    torch.save(weights, folder / "best.th")
    more = ["-o", "x.parquet"] if command == "attribute" else []
    said = f"error: {folder}: is not a model archive, or broken (its weights have no names)"
    assert ended(command, str(folder), "test", *more) == (2, said)


def test_evaluation_of_a_model_without_a_data_loader(ended, run):
    code, message = ended("evaluate", str(run), "test")
    assert code == 2 and message.startswith(
        f"error: {run}: its config has no object 'data_loader'; give one with --overrides '"
    )
    overrides = message.split("--overrides '")[1].rstrip("'")
    assert json.loads(overrides) == {"data_loader": {"batch_size": 32}}


@pytest.mark.parametrize(
    "overrides, sentence",
    [
        ('{"model": {"x": 1}}', "with these overrides its config has no 'type' in its object 'mod"),
        ('{"model": 3}', "with these overrides its config has no object 'model'"),
        ('{"dataset_reader": null}', "with these overrides its config has no object 'dataset_rea"),
        ('{"modle.x": 1}', "the overrides do not fit: overrides dict contains unused keys: ['modl"),
    ],
)
def test_overrides_that_leave_nothing_to_open(ended, run, overrides, sentence):
    code, message = ended(
        "attribute", str(run), "test", "-o", "x.parquet", "--overrides", overrides
    )
    assert code == 2 and sentence in message


@pytest.mark.parametrize("given", ["[]", "3", '"text"', "null"])
def test_arguments_of_a_predictor_that_are_no_object(ended, run, given):
    arguments = ("predict", str(run), "test", "--predictor", "saliency", "--predictor-args", given)
    said = f"error: --predictor-args {given}: must be an object, as in {{}}"
    assert ended(*arguments) == (2, said)
