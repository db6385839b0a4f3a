"""`allennlp train` fine-tunes a folder; what it leaves needs the folder no longer."""

import shutil

import pytest
import torch
from allennlp.commands.train import train_model
from allennlp.data import Vocabulary

from attention_explain.archives import open_archive
from attention_explain.errors import InputError
from attention_explain.models import TransformerClassifier
from tests.commands_run import PROJECT
from tests.pretrained.configs import TEXTS, evaluated, write_texts
from tests.tiny_transformers import save_tiny_transformer

CONFIG = """
local lib = import '%s/training_configs/lib/lib.libsonnet';
lib.fine_tuned(
  lib.data.text_files('%s', '%s'),
  '%s',
  lib.training.fine_tuning(epochs=2, lr=1e-2, batch_size=4),
) + { trainer+: { cuda_device: -1 } }
"""


def config(folder, data):
    return evaluated(CONFIG % (PROJECT, data, data, folder))


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """A training run whose folder of transformers is gone; and the model, as it was trained."""
    root = tmp_path_factory.mktemp("training")
    folder = save_tiny_transformer(root / "tiny", "distilbert")
    data = write_texts(root / "texts.jsonl", ["bad", "good", "fair", "bad"] * 2)
    model = train_model(config(folder, data), root / "run").eval()
    shutil.rmtree(folder)
    return root / "run", model


@pytest.mark.parametrize("what", ["", "model.tar.gz"])
def test_run_and_archive_stand_by_themselves(run, what):
    folder, trained = run
    archive = open_archive(folder / what)
    archive.model.eval()
    assert archive.model.labels == trained.labels == ["bad", "fair", "good"]
    # As fast as it was.
    assert archive.model.transformer.config._attn_implementation == "sdpa"
    made = [archive.dataset_reader.text_to_instance(text=text) for text in TEXTS]
    for instance in made:
        archive.dataset_reader.apply_token_indexers(instance)
    for one, other in zip(
        archive.model.forward_on_instances(made), trained.forward_on_instances(made), strict=True
    ):
        assert one["probs"] == pytest.approx(other["probs"], abs=1e-6)


def test_training_changes_every_part(run, tmp_path):
    before = open_archive(save_tiny_transformer(tmp_path / "tiny", "distilbert")).model.state_dict()
    after = run[1].state_dict()
    same = [
        name
        for name, values in before.items()
        if values.shape == after[name].shape and torch.equal(values, after[name])
    ]
    # Every weight of the loss is 1; and the keys' biases change no weight of softmax.
    assert all(name == "class_weights" or name.endswith("k_lin.bias") for name in same)


def vocabulary(*labels):
    vocab = Vocabulary()
    vocab.add_tokens_to_namespace(list(labels), "labels")
    return vocab


def head(model):
    last = model.family.labels_layer
    return last.weight.detach(), last.bias.detach()


def test_a_head_for_the_same_labels_is_kept_in_the_order_of_the_data(folders):
    own = head(TransformerClassifier(vocabulary("neg", "pos"), str(folders["roberta"])))
    turned = head(TransformerClassifier(vocabulary("pos", "neg"), str(folders["roberta"])))
    for one, other in zip(own, turned):
        assert torch.equal(one.flip(0), other)


@pytest.mark.parametrize("labels", [("good", "bad"), ("neg", "pos", "neutral")])
def test_a_head_for_other_labels_is_new(folders, labels):
    old = TransformerClassifier(vocabulary("neg", "pos"), str(folders["roberta"]))
    model = TransformerClassifier(vocabulary(*labels), str(folders["roberta"]))
    weight, bias = head(model)
    assert len(weight) == len(labels) and not torch.any(bias)
    assert not torch.equal(weight[:2], head(old)[0])
    inside = model.transformer.roberta.state_dict()
    assert all(torch.equal(v, inside[k]) for k, v in old.transformer.roberta.state_dict().items())


MINILM = PROJECT / "weights" / "all-MiniLM-L6-v2"


@pytest.mark.skipif(not MINILM.is_dir(), reason="make weights fetches them")
def test_real_weights_without_a_head_get_one():
    with pytest.raises(InputError, match="has no head that classifies"):
        open_archive(MINILM)
    model = TransformerClassifier(vocabulary("neg", "pos"), str(MINILM)).eval()
    assert len(model.family.layers()) == 6
    assert head(model)[0].shape == (2, 384)
