"""One run a GPU, and none on a machine that was promised none."""

import fcntl

import pytest

from attention_explain.workflow import run_step
from attention_explain.workflow.run_step import GPUS_VARIABLE, visible_gpu

DEVICES = "CUDA_VISIBLE_DEVICES"


@pytest.fixture(autouse=True)
def no_cluster(monkeypatch):
    monkeypatch.delenv("SLURM_JOB_ID", raising=False)


def test_without_gpus_none_is_seen(tmp_path, monkeypatch):
    monkeypatch.delenv(GPUS_VARIABLE, raising=False)
    with visible_gpu(tmp_path) as (seen, _):
        assert seen == {DEVICES: ""}


def test_each_run_has_a_gpu_of_its_own(tmp_path, monkeypatch):
    monkeypatch.setenv(GPUS_VARIABLE, "2")
    with visible_gpu(tmp_path) as (one, _), visible_gpu(tmp_path) as (other, _):
        assert {one[DEVICES], other[DEVICES]} == {"0", "1"}
    with visible_gpu(tmp_path) as (again, _):
        assert again == {DEVICES: "0"}


def test_a_run_waits_for_a_gpu_that_is_given_back(tmp_path, monkeypatch):
    monkeypatch.setenv(GPUS_VARIABLE, "1")
    with open(tmp_path / "gpu-0.lock", "a") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        monkeypatch.setattr(
            run_step.time, "sleep", lambda seconds: fcntl.flock(held, fcntl.LOCK_UN)
        )
        with visible_gpu(tmp_path) as (seen, _):
            assert seen == {DEVICES: "0"}


def test_on_a_cluster_the_cluster_decides(tmp_path, monkeypatch):
    monkeypatch.setenv(GPUS_VARIABLE, "2")
    monkeypatch.setenv("SLURM_JOB_ID", "7")
    with visible_gpu(tmp_path) as (seen, _):
        assert seen == {}
