"""
Real studies, very small: killed in the middle, two at once, with a broken run, on a full disk. The same
command finishes with the tables of a study that nothing has happened to.
"""

import csv
import fcntl
import os
import re
import resource
import signal
import subprocess
import sys
import time
import zipfile
from pathlib import Path
from typing import Callable, Dict, List

import pytest
import torch

from tests.commands_run import PROJECT
from tests.workflow.studies import engine, tiny

pytestmark = pytest.mark.slow
# Of a file; less than a checkpoint and more than a log.
FULL = 60_000


def command(study: Path) -> List[str]:
    return [
        sys.executable,
        "-m",
        "attention_explain.workflow",
        "run",
        str(study),
        "--snakemake",
        engine(),
    ]


def start(study: Path, folder: Path, **options) -> subprocess.Popen:
    """In a group of its own, so that all of it can be killed at once."""
    folder.mkdir(exist_ok=True)
    return subprocess.Popen(
        command(study),
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(PROJECT)},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
        **options,
    )


def finish(process: subprocess.Popen) -> str:
    """What it said; it has to end well."""
    said, _ = process.communicate(timeout=600)
    assert process.returncode == 0, said
    return said


def kill_when(study: Path, folder: Path, ready: Callable[[], bool]) -> None:
    process = start(study, folder)
    until = time.time() + 300
    while not ready():
        assert process.poll() is None and time.time() < until, process.communicate()
        time.sleep(0.01)
    os.killpg(process.pid, signal.SIGKILL)
    process.communicate()


def kill_after_checkpoint(study: Path, folder: Path) -> None:
    """When the training has written best weights, which it does after its first checkpoint."""

    def has_best() -> bool:
        return any(map(zipfile.is_zipfile, folder.glob("runs/planted-*/best.th")))

    # A kill while new best weights take the place of the old ones leaves none.
    while not has_best():
        kill_when(study, folder, has_best)


def wait_for_training(run: Path) -> None:
    """A training that a warm process has begun outlives a killed study. It holds its folder."""
    descriptor = os.open(run, os.O_RDONLY)
    fcntl.flock(descriptor, fcntl.LOCK_EX)
    os.close(descriptor)


def tables(folder: Path, study: str = "tiny") -> Dict[str, bytes]:
    """Without what names files or runs; a run's hash is the same wherever it is."""
    results = folder / "results" / study
    return {
        path.name: path.read_bytes()
        for path in sorted(results.glob("*.*"))
        if path.suffix in (".csv", ".md", ".svg")
    }


def run_folders(folder: Path) -> List[Path]:
    return [path.parent for path in (folder / "runs").glob("*/finished.json")]


@pytest.fixture(scope="module")
def unbroken(tmp_path_factory) -> Dict[str, bytes]:
    folder = tmp_path_factory.mktemp("unbroken")
    said = finish(start(tiny(folder / "studies"), folder))
    assert "open results/tiny/report.html" in said
    assert (folder / "results" / "tiny" / "report.html").is_file()
    found = tables(folder)
    assert {"jain-wallace-correlations.csv", "models.csv"} <= set(found)
    return found


def test_killed_at_every_stage_the_same_command_gives_the_same_tables(unbroken, tmp_path):
    study = tiny(tmp_path / "studies")
    runs = tmp_path / "runs"
    kill_when(study, tmp_path, lambda: any(runs.glob("planted-*/config.json")))
    assert not run_folders(tmp_path)
    kill_when(study, tmp_path, lambda: any((runs / "attributions").glob("*.parts")))
    (trained,) = run_folders(tmp_path)
    archive = (trained / "model.tar.gz").stat().st_mtime_ns
    assert not list((runs / "attributions").glob("*.parquet"))
    kill_when(study, tmp_path, lambda: any(runs.glob("studies/tiny/started/table-tiny-jain*")))
    assert list((runs / "attributions").glob("*.parquet"))
    finish(start(study, tmp_path))
    assert not (trained / "recovered").exists()
    assert (trained / "model.tar.gz").stat().st_mtime_ns == archive
    assert tables(tmp_path) == unbroken
    said = finish(start(study, tmp_path))
    assert re.search(r"(\d+) steps, \1 done already", said)


def test_a_training_that_went_on_from_a_checkpoint_gives_the_same_tables(tmp_path):
    whole, killed = tmp_path / "whole", tmp_path / "killed"
    finish(start(tiny(whole / "studies", epochs=60), whole))
    study = tiny(killed / "studies", epochs=60)
    kill_after_checkpoint(study, killed)
    finish(start(study, killed))
    (log,) = killed.glob("runs/studies/tiny/logs/train-*.log")
    assert "--recover" in log.read_text()
    (trained,) = run_folders(killed)
    assert not (trained / "recovered").exists()
    assert tables(killed) == tables(whole)


