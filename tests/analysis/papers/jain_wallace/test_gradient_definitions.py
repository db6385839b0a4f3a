"""What is called gradient, and how attention agrees with each."""

import numpy
import pytest
from scipy.stats import kendalltau

from analysis.errors import AnalysisError
from analysis.papers.jain_wallace.correlations import gradient_definitions
from analysis.papers.shared.study_files import load_models
from tests.analysis.attribution_files import random_rows, write_attributions
from tests.analysis.papers.written import tables

NAMES = ("attention", "signed", "norm")
DECLARED = {
    "attention": {"parameters": {}, "signed": False},
    "signed": {
        "parameters": {"of": "logit", "absolute": False, "detach_attention": True},
        "signed": True,
    },
    "norm": {
        "parameters": {"of": "probability", "norm": "l2", "detach_attention": False, "at": "input"},
        "signed": False,
    },
}


def models(folder, declared):
    rows = random_rows(12, tuple(declared), 1, 0.5)
    for number, row in enumerate(rows):
        if "signed" in declared:
            draw = numpy.random.default_rng(number)
            row["signed"] = draw.standard_normal(len(row["tokens"])).tolist()
    write_attributions(folder / "a.parquet", rows, tuple(declared), interpreters=declared)
    return load_models([folder]), rows


def test_each_definition_has_its_tau_signed_and_by_magnitude(tmp_path):
    given, rows = models(tmp_path, DECLARED)
    table = tables(gradient_definitions, given, tmp_path / "out")["gradient-definitions"]
    tau = table[table["measure"] == "tau-b"].set_index(["gradient", "scores"])
    assert set(tau.index) == {
        ("x input", "signed"),
        ("x input", "by magnitude"),
        ("norm", "by magnitude"),
    }
    assert tau["attention fixed"].tolist() == ["yes", "yes", "no"]
    for scores, size in (("signed", lambda values: values), ("by magnitude", numpy.abs)):
        expected = [
            kendalltau(row["attention"], size(numpy.array(row["signed"]))).statistic for row in rows
        ]
        assert tau.loc[("x input", scores), "mean"] == pytest.approx(numpy.mean(expected))
    assert set(table["measure"]) == {"tau-b", "tau-x"}


def test_one_definition_is_nothing_to_compare(tmp_path):
    given, _ = models(tmp_path, {name: DECLARED[name] for name in ("attention", "norm")})
    with pytest.raises(AnalysisError, match="several kinds of gradient"):
        tables(gradient_definitions, given, tmp_path / "out")
