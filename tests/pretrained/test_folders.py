"""What is wrong with a folder is said in one message, before any work."""

import json
import pickle
import re
import shutil
import sys

import pytest
import torch
from transformers import AutoModel, AutoModelForSequenceClassification, AutoTokenizer

from attention_explain.archives import archive_sha256, is_transformer_folder, open_archive
from attention_explain.data.any_reader import read_instances
from attention_explain.data.errors import DataError
from attention_explain.errors import InputError
from attention_explain.pretrained.folders import TransformerFolder
from tests.tiny_transformers import changed_config

TOKENIZER = ("tokenizer.json", "tokenizer_config.json", "vocab.txt", "special_tokens_map.json")


def rejected(folder, *parts):
    with pytest.raises(InputError) as error:
        open_archive(folder)
    (sentence,) = error.value.message.splitlines()
    for part in (str(folder), *parts):
        assert part in sentence
    return sentence


def test_a_folder_is_opened_as_an_archive_is(folders):
    archive = open_archive(folders["bert"])
    assert archive.model.labels == ["neg", "pos"]
    assert not archive.model.training
    assert archive.config["model"]["type"] == "transformer_classifier"


def test_a_training_run_is_no_folder_of_transformers(tmp_path):
    (tmp_path / "config.json").write_text('{"model": {"type": "x"}, "model_type": "bert"}')
    assert not is_transformer_folder(tmp_path)
    (tmp_path / "config.json").write_text("[")
    assert not is_transformer_folder(tmp_path)


def test_overrides_change_how_texts_are_read(folders):
    overrides = '{"dataset_reader.labels": {"0": "neg", "1": "pos"}}'
    reader = open_archive(folders["bert"], overrides=overrides).dataset_reader
    assert reader.text_to_instance(text="fine", label="1")["label"].label == "pos"


def test_without_weights(own_folder):
    (own_folder / "model.safetensors").unlink()
    rejected(own_folder, "has no weights (model.safetensors or pytorch_model.bin)")


def test_without_tokenizer(own_folder):
    for name in TOKENIZER:
        # transformers 5 writes fewer files.
        (own_folder / name).unlink(missing_ok=True)
    rejected(own_folder, "has no tokenizer", "save_pretrained")


def test_with_a_broken_tokenizer(own_folder):
    (own_folder / "tokenizer.json").write_text("{")
    rejected(own_folder, "its tokenizer cannot be read")


def test_with_a_head_of_another_size(own_folder):
    changed_config(own_folder, id2label={"0": "a", "1": "b", "2": "c"}, label2id=None)
    rejected(own_folder, "a head of 2 classes", "3 labels (a, b, c)")


def test_without_a_head(own_folder):
    model = AutoModel.from_pretrained(own_folder)
    model.save_pretrained(own_folder)
    rejected(own_folder, "no head that classifies", "classifier.bias, classifier.weight", "train")


@pytest.mark.parametrize("kind", ["vit", "no-such-type", 7])
def test_of_another_architecture(own_folder, kind):
    changed_config(own_folder, model_type=kind)
    rejected(own_folder, repr(kind), "no classifier in the installed transformers")


@pytest.mark.parametrize("layers", [1, 3])
def test_with_the_weights_of_another_model(own_folder, layers):
    changed_config(own_folder, num_hidden_layers=layers)
    rejected(own_folder, "weights are of another model than its config.json", "encoder.layer.")


def test_with_another_size_inside(own_folder):
    changed_config(own_folder, intermediate_size=5)
    rejected(own_folder, "weights are of another model than its config.json", "intermediate")


@pytest.mark.parametrize("kept", [0, 100, -8])
def test_with_broken_weights(own_folder, kept):
    weights = own_folder / "model.safetensors"
    weights.write_bytes(weights.read_bytes()[:kept])
    rejected(own_folder, "model.safetensors: is broken")


class Trap:
    """Would make a file if it were unpickled."""

    def __init__(self, file):
        self.file = file

    def __reduce__(self):
        return open, (str(self.file), "w")


def test_pickled_weights_run_nothing(own_folder, tmp_path):
    (own_folder / "model.safetensors").unlink()
    (own_folder / "pytorch_model.bin").write_bytes(pickle.dumps(Trap(tmp_path / "sprung"), 2))
    sentence = rejected(own_folder, "pytorch_model.bin")
    assert not (tmp_path / "sprung").exists(), sentence
    torch.save({"bert": Trap(tmp_path / "sprung")}, own_folder / "pytorch_model.bin")
    rejected(own_folder, "holds more than numbers, and is not loaded")
    assert not (tmp_path / "sprung").exists()


