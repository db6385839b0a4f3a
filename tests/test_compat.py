"""What compat fixes, each by doing it."""

import json
import pkgutil
import re
import shutil
import sys
from pathlib import Path
from typing import Any, Dict

import numpy
import pytest
import torch
from allennlp.commands.train import train_model
from allennlp.common import Lazy, Params, Registrable, file_utils, plugins
from allennlp.common.checks import ConfigurationError, check_for_gpu
from allennlp.common.util import int_to_device
from allennlp.data.data_loaders import MultiProcessDataLoader
from allennlp.models.archival import load_archive
from allennlp.training import Checkpointer
from allennlp.training.learning_rate_schedulers import LearningRateScheduler
from allennlp.training.metrics import Metric
from allennlp.training.optimizers import Optimizer

from attention_explain import compat
from attention_explain.__main__ import main
from tests.builders import TEXTS, reader, vocabulary
from tests.commands_run import PROJECT, run
from tests.small_archive import small_archive

SCHEDULERS = {
    "reduce_on_plateau": {"type": "reduce_on_plateau", "mode": "max", "patience": 0},
    "step": {"type": "step", "step_size": 1},
    "cosine": {"type": "cosine", "t_initial": 5},
    "slanted_triangular": {"type": "slanted_triangular"},
    "linear_with_warmup": {"type": "linear_with_warmup", "warmup_steps": 2},
}


def config(epochs: int, scheduler: Any) -> Dict[str, Any]:
    return {
        "dataset_reader": {"type": "planted", "sizes": {"train": 40, "dev": 20, "test": 20}},
        "train_data_path": "train",
        "validation_data_path": "dev",
        "model": {
            "type": "attention_classifier",
            "text_field_embedder": {
                "token_embedders": {"tokens": {"type": "word_vectors", "embedding_dim": 4}}
            },
            "encoder": {"type": "lstm", "input_size": 4, "hidden_size": 3, "bidirectional": True},
        },
        "data_loader": {"batch_size": 8},
        "trainer": {
            "num_epochs": epochs,
            "optimizer": "adam",
            "learning_rate_scheduler": scheduler,
            "validation_metric": "+auc",
            "cuda_device": -1,
        },
    }


@pytest.mark.parametrize("name", SCHEDULERS)
def test_training_with_a_scheduler_is_recovered(name, tmp_path):
    """Stops after one epoch of three, as a killed run would, and goes on."""
    folder = tmp_path / "run"
    train_model(Params(config(1, SCHEDULERS[name])), folder)
    # A killed run has its config but neither metrics nor archive.
    (folder / "metrics.json").unlink()
    (folder / "model.tar.gz").unlink()
    longer = config(3, SCHEDULERS[name])
    (folder / "config.json").write_text(json.dumps(longer))
    train_model(Params(longer), folder, recover=True)
    metrics = json.loads((folder / "metrics.json").read_text())
    assert metrics["epoch"] == 2
    assert (folder / "model.tar.gz").exists()


def test_a_checkpoint_with_numpy_numbers_is_loaded(tmp_path):
    torch.save({"weight": torch.ones(2)}, tmp_path / "model_state_e1_b0.th")
    state = {"rate": numpy.float64(0.5), "n": numpy.int64(3), "values": numpy.arange(3.0)}
    torch.save(state, tmp_path / "training_state_e1_b0.th")
    loaded = Checkpointer(tmp_path).load_checkpoint()
    assert loaded.trainer_state["rate"] == 0.5 and loaded.trainer_state["n"] == 3
    assert loaded.trainer_state["values"].tolist() == [0, 1, 2]


def test_a_checkpoint_cannot_run_code(tmp_path):
    class Payload:
        def __reduce__(self):
            return (Path.touch, (tmp_path / "was here",))

    torch.save({"weight": torch.ones(2)}, tmp_path / "model_state_e1_b0.th")
    torch.save({"state": Payload()}, tmp_path / "training_state_e1_b0.th")
    with pytest.raises(Exception, match="Weights only load failed"):
        Checkpointer(tmp_path).load_checkpoint()
    assert not (tmp_path / "was here").exists()


