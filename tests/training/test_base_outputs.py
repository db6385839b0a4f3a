"""What the base makes of a text: computed once, kept by text, and in the model's order."""

import random

import pytest
import torch

from attention_explain.errors import InputError
from attention_explain.training.base_model import BaseModel, BaseOutputs, Text
from tests.small_archive import PLANTED, small_archive
from tests.training.runs import adversary, built, parameters, started, trained


def test_outputs_of_the_base_are_computed_once(tmp_path, base, monkeypatch):
    cache = tmp_path / "cache"
    computed = trained(tmp_path / "first", adversary(base, cache=str(cache)))
    files = sorted(cache.glob("*.parquet"))
    assert len(files) == 2
    monkeypatch.setattr(BaseModel, "outputs", None)
    reused = trained(tmp_path / "second", adversary(base, cache=str(cache)))
    for name, value in parameters(computed).items():
        assert torch.equal(parameters(reused)[name], value)
    assert sorted(cache.glob("*.parquet")) == files


def test_computing_them_draws_no_random_number_of_the_training(tmp_path, base):
    trainer = built(tmp_path, adversary(base, cache=str(tmp_path / "cache"))).trainer
    before = torch.get_rng_state(), random.getstate()
    trainer._callbacks[0].on_start(trainer)
    assert torch.equal(torch.get_rng_state(), before[0])
    assert random.getstate() == before[1]


def test_a_damaged_file_of_outputs_is_made_again(tmp_path, base):
    options = adversary(base, cache=str(tmp_path / "cache"))
    trained(tmp_path / "first", options)
    files = sorted((tmp_path / "cache").glob("*.parquet"))
    whole = files[0].read_bytes()
    files[0].write_bytes(whole[:100])
    trained(tmp_path / "second", options)
    assert files[0].read_bytes() == whole


def test_outputs_that_cannot_be_kept_are_no_reason_not_to_train(tmp_path, base):
    (tmp_path / "file").write_text("")
    loop = trained(tmp_path / "run", adversary(base, cache=str(tmp_path / "file" / "cache")))
    assert loop.trainer._epochs_completed == 1


def test_outputs_belong_to_a_text_and_not_to_its_id_alone(tmp_path):
    made = BaseModel(str(small_archive(tmp_path / "base", encoder="affine")), labels=["0", "1"])
    first, second = ["a", "fine", "film"], ["a", "poor", "play"]
    outputs = BaseOutputs(made)
    outputs.add(made.outputs([Text("line-1", first), Text("line-1", second)]))
    mask = torch.ones(1, 3, dtype=torch.bool)
    for tokens in (first, second):
        probs, attention = outputs.batch([Text("line-1", tokens)], mask)
        row = made.outputs([Text("line-1", tokens)]).to_pylist()[0]
        order = made.label_order(made.model.labels)
        torch.testing.assert_close(probs[0], torch.tensor(row["probs"])[order])
        torch.testing.assert_close(attention[0], torch.tensor(row["attention"]))


def test_a_base_with_other_labels_is_rejected(tmp_path):
    reader = {**PLANTED, "labels": {"0": "bad", "1": "good"}}
    other = small_archive(tmp_path / "base", encoder="affine", reader=reader)
    with pytest.raises(InputError, match="has the labels bad, good, but .* has 0, 1"):
        started(tmp_path / "run", adversary(other))