def test_pickled_weights_that_are_numbers_are_read(folders, own_folder):
    model = AutoModelForSequenceClassification.from_pretrained(own_folder)
    (own_folder / "model.safetensors").unlink()
    torch.save(model.state_dict(), own_folder / "pytorch_model.bin")
    one, other = open_archive(own_folder).model, open_archive(folders["bert"]).model
    for name, values in one.state_dict().items():
        assert torch.equal(values, other.state_dict()[name])


@pytest.mark.parametrize(
    "values, wrong",
    [
        ({"id2label": {"0": "a", "2": "b"}}, "must name the classes 0, 1, ... in turn"),
        ({"id2label": ["a", "b"]}, "must name the classes 0, 1, ... in turn"),
        ({"id2label": {"0": "a", "1": "a"}}, "gives two classes one name"),
        ({"label2id": {"neg": 1, "pos": 0}}, "'neg' is class 0, by its label2id class 1"),
    ],
)
def test_with_labels_that_do_not_match(own_folder, values, wrong):
    changed_config(own_folder, **{"label2id": None, **values})
    rejected(own_folder, "config.json", wrong)


def test_labels_without_names_are_those_of_transformers(own_folder):
    changed_config(own_folder, id2label=None, label2id=None)
    assert open_archive(own_folder).model.labels == ["LABEL_0", "LABEL_1"]


def test_a_label_that_the_model_does_not_know(folders, tmp_path):
    data = tmp_path / "texts.jsonl"
    data.write_text('{"text": "fine", "label": "pos"}\n{"text": "dull", "label": "bad"}\n')
    archive = open_archive(folders["bert"])
    with pytest.raises(
        DataError, match=r"texts.jsonl, line 2: field 'label' is 'bad'.*neg', 'pos'"
    ):
        read_instances(archive.validation_dataset_reader, archive.model.vocab, str(data))


def test_no_other_weights_for_a_folder(folders):
    with pytest.raises(InputError, match="has its own weights"):
        open_archive(folders["bert"], weights_file="best.th")


def test_a_folder_of_nothing(tmp_path):
    with pytest.raises(InputError, match=r"no folder of a transformer \(it has no config"):
        TransformerFolder.opened(tmp_path)


def test_a_name_that_the_hub_does_not_give(monkeypatch):
    def offline(*arguments, **options):
        raise OSError("no network")

    monkeypatch.setattr("huggingface_hub.snapshot_download", offline)
    with pytest.raises(InputError, match=r"hf://no/such: there is no such folder.*no net"):
        open_archive("hf://no/such")


def test_a_name_of_the_hub_stands_for_its_folder(folders, monkeypatch):
    asked = []

    def fetched(name, **options):
        asked.append((name, options["allow_patterns"]))
        return str(folders["bert"])

    monkeypatch.setattr("huggingface_hub.snapshot_download", fetched)
    assert open_archive("hf://some/bert").model.labels == ["neg", "pos"]
    assert {name for name, _ in asked} == {"some/bert"}
    assert not any(pattern.endswith(".py") for _, patterns in asked for pattern in patterns)


def test_the_hash_is_of_weights_config_and_tokenizer(folders, own_folder):
    same = archive_sha256(own_folder)
    assert same == archive_sha256(folders["bert"])
    (own_folder / "README.md").write_text("About it.")
    assert archive_sha256(own_folder) == same
    found = {same}
    for name in ("config.json", "vocab.txt", "model.safetensors"):
        shutil.copytree(folders["bert"], own_folder, dirs_exist_ok=True)
        (own_folder / name).write_bytes((own_folder / name).read_bytes() + b" ")
        found.add(archive_sha256(own_folder))
    assert len(found) == 4


def test_head_with_an_unknown_function(own_folder):
    changed_config(own_folder, function_to_apply="relu")
    rejected(own_folder, "config.json", "function_to_apply is 'relu'", "softmax, sigmoid, none")


def test_head_that_chooses_a_label_is_opened(own_folder):
    changed_config(
        own_folder, problem_type="single_label_classification", function_to_apply="softmax"
    )
    assert open_archive(own_folder).model.labels == ["neg", "pos"]


def test_multi_label_head_can_be_trained_to_choose_a_label(own_folder):
    changed_config(own_folder, problem_type="multi_label_classification")
    model = TransformerFolder.opened(own_folder).classifier_to_train(["pos", "neg"])
    assert model.config.problem_type == "single_label_classification"


