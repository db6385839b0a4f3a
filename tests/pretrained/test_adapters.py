"""Adapters of PEFT: merged when they are opened; skipped where PEFT is not installed."""

import json
import shutil

import pytest
import torch
from transformers import AutoModelForSequenceClassification, AutoTokenizer

from attention_explain.archives import archive_sha256, open_archive
from attention_explain.errors import InputError
from tests.pretrained.test_explanations import TEXTS

peft = pytest.importorskip("peft")


@pytest.fixture(autouse=True)
def own_home(tmp_path, monkeypatch):
    monkeypatch.setattr("huggingface_hub.constants.HF_HOME", str(tmp_path / "home"))


def adapted(base, folder, labels=2):
    """A folder with an adapter of random weights, and the model."""
    model = AutoModelForSequenceClassification.from_pretrained(
        base, num_labels=labels, ignore_mismatched_sizes=True
    )
    options = peft.LoraConfig(task_type="SEQ_CLS", r=2, target_modules=["query", "value"])
    model = peft.get_peft_model(model, options)
    torch.manual_seed(1)
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            if "lora_" in name:
                parameter.normal_()
    model.save_pretrained(folder)
    return model.eval()


def stated(folder, **values):
    file = folder / "adapter_config.json"
    file.write_text(json.dumps({**json.loads(file.read_text()), **values}))


@pytest.mark.parametrize("labels", [2, 3])
def test_an_adapter_predicts_what_peft_predicts(folders, tmp_path, labels):
    folder = tmp_path / "adapter"
    plain = adapted(folders["bert"], folder, labels)
    archive = open_archive(folder)
    tokenizer = AutoTokenizer.from_pretrained(folders["bert"])
    names = ("neg", "pos") if labels == 2 else ("LABEL_0", "LABEL_1", "LABEL_2")
    assert tuple(archive.model.labels) == names
    for text in TEXTS:
        with torch.no_grad():
            pieces = tokenizer(text, return_tensors="pt")
            expected = plain(**pieces).logits[0]
            embeddings = plain.get_input_embeddings()(pieces.input_ids)
            found = archive.model.transformer(inputs_embeds=embeddings).logits[0]
        torch.testing.assert_close(found, expected, atol=1e-5, rtol=1e-5)


def test_a_merged_adapter_is_kept_and_made_again_if_it_changes(folders, tmp_path):
    folder = tmp_path / "adapter"
    adapted(folders["bert"], folder)
    first = open_archive(folder).config["model"]["model_name"]
    assert open_archive(folder).config["model"]["model_name"] == first
    before = archive_sha256(folder)
    stated(folder, lora_alpha=16)
    assert open_archive(folder).config["model"]["model_name"] != first
    assert archive_sha256(folder) != before


def test_the_base_is_also_found_next_to_the_adapter(folders, tmp_path):
    folder = tmp_path / "adapter"
    adapted(folders["bert"], folder)
    shutil.copytree(folders["bert"], tmp_path / "base")
    stated(folder, base_model_name_or_path="../base")
    assert open_archive(folder).model.labels


@pytest.mark.parametrize(
    "changes, reason",
    [
        ({"base_model_name_or_path": "some/base"}, "is no folder; write the path"),
        ({"base_model_name_or_path": None}, "does not name its base"),
        ({"auto_mapping": {"parent_library": "os"}}, "code outside transformers"),
        ({"megatron_config": {"a": 1}}, "code outside transformers"),
        ({"peft_type": "UNHEARD"}, "PEFT cannot merge this adapter"),
    ],
)
def test_what_is_wrong_with_an_adapter_is_said(folders, tmp_path, changes, reason):
    folder = tmp_path / "adapter"
    adapted(folders["bert"], folder)
    stated(folder, **changes)
    with pytest.raises(InputError, match=reason):
        open_archive(folder)


def test_weights_of_an_adapter_that_cannot_be_read(folders, tmp_path):
    folder = tmp_path / "adapter"
    adapted(folders["bert"], folder)
    weights = folder / "adapter_model.safetensors"
    weights.write_bytes(weights.read_bytes()[:100])
    with pytest.raises(InputError, match="is broken"):
        open_archive(folder)
    weights.unlink()
    with pytest.raises(InputError, match="pickled weights of adapters are not read"):
        open_archive(folder)
