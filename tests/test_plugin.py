"""The plugin as users meet it: from the plugins file, from elsewhere, and its error messages."""

import json
import shutil
import sys
from pathlib import Path

import pytest

from tests.commands_run import PROJECT, allennlp, run
from tests.small_archive import small_archive

SMALL = {
    "dataset_reader": {"type": "planted", "sizes": {"train": 40, "dev": 20, "test": 20}},
    "train_data_path": "train",
    "validation_data_path": "dev",
    "model": {
        "type": "attention_classifier",
        "text_field_embedder": {
            "token_embedders": {"tokens": {"type": "word_vectors", "embedding_dim": 4}}
        },
        "encoder": {"type": "affine", "input_dim": 4, "hidden_dim": 4},
        "attention": {"projection": "sparsemax"},
    },
    "data_loader": {"batch_size": 8},
    "trainer": {"num_epochs": 1, "optimizer": "adam", "cuda_device": -1},
}


# Packages that load neither torch nor AllenNLP.
LIGHT = ("commands", "files", "heatmaps", "messages", "workflow")


def config(folder: Path, **changes) -> str:
    path = folder / "config.json"
    path.write_text(json.dumps({**SMALL, **changes}))
    return str(path)


def test_help_prints_nothing_to_stderr():
    """None of the warnings of AllenNLP's old companions reaches the user."""
    script = Path(sys.executable).with_name("allennlp")
    if not script.exists():
        pytest.skip("the allennlp command is not installed in this environment")
    result = run([str(script), "train", "--help"], PROJECT)
    assert result.returncode == 0 and "usage: allennlp train" in result.stdout
    assert result.stderr == ""


# What another package warns of, and nothing that old companions of AllenNLP's do.
WARNS = """
import warnings
warnings.warn('a real one')
warnings.warn('`torch.cuda.amp.x` is mine', FutureWarning)
"""


def test_training_prints_no_warning_of_old_companions_but_real_ones(tmp_path):
    (tmp_path / "warns.py").write_text(WARNS)
    arguments = ("train", config(tmp_path), "-s", "run", "--include-package", "warns")
    result = allennlp(*arguments, folder=tmp_path)
    assert result.returncode == 0, result.stderr
    warned = [
        line.split("Warning: ")[1] for line in result.stderr.splitlines() if "Warning: " in line
    ]
    assert warned == ["a real one", "`torch.cuda.amp.x` is mine"]
    # A person sees what came of it, and the file has everything.
    shown, log = result.stdout, (tmp_path / "run" / "out.log").read_text()
    assert "Epoch 0/0\n" in shown and "accuracy " in shown and "run/model.tar.gz" in shown
    assert "default initialization" in log and "default initialization" not in shown
    assert " - INFO - " not in shown + result.stderr
    assert (tmp_path / "run" / "model.tar.gz").exists()


# AllenNLP's own command, again and again, each time in a process that has AllenNLP and nothing else:
# the folder, and what follows `allennlp`.
PLAIN = """
import json, os, sys
import transformers
if not transformers.__version__.startswith("4."):
    # AllenNLP by itself does not work with version 5.
    import attention_explain
from allennlp.commands import main
from allennlp.common.util import import_module_and_submodules
import_module_and_submodules("allennlp", exclude={"allennlp.sanity_checks", "allennlp.tools"})
assert "attention_explain.plugin" not in sys.modules
for folder, *arguments in json.loads(sys.argv[1]):
    child = os.fork()
    if child == 0:
        os.chdir(folder)
        sys.argv = ["allennlp", *arguments]
        main()
        sys.exit()
    assert os.waitpid(child, 0)[1] == 0, folder
"""


def test_works_through_the_plugins_file_and_through_include_package_elsewhere(tmp_path):
    by_file, elsewhere = tmp_path / "by_file", tmp_path / "elsewhere"
    for folder in (by_file, elsewhere):
        folder.mkdir()
    shutil.copy(PROJECT / ".allennlp_plugins", by_file)
    included = ("--include-package", "attention_explain")
    commands = [
        [str(by_file), "train", config(by_file), "-s", "run"],
        [str(elsewhere), "train", config(elsewhere), "-s", "run", *included],
    ]
    result = run([sys.executable, "-c", PLAIN, json.dumps(commands)], tmp_path)
    assert result.returncode == 0, result.stderr
    for folder in (by_file, elsewhere):
        assert (folder / "run" / "metrics.json").exists()


