"""Runs without attribution files have an interval over their seeds."""

import math

import numpy
import pytest
from scipy.stats import t

from analysis.papers.shared.reached import Reached, f1_by_model
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


def test_models_that_share_seeds_are_compared_by_seed():
    base = Reached(None, 0.8, 3, by_seed={1: 0.7, 2: 0.8, 3: 0.9, 4: 0.5})
    guided = Reached(None, 0.85, 3, by_seed={1: 0.76, 2: 0.84, 3: 0.95})
    less = guided.less_by_seed(base)
    half = t(2).ppf(0.975) * numpy.std([0.06, 0.04, 0.05], ddof=1) / math.sqrt(3)
    assert (less.mean, less.high) == pytest.approx((0.05, 0.05 + half))
    assert (less.df, less.seeds) == (2, 3)
    few = Reached(None, 0.8, 2, by_seed={1: 0.7, 2: 0.8})
    assert math.isnan(guided.less_by_seed(few).low)
