"""An archive is data: whatever it holds, opening it runs nothing and writes nothing elsewhere."""

import os
import tarfile
import tempfile
from pathlib import Path
from typing import Any, Callable, Dict

import pytest
import torch
from allennlp.models import Model
from allennlp.models.archival import load_archive
from allennlp.predictors import Predictor

from attention_explain import explain
from attention_explain.archives import open_archive
from attention_explain.errors import InputError
from tests.builders import ENCODERS
from tests.small_archive import archived, changed, small_archive


@pytest.fixture(scope="module")
def run(tmp_path_factory) -> Path:
    return small_archive(tmp_path_factory.mktemp("honest") / "run").parent


@pytest.fixture
def temporary(tmp_path, monkeypatch) -> Path:
    """Where archives are unpacked."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    return folder


def command_at(*keys: str, form: str) -> Callable[[Dict[str, Any]], None]:
    """Puts something callable in the place of a class."""

    def change(config: Dict[str, Any]) -> None:
        place = config
        for key in keys[:-1]:
            place = place[key]
        command = {"type": "os.system", "command": "touch ran"}
        place[keys[-1]] = command if form == "object" else "os.getcwd"

    return change


@pytest.mark.parametrize(
    "place, form",
    [
        (("model",), "object"),
        (("model", "encoder"), "object"),
        (("model", "encoder"), "string"),
        (("model", "text_field_embedder", "token_embedders", "tokens"), "string"),
        (("dataset_reader",), "object"),
        (("dataset_reader", "tokenizer"), "string"),
        (("validation_dataset_reader",), "object"),
    ],
)
def test_a_class_is_a_registered_name_and_no_path(run, tmp_path, monkeypatch, place, form):
    monkeypatch.chdir(tmp_path)
    config = changed(run, command_at(*place, form=form))
    path = archived(run, tmp_path / "model.tar.gz", config)
    for opened in (open_archive, load_archive, Model.from_archive, Predictor.from_path):
        with pytest.raises(InputError, match=r"asks for 'os\.(system|getcwd)'"):
            opened(str(path))
    assert not (tmp_path / "ran").exists()


def test_explain_opens_by_the_same_door(run, tmp_path):
    config = changed(run, command_at("model", form="object"))
    path = archived(run, tmp_path / "model.tar.gz", config)
    with pytest.raises(InputError, match="asks for 'os.system'"):
        explain(path, "a text")


@pytest.mark.parametrize("command", ["attribute", "perturb", "predict", "evaluate", "verdict"])
def test_commands_open_by_the_same_door(ended, run, tmp_path, command):
    config = changed(run, command_at("model", form="object"))
    archived(run, tmp_path / "model.tar.gz", config)
    output = ["-o", "out.parquet"] if command in ("attribute", "perturb", "verdict") else []
    (tmp_path / "input.txt").write_text("a text\n")
    data = "input.txt" if command == "predict" else "test"
    code, message = ended(command, "model.tar.gz", data, *output)
    assert code == 2 and message.startswith("error: the archive asks for 'os.system'")
    assert not (tmp_path / "ran").exists()


def test_evaluate_builds_no_loader_by_its_path(ended, run, tmp_path):
    config = changed(run, lambda config: config.update(data_loader={"type": "os.system"}))
    archived(run, tmp_path / "model.tar.gz", config)
    code, message = ended("evaluate", "model.tar.gz", "test")
    assert code == 2 and "the archive asks for 'os.system'" in message


def test_the_command_line_can_trust(ended, run, tmp_path, monkeypatch):
    monkeypatch.setenv("ATTENTION_EXPLAIN_TRUST_ARCHIVES", "no")
    archived(run, tmp_path / "model.tar.gz", "{ model: {}, dataset_reader: {} }")
    asked = ("attribute", "model.tar.gz", "test", "-o", "out.parquet")
    assert "not plain JSON" in ended(*asked)[1]
    assert "not plain JSON" not in ended(*asked, "--trust-archive")[1]
    assert "not plain JSON" not in ended("--trust-archive", *asked)[1]


def test_an_archive_within_an_archive_is_opened_by_the_same_door(run, tmp_path):
    config = changed(run, command_at("model", form="object"))
    inner = archived(run, tmp_path / "inner.tar.gz", config)
    pretrained = {"_pretrained": {"archive_file": str(inner), "module_path": "encoder"}}
    config = changed(run, lambda config: config["model"].update(encoder=pretrained))
    outer = archived(run, tmp_path / "outer.tar.gz", config)
    with pytest.raises(InputError, match=r"inner.tar.gz', which is not inside the archive"):
        open_archive(outer)
    with pytest.raises(InputError, match="asks for 'os.system'"):
        open_archive(outer, overrides={"model.encoder": pretrained})


def test_a_class_of_a_package_that_is_imported_may_go_by_its_path(run, tmp_path):
    path = "attention_explain.modules.window_encoders.AffineEncoder"
    affine = {**ENCODERS["affine"], "type": path}
    honest = small_archive(tmp_path / "affine", "affine").parent
    config = changed(honest, lambda config: config["model"].update(encoder=affine))
    assert open_archive(archived(honest, tmp_path / "model.tar.gz", config)).model.labels
    # But only as what it is.
    config = changed(run, lambda config: config.update(dataset_reader=affine))
    with pytest.raises(InputError, match="no registered DatasetReader"):
        open_archive(archived(run, tmp_path / "other.tar.gz", config))


def test_a_trusted_archive_may_name_anything(run, tmp_path):
    config = changed(run, command_at("model", "encoder", form="string"))
    path = archived(run, tmp_path / "model.tar.gz", config)
    # It gets the working directory for an encoder.
    with pytest.raises(AttributeError, match="'str' object"):
        open_archive(path, trust=True)
    # And only that one.
    with pytest.raises(InputError, match="asks for"):
        open_archive(path)


@pytest.mark.parametrize(
    "program",
    [
        "{ model: importstr '/etc/hostname' }",
        "{ model: std.extVar('HOME') }",
        "{ model: 1 + 1 }",
        '{ "model": NaN }',
        "[" * 100_000,
        '{ "model": ' + "9" * 5000 + " }",
        "[]",
    ],
    ids=["file", "environment", "sum", "nan", "deep", "digits", "list"],
)
@pytest.mark.parametrize("packed", [True, False])
def test_a_config_is_data_and_no_program(run, tmp_path, program, packed):
    if packed:
        path = archived(run, tmp_path / "model.tar.gz", program)
    else:
        path = tmp_path
        (tmp_path / "config.json").write_text(program)
    with pytest.raises(InputError, match=r"its config.json (is not plain JSON|has no object)"):
        open_archive(path)


def test_code_from_elsewhere_is_not_asked_for(run, tmp_path):
    kwargs = {"transformer_kwargs": {"trust_remote_code": True}}
    config = changed(run, lambda config: config["model"].update(kwargs))
    with pytest.raises(InputError, match="trust_remote_code"):
        open_archive(archived(run, tmp_path / "model.tar.gz", config))


def member(name: str, kind: bytes = tarfile.REGTYPE, target: str = "", size: int = 0):
    made = tarfile.TarInfo(name)
    made.type, made.linkname, made.size = kind, target, size
    return made


@pytest.mark.parametrize(
    "hostile, sentence",
    [
        (member("../outside"), "'../outside', outside of its folder"),
        (member("vocabulary/../../outside"), "outside of its folder"),
        (member("/tmp/outside"), "'/tmp/outside', outside of its folder"),
        (member("link", tarfile.SYMTYPE, "/etc"), "'link', which is neither a file nor a folder"),
        (member("link", tarfile.LNKTYPE, "config.json"), "neither a file nor a folder"),
        (member("pipe", tarfile.FIFOTYPE), "neither a file nor a folder"),
        (member("device", tarfile.CHRTYPE), "neither a file nor a folder"),
        (member("config.json"), "'config.json' twice"),
    ],
    ids=["up", "within", "absolute", "symlink", "hardlink", "pipe", "device", "twice"],
)
def test_members_are_checked_before_anything_is_unpacked(
    run, tmp_path, temporary, hostile, sentence
):
    path = archived(run, tmp_path / "model.tar.gz", hostile=hostile)
    before = {*tmp_path.rglob("*")}
    for opened in (open_archive, load_archive):
        with pytest.raises(InputError, match=sentence):
            opened(path)
    assert {*tmp_path.rglob("*")} == before


def test_what_would_fill_the_disk_is_not_unpacked(run, tmp_path, monkeypatch):
    from attention_explain import archives

    path = archived(run, tmp_path / "model.tar.gz", large=member("large", size=2_000_000))
    usage = type("Usage", (), {"free": 1_000_000})
    monkeypatch.setattr(archives.shutil, "disk_usage", lambda folder: usage)
    with pytest.raises(InputError, match=r"unpacks to 0.0 GB, but .* has 0.0 GB left"):
        open_archive(path)


def test_what_is_unpacked_is_gone_when_the_model_is_there(run, tmp_path, temporary):
    path = archived(run, tmp_path / "model.tar.gz")
    left = temporary / "attention_explain-archive.999999999-abc"
    left.mkdir()
    open_archive(path)
    with pytest.raises(InputError):
        open_archive(archived(run, path, "[]"))
    assert list(temporary.iterdir()) == []


def test_pickled_code_among_the_weights_is_not_run(run, tmp_path):
    class Payload:
        def __reduce__(self):
            return os.system, (f"touch {tmp_path}/ran",)

    with tarfile.open(tmp_path / "model.tar.gz", "w:gz") as archive:
        torch.save({"decoder.weight": Payload()}, tmp_path / "weights.th")
        archive.add(tmp_path / "weights.th", "weights.th")
        archive.add(run / "vocabulary", "vocabulary")
        archive.add(run / "config.json", "config.json")
    with pytest.raises(Exception, match=r"(?i)weights|pickle"):
        open_archive(tmp_path / "model.tar.gz")
    assert not (tmp_path / "ran").exists()


@pytest.mark.parametrize("content", [b"", b"no archive", b"\x1f\x8b\x08broken"])
def test_what_is_no_archive_is_said(tmp_path, content):
    (tmp_path / "model.tar.gz").write_bytes(content)
    with pytest.raises(InputError, match=r"model.tar.gz: is not a model archive"):
        open_archive(tmp_path / "model.tar.gz")
