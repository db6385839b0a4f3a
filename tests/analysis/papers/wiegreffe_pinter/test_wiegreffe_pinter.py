"""Is attention needed, of use to another model, the same from seed to seed? And what it looks like."""

import numpy
import pandas
import pytest
from scipy.stats import ttest_1samp

from analysis.errors import AnalysisError
from analysis.output import Output
from analysis.papers.shared.divergence import divergence
from analysis.papers.shared.study_files import load_study
from analysis.papers.wiegreffe_pinter import PAPER
from analysis.papers.wiegreffe_pinter.seed_variance import seeds
from analysis.papers.wiegreffe_pinter.three_attentions import heatmaps, typical
from analysis.papers.wiegreffe_pinter.usefulness import table_2, table_3
from analysis.performance import f1
from analysis.text_files import load_attributions
from tests.analysis.attribution_files import config
from tests.analysis.papers.families import (
    adversary_config,
    text_rows,
    write_family,
    write_model,
    write_training,
)
from tests.analysis.papers.written import entries, tables


@pytest.fixture
def folder(tmp_path):
    return write_family(tmp_path / "runs")


def test_table_2_is_the_drop_on_the_same_texts(folder, tmp_path):
    table = tables(table_2, load_study([folder]), tmp_path / "out")["wiegreffe-pinter-table-2"]
    (row,) = table.to_dict("records")
    uniform = f1(load_attributions(folder / "uniform.parquet"))
    assert row["uniform"] == pytest.approx(uniform)
    assert row["drop"] == pytest.approx(row["base"] - uniform)
    assert row["drop low"] < row["drop"] < row["drop high"] and row["n"] == 40
    assert (row["published base"], row["published uniform"]) == (0.831, 0.822)


def test_table_2_from_runs_has_the_mean_of_the_seeds_and_no_interval(tmp_path):
    runs = [
        write_training(tmp_path / f"b{seed}", config(seed, corpus="imdb"), {"test_f1": value})
        for seed, value in ((1, 0.8), (2, 0.9))
    ]
    uniform = config(projection="uniform", corpus="imdb")
    runs.append(write_training(tmp_path / "u", uniform, {"best_validation_f1": 0.7}))
    table = tables(table_2, load_study(runs), tmp_path / "out")["wiegreffe-pinter-table-2"]
    (row,) = table.to_dict("records")
    assert row["base"] == pytest.approx(0.85) and row["drop"] == pytest.approx(0.15)
    assert numpy.isnan(row["drop low"]) and row["published base"] == 0.902
    with pytest.raises(AnalysisError, match="it takes a plain model and a uniform one"):
        table_2(load_study(runs[:2]), None)


def test_what_was_published_is_of_softmax_alone(tmp_path):
    runs = [
        write_training(tmp_path / name, config(projection=name, corpus="sst"), {"test_f1": 0.8})
        for name in ("softmax", "sparsemax", "uniform")
    ]
    table = tables(table_2, load_study(runs), tmp_path / "out")["wiegreffe-pinter-table-2"]
    published = table.set_index("model")["published base"]
    assert published["bilstm tanh softmax"] == 0.831
    assert numpy.isnan(published["bilstm tanh sparsemax"])


def guided(tmp_path, name, guide):
    given = config(encoder="affine", projection="guide", corpus="sst")
    given["dataset_reader"]["guide"] = [str(guide)]
    return write_training(tmp_path / name, given, {"test_f1": 0.6})


def test_table_3_knows_whose_attention_a_guide_is_from_its_file(folder, tmp_path):
    affine = {"encoder": "affine", "corpus": "sst"}
    runs = [
        guided(tmp_path, "one", folder / "adversary_1.parquet"),
        guided(tmp_path, "two", folder / "base.parquet"),
        guided(tmp_path, "three", folder / "gone.parquet"),
        write_training(tmp_path / "mlp", config(**affine), {"test_f1": 0.8}),
        write_training(tmp_path / "u", config(**affine, projection="uniform"), {"test_f1": 0.7}),
    ]
    table = tables(table_3, load_study(runs), tmp_path / "out")["wiegreffe-pinter-table-3"]
    assert table["guide"].tolist() == [
        "uniform",
        "trained MLP",
        "base LSTM",
        "adversary",
        "not known: the file is gone",
    ]
    assert table["published"].tolist()[:4] == [0.812, 0.817, 0.824, 0.592]
    assert table["f1"].tolist() == [0.7, 0.8, 0.6, 0.6, 0.6]
    with pytest.raises(AnalysisError, match="it takes the run folder of a guided model"):
        table_3(load_study(runs[3:]), None)


def test_guided_models_of_a_guide_each_are_seeds_of_one(tmp_path):
    folder = write_family(tmp_path / "runs", lambdas=(0.01,), seeds=(2, 3))
    runs = []
    for seed, guide in ((1, "base"), (2, "seed_2"), (3, "seed_3"), (4, "adversary_0")):
        given = config(seed, encoder="affine", projection="guide", corpus="sst")
        given["dataset_reader"]["guide"] = [str(folder / f"{guide}.parquet")]
        runs.append(write_training(tmp_path / guide, given, {"test_f1": 0.6 + seed / 100}))
    table = tables(table_3, load_study(runs), tmp_path / "out")["wiegreffe-pinter-table-3"]
    rows = table.set_index("guide")
    assert rows["seeds"].to_dict() == {"base LSTM": 3, "adversary": 1}
    assert rows["f1"].to_dict() == pytest.approx({"base LSTM": 0.62, "adversary": 0.64})
    assert rows.loc["base LSTM", "low"] < 0.62 < rows.loc["base LSTM", "high"]


