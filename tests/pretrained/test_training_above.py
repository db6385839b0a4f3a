"""
`lib.encoders.pretrained`: attention over a pretrained transformer is trained in all the ways of the debate,
and what training leaves needs the transformer's folder no longer.
"""

import shutil

import pytest
import torch
from allennlp.commands.train import train_model

from attention_explain import explain
from attention_explain.archives import open_archive
from attention_explain.counterfactual.perturbation import PERTURBATIONS, Perturber
from attention_explain.pretrained.embedders import TransformerWords
from attention_explain.pretrained.pieces import KEPT
from tests.commands_run import PROJECT
from tests.pretrained.configs import TEXTS, evaluated, write_texts
from tests.tiny_transformers import HIDDEN, save_tiny_transformer

CONFIG = """
local lib = import '%(project)s/training_configs/lib/lib.libsonnet';
local data = lib.data.text_files('%(data)s', '%(data)s');
local experiment = lib.experiment(
  data,
  lib.encoders.pretrained('%(folder)s', %(dim)d, %(options)s),
  lib.attention.tanh + lib.attention.%(projection)s,
  lib.training.%(training)s,
) { trainer+: { num_epochs: 1, cuda_device: -1 } };
%(made)s
"""
FROZEN = "trained=false, mix_layers=true"
TRAINED = "trained=true, above=lib.encoders.bilstm"


@pytest.fixture(scope="module")
def position(tmp_path_factory):
    root = tmp_path_factory.mktemp("above")
    save_tiny_transformer(root / "tiny", "bert")
    write_texts(root / "texts.jsonl", ["bad", "good", "good", "bad"] * 2)
    return root


def trained(position, name, options=FROZEN, projection="softmax", made="experiment", **changed):
    values = {
        "project": PROJECT,
        "data": position / "texts.jsonl",
        "folder": position / "tiny",
        "dim": HIDDEN,
        "options": options,
        "projection": projection,
        "training": "jain_wallace" if options == FROZEN else "fine_tuning_below(batch_size=4)",
        "made": made,
        **changed,
    }
    return train_model(evaluated(CONFIG % values), position / name).eval()


@pytest.fixture(scope="module")
def base(position):
    return trained(position, "base")


def of_the_transformer(model):
    """Its values, but for the pooler, which nothing here reads."""
    named = ((name.partition("transformer_model."), of) for name, of in model.state_dict().items())
    return {
        name: values
        for (_, found, name), values in named
        if found and not name.startswith("pooler")
    }


@pytest.mark.parametrize("options, trains", [(FROZEN, False), (TRAINED, True)])
def test_the_transformer_is_trained_or_stays_as_it_is(position, options, trains):
    model = trained(position, f"trained-{trains}", options, projection="sparsemax")
    fresh = open_archive(position / "tiny").model.transformer.base_model.state_dict()
    same = {
        name
        for name, values in of_the_transformer(model).items()
        if torch.equal(values, fresh[name])
    }
    if trains:
        # Biases of keys change no weight of softmax.
        assert all(name.endswith("key.bias") for name in same)
    else:
        assert same == set(of_the_transformer(model))
    assert trains == (type(model.encoder).__name__ != "PassThroughEncoder")
    model.train()
    assert model.pieces.embedder.transformer_model.training is trains


def test_an_archive_stands_by_itself(position, base, tmp_path):
    shutil.copytree(position / "base", tmp_path / "base")
    (position / "tiny").rename(position / "gone")
    try:
        archive = open_archive(tmp_path / "base" / "model.tar.gz")
    finally:
        (position / "gone").rename(position / "tiny")
    made = [archive.dataset_reader.text_to_instance(text=text) for text in TEXTS]
    for instance in made:
        archive.dataset_reader.apply_token_indexers(instance)
    outputs = (each.forward_on_instances(made) for each in (archive.model.eval(), base))
    for one, other in zip(*outputs, strict=True):
        assert one["attention"] == pytest.approx(other["attention"], abs=1e-6)
        assert len(one["attention"]) == len(one["tokens"])
    assert archive.model.symbol_embedding("mask", "").shape == (HIDDEN,)


@pytest.mark.parametrize(
    "name, projection, made",
    [
        ("uniform", "uniform", "experiment"),
        ("adversary", "softmax", "lib.adversary(experiment, '%s/base', 0.1, epochs=1)"),
        ("frozen", "softmax", "lib.adversary(experiment, '%s/base', 0.1, frozen=true, epochs=1)"),
        ("deceptive", "softmax", "lib.deceptive(experiment, 1, ['film', 'acting'])"),
    ],
)
def test_every_training_of_the_debate_runs(position, base, name, projection, made):
    model = trained(position, name, projection=projection, made=made.replace("%s", str(position)))
    for stays, values in zip(of_the_transformer(base).values(), of_the_transformer(model).values()):
        assert torch.equal(stays, values)


def test_words_of_its_runs_are_explained_and_deleted(position, base):
    methods = ["attention", "leave-one-out", "integrated-gradients"]
    found = explain(position / "base", TEXTS[1], methods)
    assert {name: len(scores) for name, scores in found.scores.items()} == dict.fromkeys(methods, 4)
    verdict = found.verdict(words=1)
    for name in methods:
        word = verdict.methods[name].words[0]
        shorter = explain(position / "base", TEXTS[1].replace(f"{word}", ""), ["random"])
        own = shorter.probs[shorter.labels.index(verdict.target)]
        assert verdict.methods[name].without.probability == pytest.approx(own, abs=1e-5)


def test_attention_is_perturbed(position, base):
    archive = open_archive(position / "base")
    made = [archive.dataset_reader.text_to_instance(text=text) for text in TEXTS[:2]]
    for instance in made:
        archive.dataset_reader.apply_token_indexers(instance)
    found = Perturber(archive.model, PERTURBATIONS.build(["uniform"])).perturb(made)
    assert [len(each.attention) for each in found] == [3, 4]


def test_a_training_that_left_no_checkpoint_begins_with_the_folders_weights_again(
    position, tmp_path
):
    begun = TransformerWords(str(position / "tiny"), serialization_dir=str(tmp_path))
    assert (tmp_path / KEPT).is_dir()
    again = TransformerWords(str(position / "tiny"), serialization_dir=str(tmp_path))
    for name, values in begun.state_dict().items():
        assert torch.equal(again.state_dict()[name], values), name
    # With one, the weights are the checkpoint's, and the folder may be gone.
    (tmp_path / "model_state_e1_b0.th").touch()
    TransformerWords(str(position / "gone"), serialization_dir=str(tmp_path))