def test_nothing_stays_allowed_after_a_checkpoint_is_loaded(tmp_path):
    torch.save({}, tmp_path / "model_state_e1_b0.th")
    torch.save({}, tmp_path / "training_state_e1_b0.th")
    before = set(torch.serialization.get_safe_globals())
    Checkpointer(tmp_path).load_checkpoint()
    assert set(torch.serialization.get_safe_globals()) == before


def test_archives_and_folders_are_loaded_and_predict_as_before(tmp_path):
    folder = tmp_path / "run"
    trained = train_model(Params(config(1, "constant")), folder).eval()
    # Elsewhere, and without the folder it was trained in.
    archive = shutil.copy(folder / "model.tar.gz", tmp_path / "moved.tar.gz")
    for source in (archive, folder):
        loaded = load_archive(source)
        instances = list(loaded.dataset_reader.read("test"))
        before = trained.forward_on_instances(instances)
        after = loaded.model.forward_on_instances(instances)
        for one, other in zip(before, after):
            assert one["id"] == other["id"] and one["label"] == other["label"]
            assert one["attention"] == other["attention"]
            assert (one["probs"] == other["probs"]).all()


@pytest.mark.skipif(torch.cuda.is_available(), reason="there is a GPU")
def test_an_absent_gpu_is_named():
    with pytest.raises(ConfigurationError, match="specified a GPU but none is available"):
        check_for_gpu(0)


def test_device_numbers():
    assert int_to_device(-1) == torch.device("cpu")
    assert int_to_device(2) == torch.device("cuda", 2)
    assert int_to_device(torch.device("cpu")) == torch.device("cpu")


@pytest.mark.parametrize("start_method, max_in_memory", [("fork", None), ("fork", 8), ("spawn", 8)])
def test_data_is_loaded_by_several_processes(tmp_path, start_method, max_in_memory):
    path = tmp_path / "texts.jsonl"
    lines = [json.dumps({"text": TEXTS[n % 4], "label": n % 2, "id": str(n)}) for n in range(30)]
    path.write_text("\n".join(lines))
    loader = MultiProcessDataLoader(
        reader(boundary_symbols=True),
        str(path),
        batch_size=4,
        num_workers=2,
        start_method=start_method,
        max_instances_in_memory=max_in_memory,
        quiet=True,
    )
    loader.index_with(vocabulary(boundary_symbols=True))
    ids = [instance["id"] for group in loader for instance in group["metadata"]]
    assert sorted(ids, key=int) == [str(number) for number in range(30)]


def test_all_of_allennlp_is_imported_once_and_plugins_are_looked_for_each_time(
    tmp_path, monkeypatch
):
    looked_at = []
    monkeypatch.setattr(pkgutil, "walk_packages", lambda *given: looked_at.append(given) or [])
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    plugins.import_plugins()
    looked_at.clear()
    (tmp_path / "came_later.py").touch()
    (tmp_path / plugins.LOCAL_PLUGINS_FILENAME).write_text("came_later\n")
    plugins.import_plugins()
    assert "came_later" in sys.modules and not looked_at


class Part(Registrable):
    """A component whose options have types that are written with `|`."""


@Part.register("with_unions")
class PartWithUnions(Part):
    def __init__(
        self,
        inner: Part | None = None,
        several: list[Part] | None = None,
        named: dict[str, Part] | None = None,
        later: Lazy[Part] | None = None,
        number: int | str = 0,
        pair: tuple[int, float] | None = None,
    ) -> None:
        self.inner, self.several, self.named = inner, several, named
        self.later, self.number, self.pair = later, number, pair


def test_options_with_union_types_are_built():
    options = json.loads(
        """
        {"type": "with_unions", "inner": {"type": "with_unions"}, "later": {"type": "with_unions"},
         "several": [{"type": "with_unions"}, {"type": "with_unions"}],
         "named": {"a": {"type": "with_unions"}}, "number": "three", "pair": [1, 2.5]}
        """
    )
    part = Part.from_params(Params(options))
    assert isinstance(part.inner, PartWithUnions)
    assert [type(one) for one in part.several] == [PartWithUnions] * 2
    assert type(part.named["a"]) is PartWithUnions
    assert type(part.later.construct()) is PartWithUnions
    assert part.number == "three"
    assert part.pair == (1, 2.5)
    assert set(vars(Part.from_params(Params({"type": "with_unions"}))).values()) == {None, 0}