def test_numbers_too_small_to_matter_cost_nothing():
    import torch

    assert (torch.tensor([1e-38]) * 1e-5).item() == 0


@pytest.mark.parametrize(
    "changes, sentence",
    [
        ({"trainer": {**SMALL["trainer"], "cuda_device": 0}}, "specified a GPU but none"),
        ({"model": {**SMALL["model"], "attentoin": {}}}, "Extra parameters"),
        (
            {"trainer": {**SMALL["trainer"], "num_epoch": 3}},
            "no option 'num_epoch'; did you mean 'num_epochs'?",
        ),
        ({"train_data_path": "trian"}, "trian"),
        (
            {"model": {**SMALL["model"], "min_label_count": 10**6}},
            "error: train: fewer than 1000000 texts of the training data have the label",
        ),
    ],
    ids=["no GPU", "typo in a key", "typo in the trainer", "unknown split", "rare labels"],
)
def test_a_mistake_in_the_config_ends_in_one_sentence(ended, tmp_path, changes, sentence):
    code, message = ended("train", config(tmp_path, **changes), "-s", "run")
    assert code == 2
    assert message.startswith("error: ") and sentence in message
    assert len(message.splitlines()) == 1


def test_a_mistake_in_jsonnet_names_file_and_line(ended, tmp_path):
    (tmp_path / "broken.jsonnet").write_text("{\n  a: std.extVar('NO_SUCH_THING'),\n}\n")
    code, message = ended("train", "broken.jsonnet", "-s", "run")
    assert code == 2
    assert message.startswith("error: RUNTIME ERROR: undefined external variable: NO_SUCH_THING")
    assert "broken.jsonnet:2" in message


def test_arguments_that_are_no_json_are_shown(ended, tmp_path):
    archive = str(small_archive(tmp_path / "run"))
    (tmp_path / "input.txt").write_text("a fine film\n")
    given = "{interpreters: [lrp]}"
    code, message = ended("predict", archive, "input.txt", "--predictor-args", given)
    assert code == 2
    assert message.startswith(f"error: not JSON: {given!r}") and "line 1 column 2" in message


def test_a_missing_dependency_is_named_and_not_mistaken_for_a_missing_plugin(tmp_path):
    """AllenNLP swallows a plugin's ModuleNotFoundError; what we raise must be none."""
    code = (
        "import sys; sys.modules['entmax'] = None\n"
        "try:\n    import attention_explain.plugin\n"
        "except ImportError as error:\n"
        "    assert not isinstance(error, ModuleNotFoundError)\n    print(error)\n"
    )
    result = run([sys.executable, "-c", code], tmp_path)
    assert "needs the package 'entmax', which is not installed here" in result.stdout


@pytest.mark.parametrize(
    "line",
    [
        "predict run data.jsonl --output-file ./data.jsonl",
        "evaluate run data.jsonl --output-file data.jsonl",
        "evaluate run a.jsonl,data.jsonl --predictions-output-file data.jsonl",
    ],
)
def test_predict_and_evaluate_do_not_write_over_what_they_read(ended, tmp_path, line):
    (tmp_path / "data.jsonl").write_text("kept")
    code, message = ended(*line.split())
    assert code == 2 and message.endswith(
        "data.jsonl: is an input; give another name for the output"
    )
    assert (tmp_path / "data.jsonl").read_text() == "kept"


# Imports each package alone, in a process that has loaded nothing of the project before but what all do.
ALONE = """
import os, sys
import torch, attention_explain, allennlp.commands
for package in {packages!r}:
    child = os.fork()
    if child == 0:
        __import__("attention_explain." + package)
        os._exit(0)
    assert os.waitpid(child, 0)[1] == 0, package
"""


def test_every_package_can_be_imported_alone(tmp_path):
    packages = sorted(path.parent.name for path in PROJECT.glob("attention_explain/*/__init__.py"))
    heavy = [name for name in packages if name not in LIGHT]
    result = run([sys.executable, "-c", ALONE.format(packages=heavy)], tmp_path)
    assert result.returncode == 0, result.stderr


def test_light_packages_load_neither_torch_nor_allennlp(tmp_path):
    code = (
        f"import sys, attention_explain, {', '.join('attention_explain.' + name for name in LIGHT)}\n"
        "print(*sorted({'torch', 'allennlp'} & set(sys.modules)))\n"
    )
    result = run([sys.executable, "-c", code], tmp_path)
    assert (result.returncode, result.stdout.strip()) == (0, ""), result.stderr
