"""Jain & Wallace's accuracies of pairs stand compared with ours, in the right rows."""

import numpy
import pandas
import pytest

from analysis.output import Output
from analysis.papers.jain_wallace.correlations import ACCURACIES, accuracies
from analysis.papers.shared.study_files import load_models
from analysis.text_files import load_attributions
from tests.analysis.papers.studies import write_run


def test_accuracy_over_texts_and_seeds_is_joined_with_the_published_one(tmp_path):
    files = [write_run(tmp_path / f"{s}.parquet", corpus="babi_2", seed=s) for s in (1, 2)]
    files.append(write_run(tmp_path / "sst.parquet"))
    output = Output(tmp_path / "out", "Jain & Wallace 2019")
    accuracies(load_models(files), output)
    output.finish(["test"])
    table = pandas.read_csv(output.folder / f"{ACCURACIES}.csv").set_index("corpus")
    tables = [load_attributions(file).table for file in files[:2]]
    right = [(each["label"] == each["predicted"]).mean() for each in tables]
    ours = table.loc["babi_2"]
    assert ours["mean"] == pytest.approx(numpy.mean(right))
    assert ours["published"] == 0.653 and ours["seeds"] == 2
    assert ours["difference"] == pytest.approx(ours["mean"] - 0.653)
    assert ours["low"] < ours["mean"] < ours["high"]
    assert numpy.isnan(table.loc["sst", "published"])
