"""Meister et al.'s Tables 1, 3 and 6: which column each is about, and what it is compared with."""

import numpy
import pandas
import pytest
from scipy.stats import kendalltau

from analysis.output import Output
from analysis.papers.meister.correlations import correlations, entropies, table_1, table_3, table_6
from analysis.papers.shared.study_files import load_models
from analysis.text_files import load_attributions
from tests.analysis.papers.studies import MEISTER, write_run


@pytest.fixture(scope="module")
def paths(tmp_path_factory):
    folder = tmp_path_factory.mktemp("runs")
    return [
        write_run(folder / "soft.parquet", MEISTER, entropy=0.8),
        write_run(folder / "sparse.parquet", MEISTER, projection="sparsemax", entropy=0.7),
        write_run(
            folder / "transformer.parquet", MEISTER, encoder="transformer", scorer="scaled_dot"
        ),
        write_run(folder / "dot.parquet", MEISTER, scorer="scaled_dot"),
    ]


@pytest.fixture(scope="module")
def models(paths):
    return load_models(paths)


def written(fill, models, folder):
    output = Output(folder, "Meister et al. 2021")
    fill(models, output)
    output.finish(["test"])
    entry = output.entries[0]
    return entry, pandas.read_csv(folder / entry["files"]["csv"])


def test_table_1_is_the_mean_entropy_of_input_to_hidden_importance(paths, models, tmp_path):
    _, table = written(table_1, models, tmp_path)
    table = table.set_index("model")
    expected = load_attributions(paths[0]).table["input-to-hidden.mean_entropy"]
    row = table.loc["bilstm tanh softmax"]
    assert row["mean"] == pytest.approx(expected.mean())
    assert row["std"] == pytest.approx(expected.std())
    published = table["published"].fillna(-1).to_dict()
    assert published == {
        "bilstm tanh softmax": 0.93,
        "bilstm tanh sparsemax": 0.91,
        "transformer dot softmax": 0.73,
        # The paper's BiLSTM has tanh attention.
        "bilstm dot softmax": -1,
    }


def test_a_text_without_an_entropy_is_counted_and_not_averaged(tmp_path):
    path = write_run(tmp_path / "a.parquet", MEISTER, texts=40, entropy=float("nan"))
    _, table = written(table_1, load_models([path]), tmp_path)
    assert table["undefined"].tolist() == [40] and table["mean"].isna().all()


def test_table_3_is_the_share_of_labels_predicted(paths, models, tmp_path):
    _, table = written(table_3, models, tmp_path)
    rows = load_attributions(paths[1]).table
    row = table.set_index("model").loc["bilstm tanh sparsemax"]
    assert row["mean"] == pytest.approx((rows["label"] == rows["predicted"]).mean())
    assert row["published"] == 0.82 and row["low"] < row["mean"] < row["high"]


def test_table_6_keeps_inputs_and_hidden_states_apart(paths, models, tmp_path):
    entry, table = written(table_6, models, tmp_path)
    assert "tautology" in entry["note"]
    table = table[table["model"] == "bilstm tanh sparsemax"]
    rows = table.set_index(["importance of", "importance"])
    published = rows["published"].to_dict()
    assert published == {
        ("input", "gradient"): 0.45,
        ("input", "leave-one-out"): 0.34,
        ("hidden", "gradient"): 0.97,
        ("hidden", "leave-one-out"): 0.98,
    }
    texts = load_attributions(paths[1]).table
    taus = [
        kendalltau(one, other).statistic
        for one, other in zip(texts["attention"], texts["gradient-hidden"], strict=True)
    ]
    assert rows.loc[("hidden", "gradient"), "mean"] == pytest.approx(numpy.nanmean(taus))


def test_figures_are_there_for_each_encoder(models, tmp_path):
    output = Output(tmp_path, "Meister et al. 2021")
    correlations(models, output)
    entropies(models, output)
    assert [entry["name"] for entry in output.entries] == [
        "meister-correlations-sst-bilstm",
        "meister-correlations-sst-transformer",
        "meister-entropies",
    ]
