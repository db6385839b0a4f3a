"""What studies derive their experiments from, `training_configs/lib`, makes models that can be trained."""

import gzip
import json
from pathlib import Path
from typing import Any

import pyarrow
import pyarrow.parquet
import pytest
from allennlp.commands.train import TrainModel
from allennlp.common import Params
from allennlp.common.util import prepare_environment
from allennlp.data import DatasetReader

from analysis.model_config import ModelConfig
from attention_explain.errors import InputError
from attention_explain.settings import DATA_VARIABLE
from attention_explain.workflow.identity import with_references
from tests.commands_run import PROJECT
from tests.workflow.studies import NAMES, experiments

FOLDER = PROJECT / "training_configs"
# How the paths of the splits begin.
DATA_FILES = {
    "sst": "sst/jw_preprocessed/",
    "imdb": "imdb/jw_split/",
    "newsgroups": "20news_sports/jw_split/",
    "ag_news": "agnews_world_business/",
    "pronoun": "deceptive_attention/pronoun_",
    "sst_wiki": "deceptive_attention/sst-wiki_",
    "movies": "rationales/movies/",
    "hatexplain": "rationales/hatexplain/",
    "emotion": "tweeteval/emotion_",
}


def resolved(study: str, corpus: str, run: str, data: str = "data") -> dict[str, Any]:
    """The config of a run, with paths that say what they stand for in position of other runs."""
    config = experiments(study).runs[corpus][run].config
    text = json.dumps(with_references(config, lambda other: f"{other.kind}-{other.run}"))
    return json.loads(text.replace('"data/', f'"{data}/'))


each_encoder = pytest.mark.parametrize("encoder", ["affine", "bilstm", "cnn", "transformer"])


@pytest.fixture(scope="module")
def data_folder(tmp_path_factory) -> Path:
    """The layout that the configs expect, with a few invented texts in each position."""
    root = tmp_path_factory.mktemp("data")
    rows = []
    for number in range(40):
        text = f"a{' very' * (number % 3)} {'fine' if number % 2 else 'poor'} piece of work "
        text += "for an idle sunday afternoon"
        tokens = text.split()
        block = [int(token in ("fine", "poor")) for token in tokens]
        row = {"id": f"text-{number}", "text": text, "tokens": tokens, "block": block}
        row["rationales"] = [block, block]
        rows.append({**row, "label": number % 2})
    emotions = ("anger", "joy", "optimism", "sadness")
    for corpus, position in DATA_FILES.items():
        for split in ("train", "dev", "test"):
            path = root / f"{position}{split}.jsonl.gz"
            path.parent.mkdir(parents=True, exist_ok=True)
            with gzip.open(path, "wt") as file:
                for number, row in enumerate(rows):
                    label = emotions[number % 4] if corpus == "emotion" else row["label"]
                    file.write(json.dumps({**row, "label": label}) + "\n")
    for path, content in pairs_of_texts().items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_bytes(gzip.compress(content.encode()))
    # Sentences that the training texts do not hold.
    path = root / "rationales" / "sst_annotators" / "all.jsonl.gz"
    path.parent.mkdir()
    others = [{**row, "tokens": ["once", *row["tokens"]], "rationales": []} for row in rows]
    with gzip.open(path, "wt") as file:
        file.writelines(json.dumps(row) + "\n" for row in others)
    (root / "word_vectors").mkdir()
    with gzip.open(root / "word_vectors" / "glove.6B.100d.subset.txt.gz", "wt") as file:
        for word in ("fine", "poor", "film", "the", "was"):
            file.write(word + " 0.1" * 100 + "\n")
    return root


def pairs_of_texts() -> dict[str, str]:
    """Stories with a question each, and pairs of sentences, under the names of their files."""
    story = "1 Ada is in the {}.\n2 Bob took a lamp.\n3 Where is Ada? \t{}\t1\n"
    stories = "".join(story.format(room, room) for room in ("attic", "cellar", "porch") * 13)
    labels = ("entailment", "neutral", "contradiction")
    sentences = "".join(
        json.dumps(
            {"id": f"pair-{number}", "premise": "a fine dog runs", "hypothesis": "it moves"}
            | {"label": labels[number % 3]}
        )
        + "\n"
        for number in range(39)
    )
    files = {f"snli/{split}.jsonl.gz": sentences for split in ("train_sample_20k", "dev", "test")}
    for task in (1, 2, 3):
        for split in ("train_1k" if task == 3 else "train", "dev", "test"):
            files[f"babi/raw/qa{task}_{split}.txt.gz"] = stories
    return files


def write_scores(params: Params) -> None:
    """Attribution files of no model, for who takes its scores: each text's first token has it all."""
    reader = params.pop("dataset_reader")
    paths, method = reader.pop("guide", None), "attention"
    if paths is None:
        erased = reader.pop("erased")
        paths, method = erased.get("files", []), erased["by"]
    whole = DatasetReader.from_params(reader)
    for split, path in zip(("train", "validation", "test"), paths):
        Path(path).parent.mkdir(exist_ok=True)
        texts = [text["metadata"].metadata for text in whole.read(params[f"{split}_data_path"])]
        rows = [
            {
                "id": text["id"],
                "tokens": text["tokens"],
                method: [1.0] + [0.0] * (len(text["tokens"]) - 1),
            }
            for text in texts
        ]
        pyarrow.parquet.write_table(pyarrow.Table.from_pylist(rows), path)


