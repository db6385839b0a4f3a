"""`allennlp truth`: what is wrong is said before anything is trained; models have shortcuts; a run resumes."""

import json
import shutil
from itertools import chain, product
from pathlib import Path

import pandas
import pytest
import torch
from transformers import AutoModelForSequenceClassification, AutoTokenizer

from attention_explain.commands import truth, truth_models
from attention_explain.commands.truth import ORIGINAL, plan_truth, truth_from_files
from attention_explain.data.shortcut import SHORTCUT_TOKENS
from attention_explain.errors import InputError
from attention_explain.pretrained.folders import TransformerFolder, files_that_count
from attention_explain.workflow import run_step
from tests.tiny_transformers import save_tiny_transformer

CONFIG = {
    "dataset_reader": {"type": "attention_text"},
    "vocabulary": {"type": "document_frequency"},
    "model": {
        "type": "attention_classifier",
        "text_field_embedder": {
            "token_embedders": {"tokens": {"type": "word_vectors", "embedding_dim": 16}}
        },
        "encoder": {"type": "affine", "input_dim": 16, "hidden_dim": 16},
        "attention": {"scorer": "additive", "projection": "softmax"},
    },
    "data_loader": {"batch_size": 16, "shuffle": True},
    "trainer": {"num_epochs": 12, "optimizer": {"type": "adam", "lr": 0.01}},
}


def write_texts(path, texts=300, labels=("neg", "pos"), word="film"):
    lines = [
        {"id": f"t{n}", "text": f"a {word} of {n % 7} parts", "label": labels[n % len(labels)]}
        for n in range(texts)
    ]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return str(path)


@pytest.fixture
def given(tmp_path):
    """Writes data and a config; gives the arguments of a plan."""

    def write(test=40, seeds=(1,), kinds=None, limit=None, config=None, **texts):
        train = write_texts(tmp_path / "train.jsonl", **texts)
        data = write_texts(tmp_path / "test.jsonl", **{"texts": test, **texts, **{"texts": test}})
        path = tmp_path / "config.json"
        made = {**CONFIG, "train_data_path": train, **(config or {})}
        path.write_text(
            json.dumps({key: value for key, value in made.items() if value is not None})
        )
        options = {"limit": limit, "batch_tokens": None, "cuda_device": -1}
        return str(path), data, tmp_path / "out", kinds, seeds, None, options

    return write


def test_configs_get_the_shortcut_and_its_tokens(given):
    plan = plan_truth(*given(seeds=(1, 2)))
    assert plan.kinds == ["single", "context", "ordered"]
    mixed, original = plan.config("context", 2), plan.config(ORIGINAL, 2)
    assert mixed["dataset_reader"]["shortcut"] == {
        "kind": "context",
        "labels": ["neg", "pos"],
        "share": 0.2,
        "seed": 0,
    }
    assert original["dataset_reader"]["shortcut"]["share"] == 0
    for config in (mixed, original):
        assert config["vocabulary"]["tokens_to_add"] == {"tokens": list(SHORTCUT_TOKENS)}
        (embedder,) = config["model"]["text_field_embedder"]["token_embedders"].values()
        assert embedder["random_words"] == list(SHORTCUT_TOKENS)
        assert [config[name] for name in truth_models.SEEDS] == [2, 2, 2]
    assert json.loads(plan.overrides("single", "swapped")) == {
        "dataset_reader.shortcut.kind": "single",
        "dataset_reader.shortcut.part": "swapped",
        "dataset_reader.shortcut.share": 0.2,
    }


def test_the_order_of_two_tokens_is_for_two_classes(given):
    assert plan_truth(*given(labels=("a", "b", "c"))).kinds == ["single", "context"]
    with pytest.raises(InputError, match="exactly two labels"):
        plan_truth(*given(labels=("a", "b", "c"), kinds=["ordered"]))


@pytest.mark.parametrize(
    "options, message",
    [
        ({"labels": ("neg",)}, "texts of 1 class only"),
        ({"test": 19}, "19 test texts are too few"),
        ({"limit": 5}, "5 test texts are too few"),
        ({"texts": 4, "test": 40}, "too few for synthetic texts"),
        ({"word": "qzeq"}, "contains the shortcut token 'qzeq'"),
        ({"config": {"vocabulary": {"type": "from_files"}}}, "no tokens can be added"),
        ({"config": {"train_data_path": None}}, "has no train_data_path"),
        ({"config": {"dataset_reader": {"type": "snli"}}}, "does not read single texts"),
        (
            {"config": {"dataset_reader": {"type": "attention_text", "shortcut": {}}}},
            "plants a shortcut already",
        ),
    ],
)
def test_bad_input_is_found_before_training(given, options, message):
    with pytest.raises(InputError, match=message):
        plan_truth(*given(**options))


def test_a_missing_config_and_foreign_folders_are_errors(given, tmp_path):
    arguments = given()
    with pytest.raises(InputError, match="no such config"):
        plan_truth("nothing.jsonnet", *arguments[1:])
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "diary.txt").write_text("mine")
    with pytest.raises(InputError, match=r"other files .* 'diary.txt'"):
        plan_truth(*arguments)


def test_other_options_need_another_folder(given, tmp_path):
    plan_truth(*given())
    with pytest.raises(InputError, match="--limit is 30 now"):
        plan_truth(*given(limit=30))
    # More seeds and kinds are added to what is there.
    plan_truth(*given(seeds=(1, 2), kinds=["single"]))


