"""Runs without attribution files have an interval over their seeds."""

import numpy
import pytest

from analysis.papers.shared.reached import f1_by_model
from analysis.papers.shared.study_files import load_study
from analysis.statistics.intervals import student_interval
from tests.analysis.attribution_files import config
from tests.analysis.papers.families import write_training


def test_the_interval_of_runs_is_over_seeds(tmp_path):
    values = [0.8, 0.84, 0.85]
    for seed, value in enumerate(values):
        write_training(tmp_path / str(seed), config(seed), {"test_f1": value})
    (found,) = f1_by_model(load_study([tmp_path / str(seed) for seed in range(3)]))
    assert found.f1 == pytest.approx(numpy.mean(values))
    ends = (found.estimate.low, found.estimate.high)
    assert ends == pytest.approx(student_interval(found.f1, numpy.std(values, ddof=1), 3))


def test_one_run_has_none(tmp_path):
    write_training(tmp_path / "one", config(), {"test_f1": 0.8})
    (found,) = f1_by_model(load_study([tmp_path / "one"]))
    assert not found.estimate.interval.known
