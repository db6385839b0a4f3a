"""Every experiment file builds, says in its name what it is, and can take a training step."""

import gzip
import json
from pathlib import Path
from typing import Any, Dict, List

import pyarrow
import pyarrow.parquet
import pytest
from allennlp.commands.train import TrainModel
from allennlp.common import Params
from allennlp.common.checks import ConfigurationError
from allennlp.common.util import prepare_environment
from allennlp.data import DatasetReader

from attention_explain.settings import DATA_VARIABLE, GUIDE_VARIABLE, SEED_VARIABLE
from tests.commands_run import PROJECT

FOLDER = PROJECT / "training_configs"
EXPERIMENTS = sorted(
    path.relative_to(FOLDER).with_suffix("").as_posix()
    for path in FOLDER.glob("*/*.jsonnet")
    # Lists of interpreters and perturbations, for models that are trained already; whole studies.
    if path.parent.name not in ("interpreters", "perturbations", "studies")
)
ENCODERS = {"bilstm": "lstm", "affine": "affine", "cnn": "cnn", "transformer": "transformer"}
SCORERS = {"tanh": "additive", "dot": "scaled_dot", "sdp": "scaled_dot"}
PROJECTIONS = ("softmax", "sparsemax", "sparsegen", "uniform", "guide")
# How the paths of the splits begin.
DATA_FILES = {
    "sst": "sst/jw_preprocessed/",
    "imdb": "imdb/jw_split/",
    "newsgroups": "20news_sports/jw_split/",
    "ag_news": "agnews_world_business/",
    "pronoun": "deceptive_attention/pronoun_",
    "sst_wiki": "deceptive_attention/sst-wiki_",
}


@pytest.fixture(scope="module")
def data_folder(tmp_path_factory) -> Path:
    """The layout that the configs expect, with a few invented texts in each place."""
    root = tmp_path_factory.mktemp("data")
    rows = []
    for number in range(40):
        text = f"a{' very' * (number % 3)} {'fine' if number % 2 else 'poor'} piece of work "
        text += "for an idle sunday afternoon"
        tokens = text.split()
        block = [int(token in ("fine", "poor")) for token in tokens]
        row = {"id": f"text-{number}", "text": text, "tokens": tokens, "block": block}
        rows.append({**row, "label": number % 2})
    for place in DATA_FILES.values():
        for split in ("train", "dev", "test"):
            path = root / f"{place}{split}.jsonl.gz"
            path.parent.mkdir(parents=True, exist_ok=True)
            with gzip.open(path, "wt") as file:
                file.writelines(json.dumps(row) + "\n" for row in rows)
    (root / "word_vectors").mkdir()
    with gzip.open(root / "word_vectors" / "glove.6B.100d.subset.txt.gz", "wt") as file:
        for word in ("fine", "poor", "film", "the", "was"):
            file.write(word + " 0.1" * 100 + "\n")
    return root


@pytest.fixture
def config(data_folder, monkeypatch, tmp_path):
    monkeypatch.setenv(DATA_VARIABLE, str(data_folder))
    monkeypatch.setenv(GUIDE_VARIABLE, str(tmp_path))
    monkeypatch.setenv(SEED_VARIABLE, "7")

    def load(experiment: str, **overrides: Any) -> Params:
        # Small and on the CPU; all else as it stands in the file.
        overrides = {"trainer.cuda_device": -1, **overrides}
        if experiment.startswith("planted/"):
            overrides["dataset_reader.sizes"] = {"train": 40, "dev": 10, "test": 10}
        params = Params.from_file(FOLDER / f"{experiment}.jsonnet", json.dumps(overrides))
        if "guide" in params["dataset_reader"].as_dict(quiet=True):
            write_guides(params.duplicate())
        return params

    return load


def write_guides(params: Params) -> None:
    """Attribution files with the attention of no model: each text's first token has it all."""
    reader = params.pop("dataset_reader")
    paths = reader.pop("guide")
    unguided = DatasetReader.from_params(reader)
    for split, path in zip(("train", "validation", "test"), paths):
        texts = [text["metadata"].metadata for text in unguided.read(params[f"{split}_data_path"])]
        rows = [
            {
                "id": text["id"],
                "tokens": text["tokens"],
                "attention": [1.0] + [0.0] * (len(text["tokens"]) - 1),
            }
            for text in texts
        ]
        pyarrow.parquet.write_table(pyarrow.Table.from_pylist(rows), path)


def built(params: Params, folder: Path) -> TrainModel:
    """What `allennlp train` builds before it trains."""
    prepare_environment(params)
    return TrainModel.from_params(params, serialization_dir=str(folder), local_rank=0)


