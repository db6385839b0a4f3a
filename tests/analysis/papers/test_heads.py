"""What each head of self-attention does: the table and the figure, from files written by hand."""

import numpy
import pandas
import pytest

from analysis.__main__ import main
from analysis.errors import AnalysisError
from analysis.models import models_of
from analysis.papers.heads import HeadsPanel, effects, heads_figure, rows_of
from analysis.text_files import load_perturbations
from tests.analysis.perturbation_files import perturbed_rows, write_perturbations

LAYERS, HEADS = 2, 3


def rows(texts=8, heads=LAYERS * HEADS):
    made = perturbed_rows(texts)
    for number, row in enumerate(made):
        draw = numpy.random.default_rng(number)
        row["each-head.heads"] = draw.random(heads).tolist()
        row["each-head.layers"] = draw.random(LAYERS).tolist()
        row["each-head.all"] = float(draw.random())
    return made


@pytest.fixture
def written(tmp_path):
    parameters = {"each-head": {"type": "each-head", "change": "permuted"}}
    return write_perturbations(tmp_path / "files" / "one.parquet", rows(), parameters=parameters)


def test_rows_are_means_over_texts(written):
    (model,) = models_of([load_perturbations(written)])
    table = pandas.DataFrame(rows_of(model)).set_index(["layer", "head"])
    texts = rows()
    for layer in range(1, LAYERS + 1):
        for head in range(1, HEADS + 1):
            position = (layer - 1) * HEADS + head - 1
            expected = sum(text["each-head.heads"][position] for text in texts) / len(texts)
            assert table.loc[(layer, head), "mean"] == pytest.approx(expected, abs=1e-6)
        whole = sum(text["each-head.layers"][layer - 1] for text in texts) / len(texts)
        assert table.loc[(layer, "all"), "mean"] == pytest.approx(whole, abs=1e-6)
    everything = sum(text["each-head.all"] for text in texts) / len(texts)
    assert table.loc[("all", "all"), "mean"] == pytest.approx(everything, abs=1e-6)
    assert set(table["change"]) == {"permuted"} and len(table) == LAYERS * HEADS + LAYERS + 1


def test_the_command_writes_table_figure_and_sentence(written, tmp_path, capsys):
    main(["table", "heads", str(written), "-o", str(tmp_path / "results")])
    names = {path.name for path in (tmp_path / "results").iterdir()}
    assert {"heads-effects.csv", "heads-effects.md", "heads-effects-map.svg"} <= names
    said = capsys.readouterr().out
    texts = rows()
    means = [
        sum(text["each-head.heads"][position] for text in texts) / len(texts)
        for position in range(LAYERS * HEADS)
    ]
    layer, head = divmod(max(range(len(means)), key=means.__getitem__), HEADS)
    assert f"(layer {layer + 1}, head {head + 1}) moves the output by {max(means):.3f}" in said
    assert "with its weights in another order" in said


def test_heads_that_do_not_fill_the_layers_are_named(tmp_path):
    path = write_perturbations(tmp_path / "odd.parquet", rows(heads=5))
    with pytest.raises(
        AnalysisError, match="odd.parquet: its layers have heads of different number"
    ):
        effects(load_perturbations(path))


def test_the_figure_writes_each_number_and_survives_zeros():
    heads = numpy.array([[0.25, 0.5, 0.0], [0.125, 0.0, 1.0]])
    panel = HeadsPanel("one", heads, numpy.array([0.75, 0.875]))
    drawn = heads_figure([panel, HeadsPanel("none", heads * 0, heads[:, 0] * 0)], "effect")
    first, second = drawn.axes[:2]
    assert [text.get_text() for text in first.texts] == [
        *(".25", ".50", ".00", ".75"),
        *(".12", ".00", "1.00", ".88"),
    ]
    assert [tick.get_text() for tick in first.get_xticklabels()] == ["1", "2", "3", "all"]
    assert {text.get_text() for text in second.texts} == {".00"}
