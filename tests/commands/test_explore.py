"""`allennlp explore`: what is rejected before a model is loaded, and a page that is there."""

import json
import signal
import socket
import subprocess
import sys
import urllib.request
from pathlib import Path

import pytest

from attention_explain.commands.explore import WANTED, _names
from tests.small_archive import small_archive


@pytest.fixture(scope="module")
def archive(tmp_path_factory) -> Path:
    return small_archive(tmp_path_factory.mktemp("explore") / "run")


def test_a_port_that_is_taken(ended, archive):
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = str(other.getsockname()[1])
        code, said = ended("explore", "no/such/model", "--port", port)
    assert code == 2 and f"--port: {port} is not available" in said
    code, said = ended("explore", str(archive), "--port", "70000")
    assert code == 2 and "--port is 70000, but must be from 0 to 65535" in said


@pytest.mark.parametrize(
    "arguments, sentence",
    [
        (["no/such/model"], "no/such/model: no such file or folder"),
        (["ARCHIVE", "--verdict", "."], ".: is not the folder of a verdict"),
        (["ARCHIVE", "--data", "no/such/file"], "no/such/file"),
        (["ARCHIVE", "--methods", "magic"], "magic"),
    ],
)
def test_what_is_rejected(ended, archive, arguments, sentence):
    given = [str(archive) if each == "ARCHIVE" else each for each in arguments]
    code, said = ended("explore", *given, "--port", "0")
    assert code == 2 and sentence in said


def test_the_verdict_on_another_model_is_rejected(ended, archive, tmp_path):
    verdict = {**dict.fromkeys(WANTED, "x"), "weights_sha256": ["another"]}
    verdict.update(attention={"answer": "no"}, questions=[], methods=[])
    (tmp_path / "verdict.json").write_text(json.dumps(verdict))
    code, said = ended("explore", str(archive), "--verdict", str(tmp_path), "--port", "0")
    assert code == 2 and "is the verdict on another model" in said


def test_names_tell_models_apart():
    assert _names(["runs/a/model.tar.gz", "runs/b"]) == ["a", "b"]
    assert _names(["one/a", "two/a"]) == ["one/a", "two/a"]


def _heeds_ctrl_c() -> None:
    """A process in the background may have been told to ignore it, and its children with it."""
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.mark.slow
def test_the_page_is_there_until_it_is_interrupted(archive, tmp_path):
    command = [
        sys.executable,
        "-m",
        "attention_explain.commands.startup",
        "explore",
        str(archive),
        "--port",
        "0",
    ]
    process = subprocess.Popen(
        [*command, "--data", "test"],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        text=True,
        preexec_fn=_heeds_ctrl_c,
    )
    try:
        address = process.stdout.readline().split()[-1]
        with urllib.request.urlopen(f"{address}about", timeout=60) as answer:
            assert json.load(answer)["data"] == "test"
        process.send_signal(signal.SIGINT)
        assert process.wait(60) == 130
    finally:
        process.kill()
        process.communicate()
