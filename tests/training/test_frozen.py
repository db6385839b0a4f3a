"""A base of which only the attention is trained."""

import pytest
import torch

from attention_explain.archives import open_archive
from attention_explain.errors import InputError
from tests.small_archive import PLANTED, small_archive
from tests.training.runs import adversary, started, trained


def test_frozen_training_moves_attention_and_not_a_bit_of_the_rest(tmp_path, base):
    loop = trained(tmp_path, adversary(base, lambda_=5.0, frozen=True), num_epochs=3)
    theirs = open_archive(base).model.state_dict()
    moved = {
        name
        for name, value in loop.model.state_dict().items()
        if not torch.equal(value, theirs[name])
    }
    assert moved and all(name.startswith("attention.") for name in moved)


@pytest.mark.parametrize("again", [False, True])
def test_attention_starts_from_the_base_or_again(tmp_path, base, again):
    trainer, _ = started(tmp_path, adversary(base, frozen=True, new_attention=again))
    theirs = open_archive(base).model.state_dict()
    same = {
        name
        for name, value in trainer.model.state_dict().items()
        if torch.equal(value, theirs[name])
    }
    weights = {name for name in theirs if name.startswith("attention.") and "weight" in name}
    assert set(theirs) - same >= weights if again else same == set(theirs)
    assert all(name.startswith("attention.") for name in set(theirs) - same)


@pytest.mark.parametrize(
    "options, sentence",
    [
        ({"encoder": "bilstm"}, "needs the base's architecture"),
        ({"reader": {**PLANTED, "lowercase": True, "corpus_seed": 9}}, "needs the base's vocab"),
        ({"model": {"attention": {"projection": "uniform"}}}, "needs the base's architecture"),
    ],
)
def test_frozen_training_needs_the_same_model(tmp_path, base, options, sentence):
    with pytest.raises(InputError, match=sentence):
        started(tmp_path, adversary(base, frozen=True), **options)


def test_frozen_training_of_nothing_is_rejected(tmp_path):
    uniform = {"attention": {"projection": "uniform"}}
    theirs = small_archive(tmp_path / "base", encoder="affine", **uniform)
    with pytest.raises(InputError, match="would train nothing"):
        started(tmp_path / "run", adversary(theirs, frozen=True), model=uniform)


def test_a_base_from_before_vocabularies_kept_how_texts_were_split_will_do(tmp_path):
    older = small_archive(tmp_path / "base", encoder="affine").parent
    (older / "vocabulary" / "text_origin_tags.txt").unlink()
    trainer, _ = started(tmp_path / "run", adversary(older, frozen=True))
    theirs = open_archive(older).model.state_dict()
    assert all(
        torch.equal(value, theirs[name]) for name, value in trainer.model.state_dict().items()
    )