def one_of_each_architecture() -> List[str]:
    """One experiment for each combination of encoder, attention and projection."""
    chosen: Dict[tuple, str] = {}
    for experiment in EXPERIMENTS:
        words = tuple(
            word
            for word in Path(experiment).name.split("_")
            if word in {*ENCODERS, *SCORERS, *PROJECTIONS}
        )
        chosen.setdefault(words, experiment)
    return sorted(chosen.values())


@pytest.mark.parametrize("experiment", EXPERIMENTS)
def test_every_experiment_builds(experiment, config, tmp_path):
    params = config(experiment)
    assert params["random_seed"] == params["numpy_seed"] == params["pytorch_seed"] == 7
    loop = built(params, tmp_path)
    # Attention, and attention alone, is trained without weight decay.
    names = {id(value): name for name, value in loop.model.named_parameters()}
    for group in loop.trainer.optimizer.param_groups:
        for parameter in group["params"]:
            of_attention = names[id(parameter)].startswith("attention.")
            assert (group["weight_decay"] == 0) == of_attention


@pytest.mark.parametrize("experiment", EXPERIMENTS)
def test_an_experiments_name_says_what_it_is(experiment, config):
    params = config(experiment).as_dict(quiet=True)
    words = Path(experiment).name.split("_")
    model = params["model"]
    (encoder,) = [word for word in words if word in ENCODERS]
    assert model["encoder"]["type"] == ENCODERS[encoder]
    projection = model["attention"]["projection"]
    projection = projection if isinstance(projection, str) else projection["type"]
    assert projection == next((word for word in words if word in PROJECTIONS), "softmax")
    for word in words:
        if word in SCORERS:
            assert model["attention"]["scorer"] == SCORERS[word]
    data = [data for data in DATA_FILES if Path(experiment).name.startswith(data)]
    if data:
        assert DATA_FILES[max(data, key=len)] in params["train_data_path"]


@pytest.mark.parametrize("experiment", one_of_each_architecture())
def test_each_architecture_takes_a_training_step(experiment, config, tmp_path):
    overrides = {"trainer.num_epochs": 1, "data_loader.batches_per_epoch": 1}
    loop = built(config(experiment, **overrides), tmp_path)
    before = {name: value.clone() for name, value in loop.model.named_parameters()}
    loop.trainer._checkpointer = None
    metrics = loop.run()
    assert 0 <= metrics["validation_auc"] <= 1
    after = dict(loop.model.named_parameters())
    changed = {name for name in before if not before[name].equal(after[name])}
    assert {"decoder.weight"} < changed
    assert any(name.startswith("encoder.") for name in changed)


def test_presets_have_the_published_settings(config):
    published = {
        "jain_wallace/sst_bilstm_tanh": ("sum", 32, 8, None, 1e-3),
        "neely_schouten/sst_bilstm_sdp_sparsemax": ("mean", 64, 40, 10, 1e-3),
        "wiegreffe_pinter/sst_bilstm_tanh_adversary": ("sum", 32, 80, None, 1e-3),
        "meister/sst_bilstm_tanh_softmax": ("mean", 32, 40, 10, 1e-4),
        "meister/sst_transformer_dot_softmax": ("mean", 32, 40, 10, 1e-5),
    }
    for experiment, expected in published.items():
        params = config(experiment).as_dict(quiet=True)
        trainer = params["trainer"]
        assert (
            params["model"]["loss_reduction"],
            params["data_loader"]["batch_sampler"]["batch_size"],
            trainer["num_epochs"],
            trainer.get("patience"),
            trainer["optimizer"]["lr"],
        ) == expected
        assert trainer["optimizer"]["amsgrad"] and trainer["optimizer"]["weight_decay"] == 1e-5
        by = "+epochs_trained" if experiment.endswith("_adversary") else "+auc"
        assert trainer["validation_metric"] == by


def test_adversaries_have_the_published_scale_of_the_loss(config):
    published = {
        "wiegreffe_pinter/sst_bilstm_tanh_adversary": "as_published",
        "planted/bilstm_tanh_softmax_frozen": "as_published",
        "meister/sst_bilstm_tanh_softmax_adversary": "mean",
    }
    for experiment, expected in published.items():
        *_, callback = config(experiment)["trainer"]["callbacks"]
        assert callback["loss_reduction"] == expected, experiment


def test_a_missing_data_folder_says_what_to_set(config, monkeypatch, tmp_path):
    monkeypatch.setenv(DATA_VARIABLE, "nowhere")
    with pytest.raises(ConfigurationError, match=rf"nowhere/sst/.*{DATA_VARIABLE}"):
        built(config("jain_wallace/sst_bilstm_tanh"), tmp_path)