def test_seeds_are_compared_with_the_base_by_its_largest_weight(tmp_path):
    folder = write_family(tmp_path / "runs", seeds=(2, 3))
    study = load_study([folder])
    table = tables(seeds, study, tmp_path / "out")["wiegreffe-pinter-seeds"]
    base, *others = (
        load_attributions(folder / f"{name}.parquet") for name in ("base", "seed_2", "seed_3")
    )
    jsd = divergence([(base, other) for other in others]).jsd.value
    large = numpy.array([weights.max() >= 0.75 for weights in base.table["attention"]])
    predicted = (base.table["predicted"] == "1").to_numpy()
    rows = table[table["other"] == "other seeds"].set_index(["predicted", "max attention"])
    assert rows.loc[("overall", "all"), "mean"] == pytest.approx(jsd.mean())
    assert rows.loc[("1", "[.75, 1]"), "mean"] == pytest.approx(jsd[:, large & predicted].mean())
    # The adversary next to them is the furthest one that predicts as the base does.
    assert set(table["other"]) == {"other seeds", "adversary, lambda 0.001"}


def test_the_distance_of_an_adversary_beyond_seeds_is_on_the_same_texts(tmp_path):
    folder = write_family(tmp_path / "runs", seeds=(2, 3))
    table = tables(seeds, load_study([folder]), tmp_path / "out")["wiegreffe-pinter-seeds"]
    base, *others, adversary = (
        load_attributions(folder / f"{name}.parquet")
        for name in ("base", "seed_2", "seed_3", "adversary_1")
    )
    trained = divergence([(base, adversary)]).jsd.value[0]
    further = trained - divergence([(base, other) for other in others]).jsd.value.mean(0)
    for name in ("overall", "1"):
        inside = (base.table["predicted"] == name).to_numpy() | (name == "overall")
        (row,) = (
            table[(table["predicted"] == name) & (table["max attention"] == "all")]
            .query("other != 'other seeds'")
            .to_dict("records")
        )
        assert row["beyond seeds"] == pytest.approx(further[inside].mean())
        expected = ttest_1samp(further[inside], 0).confidence_interval(0.95)
        assert row["beyond seeds low"] == pytest.approx(expected.low)
        assert row["beyond seeds high"] == pytest.approx(expected.high)
    assert table[table["other"] == "other seeds"]["beyond seeds"].isna().all()


def test_one_seed_has_no_other_to_compare_with(tmp_path):
    folder = write_family(tmp_path / "runs", seeds=())
    with pytest.raises(AnalysisError, match="at least 2 seeds"):
        seeds(load_study([folder]), None)


def test_typical_texts_are_short_and_near_both_medians(folder):
    base, one, other = (
        load_attributions(folder / f"{name}.parquet")
        for name in ("base", "adversary_1", "adversary_2")
    )
    moved = {"a": divergence([(base, one)]), "b": divergence([(base, other)])}
    lengths = numpy.array([len(tokens) for tokens in base.table["tokens"]])
    jsds = [part.jsd.value[0] for part in moved.values()]
    far = sum(abs(values - numpy.median(values)) for values in jsds)
    nearest, eligible = numpy.argsort(far), numpy.ones(40, dtype=bool)
    assert typical(moved, lengths, eligible) == nearest[:2].tolist()
    lengths[nearest[0]] = 500
    assert typical(moved, lengths, eligible) == nearest[1:3].tolist()
    eligible[nearest[1]] = False
    assert typical(moved, lengths, eligible) == nearest[2:4].tolist()


def test_heatmaps_have_three_attentions_of_one_text(folder, tmp_path, monkeypatch):
    drawn = []
    monkeypatch.setattr(
        "analysis.papers.wiegreffe_pinter.three_attentions.token_heatmaps",
        lambda texts: drawn.extend(texts),
    )
    monkeypatch.setattr("analysis.output.Output.figure", lambda self, *given: None)
    entries(heatmaps, load_study([folder]), tmp_path)
    assert len(drawn) == 2
    assert all(alike(folder, text) for text in drawn)
    for text in drawn:
        assert list(text.weights) == ["base", "adversary, this text", "trained adversary"]
        assert {len(weights) for weights in text.weights.values()} == {len(text.tokens)}
        assert "JSD" not in text.about["base"] and "JSD" in text.about["trained adversary"]


def alike(folder, text):
    """Whether all three predict the same for a text, and the search has found something."""
    base, trained, searched = (
        pandas.read_parquet(folder / f"{name}.parquet")
        for name in ("base", "adversary_2", "base.perturbed")
    )
    (position,) = [
        row
        for row, weights in enumerate(base["attention"])
        if list(weights) == list(text.weights["base"])
    ]
    same = base["predicted"][position] == trained["predicted"][position]
    found = searched.iloc[position]
    return same and found["instance-adversary.success"] and not found["instance-adversary.flip"]


def test_heatmaps_need_both_adversaries(tmp_path):
    folder = write_family(tmp_path / "runs", perturbed=False)
    with pytest.raises(AnalysisError, match="perturbation file with `instance-adversary`"):
        heatmaps(load_study([folder]), None)


def test_an_adversary_without_its_base_is_reported_and_the_rest_is_filled(folder, tmp_path):
    lost = adversary_config("runs/gone", 0.5, corpus="sst")
    path = write_model(folder / "lost.parquet", text_rows(0.9, seed=9), lost)
    output = Output(tmp_path / "out", PAPER.title)
    said = PAPER.fill(load_study([folder]), output)
    assert any(f"{path}: its base, runs/gone" in sentence for sentence in said)
    assert "wiegreffe-pinter-table-5" in {entry["name"] for entry in output.entries}