def built(params: Params, folder: Path) -> TrainModel:
    """What `allennlp train` builds before it trains."""
    prepare_environment(params)
    return TrainModel.from_params(params, serialization_dir=str(folder), local_rank=0)


def small(config: dict[str, Any], **overrides: Any) -> Params:
    """Small and on the CPU; all else as in the config."""
    overrides = {"trainer.cuda_device": -1, **overrides}
    if config["dataset_reader"]["type"] == "planted":
        overrides["dataset_reader.sizes"] = {"train": 40, "dev": 10, "test": 10}
    for path, value in overrides.items():
        *parts, last = path.split(".")
        position = config
        for part in parts:
            position = position[part]
        position[last] = value
    params = Params(config)
    if {"guide", "erased"} & set(config["dataset_reader"]):
        write_scores(params.duplicate())
    return params


def one_of_each(encoder: str, *aspects: str) -> list[tuple]:
    """Of runs with an encoder, one for each combination of what `ModelConfig` says of models."""
    chosen: dict[tuple, tuple] = {}
    for study in NAMES:
        for corpus, runs in experiments(study).runs.items():
            # Plain ones first: those that need another model cannot be trained here.
            for name, run in sorted(runs.items(), key=lambda one: "callbacks" in str(one)):
                model = ModelConfig(run.config)
                found = tuple(getattr(model, aspect) for aspect in aspects)
                if model.encoder == encoder:
                    chosen.setdefault(found, (study, corpus, name))
    return list(chosen.values())


def test_there_are_few_files():
    assert len(list(FOLDER.rglob("*.*sonnet"))) <= 45


@each_encoder
def test_every_kind_of_model_on_every_corpus_builds(encoder, data_folder, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    kinds = one_of_each(encoder, "attention", "projection", "role")
    # What reads a corpus does not know the encoder.
    corpora = one_of_each(encoder, "corpus") if encoder == "bilstm" else []
    for position, run in enumerate({*kinds, *corpora}):
        loop = built(small(resolved(*run, str(data_folder))), tmp_path / str(position))
        # Attention, and attention alone, is trained without weight decay; Pruthi et al. use none.
        decays = any(group["weight_decay"] for group in loop.trainer.optimizer.param_groups)
        names = {id(value): name for name, value in loop.model.named_parameters()}
        for group in loop.trainer.optimizer.param_groups:
            for parameter in group["params"]:
                of_attention = names[id(parameter)].startswith("attention.")
                assert (group["weight_decay"] == 0) == (of_attention or not decays), run


@each_encoder
def test_each_architecture_takes_a_training_step(encoder, data_folder, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    overrides = {"trainer.num_epochs": 1, "data_loader.batches_per_epoch": 1}
    for position, run in enumerate(one_of_each(encoder, "attention", "projection")):
        config = resolved(*run, str(data_folder))
        loop = built(small(config, **overrides), tmp_path / str(position))
        before = {name: value.clone() for name, value in loop.model.named_parameters()}
        loop.trainer._checkpointer = None
        metrics = loop.run()
        assert 0 <= metrics["validation_auc"] <= 1
        after = dict(loop.model.named_parameters())
        changed = {name for name in before if not before[name].equal(after[name])}
        assert {"decoder.weight"} < changed, run
        assert any(name.startswith("encoder.") for name in changed), run


def test_presets_have_the_published_settings():
    published = {
        ("jain_wallace_2019", "sst", "bilstm_tanh"): ("sum", 32, 8, None, 1e-3),
        ("neely_schouten_2020", "sst", "sdp_sparsemax"): ("mean", 64, 40, 10, 1e-3),
        ("wiegreffe_pinter_2019", "sst", "adversary_0.001"): ("sum", 32, 80, None, 1e-3),
        ("wiegreffe_pinter_2019", "imdb", "adversary_0.001"): ("sum", 32, 40, None, 1e-3),
        ("meister_2021", "sst", "bilstm_softmax"): ("mean", 32, 40, 10, 1e-4),
        ("meister_2021", "sst", "transformer_softmax"): ("mean", 32, 20, 10, 1e-5),
    }
    for run, expected in published.items():
        config = resolved(*run)
        trainer = config["trainer"]
        assert (
            config["model"]["loss_reduction"],
            config["data_loader"]["batch_sampler"]["batch_size"],
            trainer["num_epochs"],
            trainer.get("patience"),
            trainer["optimizer"]["lr"],
        ) == expected
        assert trainer["optimizer"]["amsgrad"] and trainer["optimizer"]["weight_decay"] == 1e-5
        by = "+epochs_trained" if run[-1].startswith("adversary") else "+auc"
        # Meister et al. select by accuracy.
        assert trainer["validation_metric"] == ("+accuracy" if run[0] == "meister_2021" else by)


def test_adversaries_have_the_published_scale_of_the_loss():
    published = {
        ("wiegreffe_pinter_2019", "sst", "adversary_0.001"): "as_published",
        ("planted", "easy", "frozen"): "as_published",
        ("meister_2021", "sst", "bilstm_adversary_0.02"): "mean",
    }
    for run, expected in published.items():
        (callback,) = resolved(*run)["trainer"]["callbacks"]
        assert callback["loss_reduction"] == expected, run


def test_a_missing_data_folder_says_what_to_set(tmp_path, monkeypatch):
    monkeypatch.setenv(DATA_VARIABLE, "nowhere")
    config = resolved("jain_wallace_2019", "sst", "bilstm_tanh", "nowhere")
    with pytest.raises(InputError, match=rf"nowhere/sst/.*{DATA_VARIABLE}"):
        built(small(config), tmp_path)
