"""Every experiment file builds, says in its name what it is, and can take a training step."""

import gzip
import json
from pathlib import Path
from typing import Any, Dict, List

import pytest
from allennlp.commands.train import TrainModel
from allennlp.common import Params
from allennlp.common.checks import ConfigurationError
from allennlp.common.util import prepare_environment

from attention_explain.settings import DATA_VARIABLE, SEED_VARIABLE
from tests.commands_run import PROJECT

FOLDER = PROJECT / "training_configs"
EXPERIMENTS = sorted(
    path.relative_to(FOLDER).with_suffix("").as_posix()
    for path in FOLDER.glob("*/*.jsonnet")
    # Lists of interpreters, for models that are trained already.
    if path.parent.name != "interpreters"
)
ENCODERS = {"bilstm": "lstm", "affine": "affine", "cnn": "cnn", "transformer": "transformer"}
SCORERS = {"tanh": "additive", "dot": "scaled_dot", "sdp": "scaled_dot"}
PROJECTIONS = ("softmax", "sparsemax", "sparsegen", "uniform")
DATA_FOLDERS = {
    "sst": "sst/jw_preprocessed",
    "imdb": "imdb/jw_split",
    "newsgroups": "20news_sports/jw_split",
    "ag_news": "agnews_world_business",
}


@pytest.fixture(scope="module")
def data_folder(tmp_path_factory) -> Path:
    """The layout that the configs expect, with a few invented texts in each place."""
    root = tmp_path_factory.mktemp("data")
    rows = [
        {
            "id": f"text-{number}",
            "text": f"a{' very' * (number % 3)} {'fine' if number % 2 else 'poor'} piece of work "
            "for an idle sunday afternoon",
            "label": number % 2,
        }
        for number in range(40)
    ]
    for place in DATA_FOLDERS.values():
        (root / place).mkdir(parents=True)
        for split in ("train", "dev", "test"):
            with gzip.open(root / place / f"{split}.jsonl.gz", "wt") as file:
                file.writelines(json.dumps(row) + "\n" for row in rows)
    (root / "word_vectors").mkdir()
    with gzip.open(root / "word_vectors" / "glove.6B.100d.subset.txt.gz", "wt") as file:
        for word in ("fine", "poor", "film", "the", "was"):
            file.write(word + " 0.1" * 100 + "\n")
    return root


@pytest.fixture
def config(data_folder, monkeypatch):
    monkeypatch.setenv(DATA_VARIABLE, str(data_folder))
    monkeypatch.setenv(SEED_VARIABLE, "7")

    def load(experiment: str, **overrides: Any) -> Params:
        # Small and on the CPU; all else as it stands in the file.
        overrides = {"trainer.cuda_device": -1, **overrides}
        if experiment.startswith("planted/"):
            overrides["dataset_reader.sizes"] = {"train": 40, "dev": 10, "test": 10}
        return Params.from_file(FOLDER / f"{experiment}.jsonnet", json.dumps(overrides))

    return load


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
    for data, place in DATA_FOLDERS.items():
        if Path(experiment).name.startswith(data):
            assert place in params["train_data_path"]


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
        "meister/sst_bilstm_tanh_softmax": ("mean", 32, 80, 10, 1e-4),
        "meister/sst_transformer_dot_softmax": ("mean", 32, 80, 10, 1e-5),
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
        assert trainer["validation_metric"] == "+auc"


def test_a_missing_data_folder_says_what_to_set(config, monkeypatch, tmp_path):
    monkeypatch.setenv(DATA_VARIABLE, "nowhere")
    with pytest.raises(ConfigurationError, match=rf"nowhere/sst/.*{DATA_VARIABLE}"):
        built(config("jain_wallace/sst_bilstm_tanh"), tmp_path)