def test_reduce_on_plateau_is_built_and_torch_left_as_it_was():
    optimizer = torch.optim.Adam([torch.nn.Parameter(torch.ones(1))])
    original = torch.optim.lr_scheduler.ReduceLROnPlateau
    LearningRateScheduler.from_params(Params({"type": "reduce_on_plateau"}), optimizer=optimizer)
    assert torch.optim.lr_scheduler.ReduceLROnPlateau is original


def test_applying_twice_changes_nothing():
    before = Checkpointer.load_checkpoint
    compat.apply()
    assert Checkpointer.load_checkpoint is before


@pytest.mark.skipif(torch.cuda.is_available(), reason="there is somewhere to move to")
def test_without_a_gpu_nothing_is_moved():
    from allennlp.nn import util

    class Untouchable(list):
        def __iter__(self):
            raise AssertionError("was looked at")

    batch = {"tokens": torch.ones(2), "metadata": Untouchable("abc")}
    assert util.move_to_device(batch, -1) is batch
    with pytest.raises((AssertionError, RuntimeError)):
        util.move_to_device(batch, torch.device("cuda", 0))


def test_what_is_seldom_used_is_not_loaded_with_the_plugin():
    """But for two: fairscale and transformers have base classes of AllenNLP's."""
    code = (
        "import sys, attention_explain.plugin\n"
        "from allennlp.common.plugins import import_plugins\n"
        "import_plugins()\n"
        "print(*sorted(attention_explain.compat.SELDOM_USED & set(sys.modules)))\n"
        "print('transformers.modeling_utils' in sys.modules)\n"
    )
    result = run([sys.executable, "-c", code], PROJECT)
    loaded, whole = result.stdout.splitlines()
    assert {"spacy", "torchvision", "sklearn", "scipy", "nltk"}.isdisjoint(loaded.split())
    assert whole == "False", result.stderr


def test_what_was_not_loaded_works_when_it_is_named():
    """scikit-learn, scipy and transformers, by way of AllenNLP."""
    auc, spearman = Metric.by_name("auc")(), Metric.by_name("spearman_correlation")()
    scores = torch.tensor([0.1, 0.7, 0.4])
    auc(scores, torch.tensor([0, 1, 0]))
    spearman(scores, torch.tensor([1.0, 3.0, 2.0]))
    assert auc.get_metric() == 1.0
    assert spearman.get_metric() == pytest.approx(1.0)
    weight = torch.nn.Parameter(torch.ones(2))
    optimizer = Optimizer.from_params(
        Params({"type": "huggingface_adamw", "lr": 0.1}), model_parameters=[("w", weight)]
    )
    weight.sum().backward()
    optimizer.step()
    assert (weight < 1).all()


def test_files_that_are_here_need_no_folder_for_downloads(tmp_path, monkeypatch):
    """As where a home is read-only."""
    (tmp_path / "file").touch()
    monkeypatch.setattr(file_utils, "CACHE_DIRECTORY", str(tmp_path / "file" / "cache"))
    assert file_utils.cached_path(str(tmp_path / "file")) == str(tmp_path / "file")
    with pytest.raises(NotADirectoryError):
        file_utils.cached_path("https://example.com/data.jsonl")


def test_evaluate_says_what_it_found(tmp_path, monkeypatch, capsys):
    run = small_archive(tmp_path / "run").parent
    options = ["--overrides", '{"data_loader": {"batch_size": 32}}']
    monkeypatch.setattr(sys, "argv", ["allennlp", "evaluate", str(run), "test", *options])
    main()
    # Others may print, too.
    said = dict(re.findall(r"^(\w+): ([\d.]+)$", capsys.readouterr().out, re.MULTILINE))
    assert {"accuracy", "auc", "loss"} <= set(said) and 0 <= float(said["accuracy"]) <= 1