def test_tokenizer_with_more_pieces_than_embeddings(own_folder):
    tokenizer = AutoTokenizer.from_pretrained(own_folder)
    tokenizer.add_tokens(["splendid"])
    tokenizer.save_pretrained(own_folder)
    pieces = len(tokenizer)
    rejected(
        own_folder,
        f"tokenizer has {pieces} pieces (the last is 'splendid')",
        f"embeddings for {pieces - 1}",
        "resize_token_embeddings",
    )


@pytest.mark.parametrize("removed", [["config.json"], ["model.safetensors"], []])
def test_adapter_is_not_a_model_without_peft(own_folder, removed, monkeypatch):
    """With base weights in the same folder, too, which transformers without PEFT would use alone."""
    for name in removed:
        (own_folder / name).unlink()
    (own_folder / "adapter_config.json").write_text('{"peft_type": "LORA"}')
    monkeypatch.setitem(sys.modules, "peft", None)
    rejected(own_folder, "adapter_config.json", "pip install peft", "merge_and_unload")
    with pytest.raises(InputError, match="merge_and_unload"):
        TransformerFolder.opened(own_folder)


def test_adapter_of_the_hub_is_not_a_model(own_folder, monkeypatch):
    (own_folder / "adapter_config.json").write_text('{"peft_type": "LORA"}')
    monkeypatch.setitem(sys.modules, "peft", None)
    monkeypatch.setattr("huggingface_hub.snapshot_download", lambda *_, **__: str(own_folder))
    with pytest.raises(InputError, match="merge_and_unload"):
        TransformerFolder.opened("some/adapter")


def test_numbers_as_labels_without_names_of_classes(own_folder, tmp_path):
    changed_config(own_folder, id2label=None, label2id=None)
    data = tmp_path / "texts.jsonl"
    data.write_text('{"text": "fine", "label": 1}\n')

    def read(overrides=""):
        archive = open_archive(own_folder, overrides=overrides)
        return read_instances(archive.validation_dataset_reader, archive.model.vocab, str(data))

    with pytest.raises(DataError, match="texts.jsonl, line 1: field 'label' is '1'") as error:
        read()
    assert "id2label" in error.value.message
    # The remedy in the message works unchanged.
    (remedy,) = re.findall("--overrides '(.*)'", error.value.message)
    (instance,) = read(remedy)
    assert instance["label"].label == "LABEL_1"


def test_other_unknown_labels_get_no_such_remedy(own_folder, folders, tmp_path):
    changed_config(own_folder, id2label=None, label2id=None)
    data = tmp_path / "texts.jsonl"
    for folder, label in ((own_folder, "2"), (own_folder, "bad"), (folders["bert"], "1")):
        data.write_text(json.dumps({"text": "fine", "label": label}))
        archive = open_archive(folder)
        with pytest.raises(DataError, match="not one of the labels") as error:
            read_instances(archive.validation_dataset_reader, archive.model.vocab, str(data))
        assert "id2label" not in error.value.message


@pytest.mark.parametrize("file", ["config.json", "tokenizer_config.json"])
def test_code_in_a_folder_is_an_error_and_never_runs(own_folder, tmp_path, file):
    trap = tmp_path / "ran"
    (own_folder / "modeling_own.py").write_text(f"open({str(trap)!r}, 'w')\n")
    stated = json.loads((own_folder / file).read_text())
    stated["auto_map"] = {"AutoModelForSequenceClassification": "modeling_own.Own"}
    (own_folder / file).write_text(json.dumps(stated))
    rejected(own_folder, file, "code of its own (auto_map), which is never run")
    assert not trap.exists()


def in_shards(folder):
    AutoModelForSequenceClassification.from_pretrained(folder).save_pretrained(
        folder, max_shard_size="2KB"
    )
    (folder / "model.safetensors").unlink(missing_ok=True)
    return sorted(folder.glob("model-*.safetensors"))


def test_weights_in_shards_are_read(folders, own_folder):
    assert len(in_shards(own_folder)) > 1
    one, other = open_archive(own_folder).model, open_archive(folders["bert"]).model
    for name, values in one.state_dict().items():
        assert torch.equal(values, other.state_dict()[name])


def test_a_shard_that_is_cut_off_is_named(own_folder):
    shard = in_shards(own_folder)[1]
    shard.write_bytes(shard.read_bytes()[:-4])
    rejected(own_folder, f"{shard.name}: is broken", "download or copy it again")


def test_a_shard_that_is_missing_is_named(own_folder):
    shard = in_shards(own_folder)[1]
    shard.unlink()
    rejected(own_folder, f"names '{shard.name}', which is missing")
