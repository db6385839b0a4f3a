"""Whatever is wrong, a command ends with one message, exit code 2 and no traceback."""

import resource
import sys
from pathlib import Path

import pytest
import torch
from allennlp.common import Params

from tests.small_archive import small_archive
from tests.test_plugin import SMALL, config

TRAINER = SMALL["trainer"]


@pytest.fixture(scope="module")
def run(tmp_path_factory) -> Path:
    """A run's folder."""
    return small_archive(tmp_path_factory.mktemp("ends") / "run").parent


def broken(run: Path, folder: Path, how: str) -> Path:
    """The run with other weights."""
    folder.mkdir()
    (folder / "config.json").write_bytes((run / "config.json").read_bytes())
    (folder / "vocabulary").symlink_to(run / "vocabulary")
    weights = (run / "best.th").read_bytes()
    if how == "of another model":
        torch.save({"weight": torch.ones(2)}, folder / "best.th")
    else:
        contents = {"empty": b"", "half": weights[: len(weights) // 2], "text": b"no weights\n"}
        (folder / "best.th").write_bytes(contents[how])
    return folder


@pytest.mark.parametrize(
    "trainer, sentence",
    [
        ({"num_epochs": "three"}, "Expected num_epochs to be a int."),
        ({"num_epochs": 0}, "num_epochs is 0, but must be 1 or more"),
        ({"num_epochs": -1}, "num_epochs is -1, but must be 1 or more"),
        ({"use_amp": True}, "use_amp is for a GPU, but the trainer's device is the CPU"),
        ({"callbacks": ["wandb"]}, "this needs the package 'wandb', which is not installed here"),
    ],
    ids=str,
)
def test_a_trainer_that_cannot_train(ended, tmp_path, monkeypatch, trainer, sentence):
    monkeypatch.setitem(sys.modules, "wandb", None)
    said = ended("train", config(tmp_path, trainer={**TRAINER, **trainer}), "-s", "run")
    assert said == (2, f"error: {sentence}")


def test_a_file_where_the_folder_is_to_be(ended, tmp_path):
    (tmp_path / "notes.txt").write_text("precious")
    for arguments in (["-s", "notes.txt"], ["-s", "notes.txt/run"], ["-s", "notes.txt", "-f"]):
        code, message = ended("train", config(tmp_path), *arguments)
        assert code == 2 and message.startswith("error: ") and "notes.txt" in message
        assert (tmp_path / "notes.txt").read_text() == "precious"


@pytest.mark.skipif(torch.cuda.is_available(), reason="there is a GPU")
@pytest.mark.parametrize("command", ["evaluate", "predict", "attribute", "perturb", "verdict"])
def test_a_gpu_that_is_not_there(ended, run, command):
    more = ["-o", "x.parquet"] if command in ("attribute", "perturb", "verdict") else []
    code, message = ended(command, str(run), "test", "--cuda-device", "0", *more)
    assert code == 2 and message.startswith("error: ")
    assert "GPU" in message and "-1" in message


@pytest.mark.parametrize("how", ["empty", "half", "text", "of another model"])
@pytest.mark.parametrize("command", ["evaluate", "attribute", "verdict"])
def test_weights_that_are_none(ended, run, tmp_path, command, how):
    folder = broken(run, tmp_path / "broken", how)
    more = ["-o", "x.parquet"] if command in ("attribute", "verdict") else []
    code, message = ended(command, str(folder), "test", *more)
    assert code == 2 and message.startswith(f"error: {folder}: is not a model archive, or broken (")


def test_weights_that_are_named_and_none(ended, run, tmp_path):
    (tmp_path / "other.th").write_text("no weights")
    code, message = ended("evaluate", str(run), "test", "--weights-file", "other.th")
    assert code == 2 and f"{run} with the weights of other.th: is not a model archive" in message


@pytest.mark.parametrize(
    "typed", [["--include-package", "my_mdels"], ["--include-package=my_mdels"]]
)
def test_a_package_that_is_not_there(ended, run, typed):
    code, message = ended("evaluate", str(run), "test", *typed)
    assert code == 2
    assert message.startswith("error: --include-package my_mdels: there is no module 'my_mdels'")


def test_a_package_that_needs_another(ended, run, tmp_path, monkeypatch):
    (tmp_path / "needy_models.py").write_text("import not_installed_anywhere\n")
    monkeypatch.syspath_prepend(tmp_path)
    said = ended("evaluate", str(run), "test", "--include-package", "needy_models")
    assert said == (
        2,
        "error: this needs the package 'not_installed_anywhere', which is not installed here",
    )


@pytest.mark.parametrize(
    "text, sentence",
    [
        ("{ a: std.parseInt('x1') }", "x1 is not a base 10 integer at mine.jsonnet:1:6-24"),
        (
            "local lib = import 'lib.libsonnet';\nlib.of(3)",
            "got number. at lib.libsonnet:1:11-14, in mine.jsonnet:2:1-10",
        ),
        ("{ a: 1, b 2 }", 'mine.jsonnet:1:11: expected token OPERATOR but got (NUMBER, "2")'),
        ("{ a: error 'one\ntwo' }", "one two at mine.jsonnet:(1:6)-(2:5)"),
        ("import 'half.libsonnet'", " while parsing field definition, in mine.jsonnet"),
    ],
)
def test_jsonnet_names_the_line_in_the_users_file(ended, tmp_path, text, sentence):
    (tmp_path / "mine.jsonnet").write_text(text)
    (tmp_path / "lib.libsonnet").write_text("{ of(x):: x.y() }")
    (tmp_path / "half.libsonnet").write_text("{")
    code, message = ended("train", "mine.jsonnet", "-s", "run")
    assert code == 2 and message.endswith(sentence) and "std.jsonnet" not in message


def test_overrides_that_are_none(ended, tmp_path):
    code, message = ended("train", config(tmp_path), "-s", "run", "-o", "{trainer: }")
    assert code == 2 and message.startswith("error: STATIC ERROR") and message.endswith("overrides")


DEEP = "[" * 100000 + "]" * 100000
UNREADABLE = {
    "deep": (DEEP, "nested deeper than"),
    "deep objects": ('{"a":' * 100000 + "1" + "}" * 100000, "nested deeper than"),
    "long number": ('{"a": ' + "9" * 5000 + "}", "a number is too long"),
}
ARGUMENTS = {
    "--predictor-args": ["predict", "test", "--predictor", "saliency"],
    "--interpreters": ["attribute", "test", "-o", "x.parquet"],
    "--perturbations": ["perturb", "test", "-o", "x.parquet"],
    "--methods": ["verdict", "test", "-o", "x"],
}


@pytest.mark.parametrize("text, reason", UNREADABLE.values(), ids=list(UNREADABLE))
@pytest.mark.parametrize("option", ARGUMENTS)
def test_json_that_python_cannot_read(ended, run, option, text, reason):
    command, *others = ARGUMENTS[option]
    code, message = ended(command, str(run), *others, option, text)
    assert code == 2 and reason in message and len(message) < 250


@pytest.mark.parametrize("text, _", UNREADABLE.values(), ids=list(UNREADABLE))
@pytest.mark.parametrize("option", ["--overrides", "a config", "a file of interpreters"])
def test_jsonnet_that_cannot_be_read(ended, run, tmp_path, option, text, _):
    (tmp_path / "bad.json").write_text(text)
    arguments = {
        "--overrides": ["evaluate", str(run), "test", "--overrides", text],
        "a config": ["train", "bad.json", "-s", "new"],
        "a file of interpreters": [
            "attribute",
            str(run),
            "test",
            "-o",
            "x.parquet",
            "--interpreters",
            "bad.json",
        ],
    }[option]
    code, message = ended(*arguments)
    assert code == 2 and message.startswith("error: ") and len(message) < 250


@pytest.mark.parametrize("text, reason", [("so \\ud800", "half a character"), (None, "too long")])
def test_a_text_that_a_reader_of_others_takes(ended, tmp_path, text, reason):
    """Our own readers name the line."""
    label = "9" * 5000 if text is None else '"1"'
    lines = [f'{{"text": "{text}", "label": {label}}}', '{"text": "b", "label": "0"}'] * 4
    (tmp_path / "data.jsonl").write_text("\n".join(lines))
    reader = {"type": "text_classification_json", "tokenizer": "just_spaces"}
    paths = dict.fromkeys(("train_data_path", "validation_data_path"), "data.jsonl")
    said = ended("train", config(tmp_path, dataset_reader=reader, **paths), "-s", "run")
    assert said[0] == 2 and reason in said[1] and len(said[1]) < 250


class Program:
    """What a pickle can hold: a call."""

    def __reduce__(self):
        return (Path.touch, (Path("called"),))


def test_weights_that_are_a_program(ended, run, tmp_path):
    torch.save({"weight": Program()}, tmp_path / "program.th")
    said = "holds more than numbers, and is not loaded, because that could run code"
    code, message = ended("evaluate", str(run), "test", "--weights-file", "program.th")
    assert code == 2 and said in message and "program.th" in message
    initializer = {"type": "pretrained", "weights_file_path": "program.th"}
    model = {**SMALL["model"], "initializer": {"regexes": [[".*", initializer]]}}
    assert ended("train", config(tmp_path, model=model), "-s", "new") == (
        2,
        f"error: program.th: {said}",
    )
    assert not (tmp_path / "called").exists()


def test_a_checkpoint_that_is_a_program(ended, tmp_path):
    (tmp_path / "run").mkdir()
    path = config(tmp_path)
    # As a training leaves its folder in the middle.
    Params.from_file(tmp_path / path).to_file(str(tmp_path / "run" / "config.json"))
    for name in ("model", "training"):
        torch.save({"any": Program()}, tmp_path / "run" / f"{name}_state_e1_b0.th")
    (tmp_path / "run" / "best.th").touch()
    code, message = ended("train", path, "-s", "run", "--recover")
    assert code == 2 and message.startswith("error: run/model_state_e1_b0.th: holds more than")
    assert not (tmp_path / "called").exists()


@pytest.mark.parametrize("most", [0, 5000])
def test_a_disk_that_is_full(ended, tmp_path, most):
    """No file may grow further: at first not even the config, then no checkpoint and no log."""
    path = config(tmp_path)
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (most, before[1]))
    try:
        code, message = ended("train", path, "-s", "run")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    wanted = {
        0: "error: nothing more can be written (File too large)",
        5000: "error: run/model_state_e1_b0.th: cannot be written; is the disk full?",
    }
    assert (code, message) == (2, wanted[most])


@pytest.mark.parametrize(
    "stage", ["allennlp.commands.evaluate.Evaluator.from_params", "torch.load"]
)
def test_ctrl_c_ends_in_a_word(ended, run, monkeypatch, stage):
    def stopped(*arguments, **options):
        raise KeyboardInterrupt

    monkeypatch.setattr(stage, stopped)
    loader = '{"data_loader": {"batch_size": 8}}'
    assert ended("evaluate", str(run), "test", "--overrides", loader) == (130, "stopped")