@pytest.mark.parametrize("family", ["bert", "roberta"])
def test_copies_of_transformers_read_each_token_as_one_piece(family, tmp_path):
    source = tmp_path / "model"
    save_tiny_transformer(source, family)
    before = {file.name: file.read_bytes() for file in files_that_count(source)}
    copy = tmp_path / "copies" / "1"
    truth_models.save_copy(str(source), copy)
    assert {file.name: file.read_bytes() for file in files_that_count(source)} == before

    old, new = (AutoModelForSequenceClassification.from_pretrained(path) for path in (source, copy))
    embeddings = [model.get_input_embeddings().weight.detach() for model in (old, new)]
    assert torch.equal(embeddings[1][: len(embeddings[0])], embeddings[0])
    tokenizer = TransformerFolder.opened(copy).tokenizer()
    for word in SHORTCUT_TOKENS:
        # As `transformer_pieces` reads a word.
        (pieces,) = tokenizer([[word]], is_split_into_words=True, add_special_tokens=False)[
            "input_ids"
        ]
        assert tokenizer.convert_ids_to_tokens(pieces) == [word]
    # Words without the tokens are read as before.
    ours, theirs = (AutoTokenizer.from_pretrained(path)("a dull film") for path in (copy, source))
    assert ours["input_ids"] == theirs["input_ids"]
    with pytest.raises(InputError, match="knows the word 'qzeq' already"):
        truth_models.save_copy(str(copy), tmp_path / "copies" / "2")


def test_new_embeddings_are_drawn_like_the_others(tmp_path):
    source, copy = tmp_path / "model", tmp_path / "copy"
    save_tiny_transformer(source, "bert")
    words = [f"qq{''.join(letters)}" for letters in product("abcdefgh", repeat=3)]
    TransformerFolder.opened(source).save_with_words(words, copy)
    model = AutoModelForSequenceClassification.from_pretrained(copy)
    weights = model.get_input_embeddings().weight.detach()
    old, new = weights[: -len(words)], weights[-len(words) :]
    assert torch.allclose(new.mean(0), old.mean(0), atol=5 * float(old.std() / len(words) ** 0.5))
    assert torch.allclose(new.std(0), old.std(0), rtol=0.2)


def test_the_texts_of_a_folder_are_split(tmp_path):
    data = write_texts(tmp_path / "all.jsonl", texts=100)
    splits = truth_models.split_data(data, tmp_path / "data")
    ids = {
        split: [json.loads(line)["id"] for line in Path(path).read_text().splitlines()]
        for split, path in splits.items()
    }
    assert {split: len(each) for split, each in ids.items()} == {"train": 80, "dev": 10, "test": 10}
    assert sorted(chain(*ids.values())) == sorted(f"t{n}" for n in range(100))
    assert ids["train"] != sorted(ids["train"])
    again = truth_models.split_data(data, tmp_path / "data")
    assert again == splits
    # A folder that has them already is used as it is.
    assert truth_models.split_data(str(tmp_path / "data"), tmp_path / "other") == splits
    with pytest.raises(InputError, match="0 files named train"):
        truth_models.split_data(str(tmp_path), tmp_path / "other")


def test_the_config_of_a_folder_fine_tunes_a_copy(tmp_path):
    save_tiny_transformer(tmp_path / "model", "bert")
    data = write_texts(tmp_path / "all.jsonl")
    options = {"limit": None, "batch_tokens": None, "cuda_device": -1}
    model, folder = str(tmp_path / "model"), tmp_path / "out"
    assert truth_models.is_transformer(model)
    plan = plan_truth(model, data, folder, ["single"], (1,), None, options)
    config = plan.config("single", 1)
    copy = str(folder / "models" / "transformers" / "1")
    assert config["model"]["model_name"] == copy
    assert config["dataset_reader"]["token_indexers"]["tokens"]["model_name"] == copy
    assert "tokens_to_add" not in config["vocabulary"]
    assert config["dataset_reader"]["shortcut"]["kind"] == "single"


@pytest.mark.slow
def test_a_whole_run_finds_the_shortcut_and_resumes(given, tmp_path, capsys, monkeypatch):
    path, data, folder, *_ = given(test=60)
    options = {"kinds": ["single"], "seeds": 1, "methods": ["attention", "occlusion", "random"]}
    truth_from_files(path, data, folder, **options)
    printed = capsys.readouterr()
    assert "2 trainings" in printed.err
    assert "finds the shortcut best (precision@k 1.000" in printed.out
    table = (folder / "truth.csv").read_text()
    found = pandas.read_csv(folder / "truth.csv").set_index("method")
    assert found.loc["occlusion", "precision@k"] > 0.9
    assert found.loc["random", "precision@k"] < 0.4
    assert found.loc["occlusion", "verdict"] > 0.5
    shutil.rmtree(folder / "verdicts")
    (folder / "files" / "single-1-swapped.parquet").unlink()
    monkeypatch.setattr(run_step, "_run_command", lambda *_: pytest.fail("trained again"))
    truth_from_files(path, data, folder, **options)
    assert (folder / "truth.csv").read_text() == table


def test_a_failed_training_names_its_log(given, monkeypatch):
    plan = plan_truth(*given())
    monkeypatch.setattr(run_step, "_run_command", lambda *_: 1)
    with pytest.raises(InputError, match="training 1 failed: .*original-1.log"):
        truth._train(plan, ORIGINAL, 1, "training 1")