def test_a_training_that_was_not_recovered_exactly_is_marked_in_the_tables(tmp_path):
    """Its checkpoint is one of AllenNLP alone."""
    study = tiny(tmp_path / "studies", epochs=60)
    kill_after_checkpoint(study, tmp_path)
    (trained,) = tmp_path.glob("runs/planted-*")
    wait_for_training(trained)
    for path in trained.glob("training_state_*.th"):
        # The kill may have left half of one.
        if zipfile.is_zipfile(path):
            state = torch.load(path)
            del state["attention_explain"]
            torch.save(state, path)
    finish(start(study, tmp_path))
    assert (trained / "recovered").exists()
    results = tmp_path / "results" / "tiny"
    with open(results / "models.csv", newline="") as file:
        assert [row["recovered"] for row in csv.DictReader(file)] == ["yes"]
    assert (
        "affine tanh softmax (1 recovered)"
        in (results / "jain-wallace-correlations.md").read_text()
    )
    assert "1 (recovered)" in (results / "report.html").read_text()
    assert not list(trained.glob("*_state_*"))


def test_two_studies_at_once_share_what_they_have_in_common(unbroken, tmp_path):
    first = tiny(tmp_path / "studies", name="tiny")
    second = tiny(tmp_path / "studies", encoders="['affine', 'cnn']", name="other")
    for process in [start(first, tmp_path), start(second, tmp_path)]:
        finish(process)
    assert len(run_folders(tmp_path)) == 2
    logs = [path.read_text() for path in tmp_path.glob("runs/studies/*/logs/train-*affine*.log")]
    assert sum(log.count("attention_explain train") for log in logs) == 1
    assert tables(tmp_path) == unbroken
    assert (tmp_path / "results" / "other" / "report.html").is_file()


def test_a_broken_run_stops_only_what_needs_it(unbroken, tmp_path):
    study = tiny(tmp_path / "studies")
    text = study.read_text().replace(
        "tables: [",
        "tables: [study.table('jain-wallace-correlations', ['attributions/broken'])] + [",
    )
    broken = (
        "corpora+: { planted+: { broken: super.affine { config+: { model+: { encoder: { type: 'none' } } }, "
        "attributions: { broken: ['attention'] } } } },\n  tables:"
    )
    study.write_text(text.replace("tables:", broken))
    process = start(study, tmp_path)
    said, _ = process.communicate(timeout=600)
    assert process.returncode == 1
    assert "failed: train planted/broken (seed 1): none not in" in said
    (log,) = tmp_path.glob("runs/studies/tiny/logs/train-*none*.log")
    assert str(log.relative_to(tmp_path)) in said
    found = tables(tmp_path)
    assert found["jain-wallace-correlations.csv"] == unbroken["jain-wallace-correlations.csv"]
    assert "results/tiny/report.html lacks what is not done" in said


def test_a_full_disk_leaves_nothing_half_and_the_same_command_goes_on(unbroken, tmp_path):
    study = tiny(tmp_path / "studies")

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (FULL, resource.RLIM_INFINITY))

    process = start(study, tmp_path, preexec_fn=limit)
    said, _ = process.communicate(timeout=600)
    assert process.returncode == 1
    assert "failed: train planted/affine (seed 1): " in said
    assert not run_folders(tmp_path) and not list(tmp_path.glob("results/tiny/*.csv"))
    finish(start(study, tmp_path))
    assert not list(tmp_path.glob("runs/planted-*/recovered"))
    assert tables(tmp_path) == unbroken


def test_what_is_damaged_is_named_and_made_again(unbroken, tmp_path):
    study = tiny(tmp_path / "studies")
    finish(start(study, tmp_path))
    (trained,) = run_folders(tmp_path)
    (explained,) = (tmp_path / "runs" / "attributions").glob("*.parquet")
    results = tmp_path / "results" / "tiny"
    weights = (trained / "best.th").read_bytes()
    damaged = {
        trained / "best.th": weights[: len(weights) // 2],
        explained: b"",
        results / "models.csv": (results / "models.csv").read_bytes()[:20],
        results / "jain-wallace-correlations.csv": b"corpus,model\n",
        results / "report.html": b"<html>",
    }
    for path, content in damaged.items():
        path.write_bytes(content)
    said = finish(start(study, tmp_path))
    for path in damaged:
        assert f"{path.relative_to(tmp_path)}: is damaged: it is not what was written" in said
    assert (trained / "best.th").read_bytes() == weights
    assert tables(tmp_path) == unbroken
    (trained / "finished.json").write_text("{}")
    (results / "manifest.json").write_text("{}")
    said = finish(start(study, tmp_path))
    assert "finished.json: is damaged: it lists no files; it is made again" in said
    assert "manifest.json: has format None, not known here; it is made again" in said
    assert tables(tmp_path) == unbroken
