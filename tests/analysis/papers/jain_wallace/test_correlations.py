"""Jain & Wallace's table: our numbers are tau's, theirs stand in the right rows."""

import numpy
import pandas
import pytest
from scipy.stats import kendalltau

from analysis.output import Output
from analysis.papers.jain_wallace.correlations import correlations, released_code, tau_densities
from analysis.papers.shared.published import read_published
from analysis.papers.shared.study_files import load_models
from analysis.text_files import load_attributions
from tests.analysis.papers.studies import write_run


@pytest.fixture
def files(tmp_path):
    return [
        write_run(tmp_path / "sst_1.parquet", seed=1),
        write_run(tmp_path / "sst_2.parquet", seed=2),
        write_run(tmp_path / "mine.parquet", corpus="mine"),
    ]


@pytest.fixture
def output(tmp_path, files):
    made = Output(tmp_path / "out", "Jain & Wallace 2019")
    correlations(load_models(files), made)
    return made


@pytest.fixture
def table(output):
    output.finish(["test"])
    path = output.folder / "jain-wallace-correlations.csv"
    return pandas.read_csv(path, dtype={"predicted": str})


def test_ours_is_the_mean_tau_over_texts_and_seeds(files, table):
    taus = []
    for file in files[:2]:
        rows = load_attributions(file).table
        rows = rows[rows["predicted"] == "1"]
        taus += [
            kendalltau(one, other).statistic
            for one, other in zip(rows["attention"], rows["gradient-x-input"], strict=True)
        ]
    (row,) = table[
        (table["corpus"] == "sst")
        & (table["predicted"] == "1")
        & (table["scores"] == "attention")
        & (table["importance"] == "gradient")
    ].to_dict("records")
    assert row["mean"] == pytest.approx(numpy.nanmean(taus))
    assert row["std"] == pytest.approx(numpy.nanstd(taus, ddof=1))
    assert row["n"] == numpy.isfinite(taus).sum() and row["seeds"] == 2
    assert row["low"] < row["mean"] < row["high"]


def test_both_protocols_and_the_released_code_are_next_to_ours(table):
    rows = table[table["corpus"] == "sst"].set_index(["scores", "importance", "predicted"])
    row = rows.loc[("attention", "leave-one-out", "0")]
    assert (row["published on test"], row["published on dev"]) == (0.34, 0.272)
    assert (row["code low"], row["code high"]) == (0.2172, 0.269)
    assert row["difference"] == pytest.approx(row["mean"] - 0.272)
    # Only the code compared gradient and leave-one-out.
    between = rows.loc[("gradient", "leave-one-out", "overall")]
    assert numpy.isnan(between["published on dev"]) and between["code high"] == 0.612


def test_other_data_has_rows_without_published_values(table):
    mine = table[table["corpus"] == "mine"]
    assert len(mine) == 9 and mine["mean"].notna().all()
    assert mine.filter(regex="^(published|code|difference)").isna().all(axis=None)


def test_the_range_of_the_code_is_over_its_seeds():
    table = released_code()
    row = table[
        (table["encoder"] == "affine")
        & (table["scores"] == "attention")
        & (table["importance"] == "gradient")
        & (table["predicted"] == "0")
    ]
    assert row[["code low", "code high"]].values.tolist() == [[0.551, 0.5641]]


def test_the_note_says_which_protocols_are_compared(output):
    entry = output.entries[0]
    assert "selected on the test set" in entry["note"] and "fastText" in entry["note"]
    assert "sst (60 texts): bilstm tanh softmax (2 seeds)" in entry["caption"]


def test_each_model_has_its_densities(tmp_path, files):
    made = Output(tmp_path / "out", "Jain & Wallace 2019")
    tau_densities(load_models(files), made)
    assert [entry["name"] for entry in made.entries] == [
        "jain-wallace-densities-sst-bilstm-tanh-softmax",
        "jain-wallace-densities-mine-bilstm-tanh-softmax",
    ]


def test_what_was_published_of_pairs_is_known_once():
    """A row of ours is next to one of theirs, for every two of the three columns."""
    attention = read_published("jain_wallace/correlations").assign(scores="attention")
    attention = attention[attention["protocol"] == "selected_on_dev"]
    others = read_published("jain_wallace/gradient_and_leave_one_out_of_pairs")
    keys = ["corpus", "encoder", "attention", "scores", "importance", "predicted"]
    both = pandas.concat([attention, others])
    assert not both.duplicated(keys).any()
    stories = both[(both["corpus"] == "babi_2") & (both["predicted"] == "overall")]
    # Three encoders, two attentions, three pairs of columns.
    assert len(stories) == 18
