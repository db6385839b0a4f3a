"""How often a marked token comes first, on a file whose answer is known."""

import numpy
import pandas
import pyarrow
import pyarrow.parquet
import pytest
from scipy.stats import binomtest

from analysis.__main__ import main
from analysis.errors import AnalysisError
from analysis.plausibility.causes import causes_table, truth_by_text
from analysis.statistics.intervals import intervals
from analysis.text_files import load_attributions
from tests.analysis.attribution_files import config, write_attributions
from tests.analysis.plausibility import slow

ROWS = [
    {"label": "1", "predicted": "1", "rationale": [0, 1, 0], "good": [0, 3, 1], "bad": [3, 0, 1]},
    {"label": "0", "predicted": "0", "rationale": [1, 0], "good": [2, 1], "bad": [1, 2]},
    {"label": "0", "predicted": "0", "rationale": [1, 1], "good": None, "bad": [1, 2]},
    # Wrongly predicted: what the model went by is not the cause.
    {"label": "0", "predicted": "1", "rationale": [1, 0], "good": [0, 1], "bad": [1, 0]},
]


def write(path, rows, methods=("good", "bad"), **metadata):
    return write_attributions(path, rows, methods, **metadata)


def test_counts_correctly_predicted_texts_whose_highest_score_is_a_cause(tmp_path):
    table = causes_table(load_attributions(write(tmp_path / "a.parquet", ROWS)))
    good, bad = (table[table["method"] == name].iloc[0] for name in ("good", "bad"))
    assert (good["marked first"], good["n"]) == (1.0, 2)
    assert (bad["marked first"], bad["n"]) == (pytest.approx(1 / 3), 3)
    assert bad["chance"] == pytest.approx((1 / 3 + 1 / 2 + 1) / 3)
    expected = binomtest(1, 3).proportion_ci(method="wilson")
    assert (bad["low"], bad["high"]) == (expected.low, expected.high)


@pytest.mark.parametrize(
    "scores, marks, share", [([1, 1, 0], [1, 0, 0], 0.5), ([0, 0, 0, 0], [0, 1, 0, 0], 0.25)]
)
def test_ties_are_worth_their_share_of_causes(tmp_path, scores, marks, share):
    row = {"label": "1", "predicted": "1", "rationale": marks, "good": scores}
    (found,) = causes_table(
        load_attributions(write(tmp_path / "a.parquet", [row], ["good"]))
    ).to_dict("records")
    assert found["marked first"] == share == slow.marked_first(scores, marks)


@pytest.mark.parametrize("annotators", [1, 2])
def test_average_precision_is_that_of_the_marked_tokens(tmp_path, annotators):
    """Of several annotators, their mean."""
    random = numpy.random.default_rng(annotators)
    rows, expected, chance, first = [], [], [], []
    for _ in range(12):
        length = int(random.integers(2, 6))
        marks = random.integers(0, 2, (annotators, length))
        marks[:, 0] = 1
        scores = random.integers(0, 3, length).astype(float)
        rows.append(
            {
                "label": "1",
                "predicted": "1",
                "rationale": marks.tolist() if annotators > 1 else marks[0].tolist(),
                "good": scores.tolist(),
            }
        )
        for found, given in ((expected, scores), (chance, numpy.zeros(length))):
            values = [slow.expected(given, slow.average_precision, mark) for mark in marks]
            found.append(numpy.mean(values))
        first.append(numpy.mean([slow.marked_first(scores, mark) for mark in marks]))
    file = load_attributions(write(tmp_path / "a.parquet", rows, ["good"]))
    (found,) = causes_table(file).to_dict("records")
    assert found["average precision"] == pytest.approx(numpy.mean(expected))
    assert found["average precision chance"] == pytest.approx(numpy.mean(chance))
    assert found["marked first"] == pytest.approx(numpy.mean(first))
    interval = intervals(numpy.array([[expected]]))
    assert found["average precision low"] == pytest.approx(interval.low[0])
    by_text = truth_by_text(file, "good")
    assert by_text["average precision"].tolist() == pytest.approx(expected)


CONTRARY_ROWS = [
    {"contrary": [0, 1, 1, 0], "signed": [2.0, -1.0, 0.0, -3.0], "plain": [2.0, 1.0, 0.0, 3.0]},
    {"contrary": [1, 0, 0, 0], "signed": [-2.0, 1.0, 1.0, 0.5], "plain": [2.0, 1.0, 1.0, 0.5]},
    # Nothing speaks against the label; the model is wrong; the method failed.
    {"contrary": [0, 0, 0, 0], "signed": [-2.0, 1.0, 1.0, 0.5], "plain": [2.0, 1.0, 1.0, 0.5]},
    {"contrary": [1, 1, 1, 1], "signed": [1.0, 1, 1, 1], "plain": [1.0] * 4, "predicted": "0"},
    {"contrary": [1, 0, 0, 0], "signed": None, "plain": [2.0, 1.0, 1.0, 0.5]},
]


def test_what_speaks_against_the_label_should_have_a_negative_score(tmp_path):
    of_a_text = {"label": "1", "predicted": "1", "rationale": [1, 0, 0, 1]}
    rows = [{**of_a_text, **row} for row in CONTRARY_ROWS]
    signs = {name: {"parameters": {}, "signed": name == "signed"} for name in ("signed", "plain")}
    path = write(tmp_path / "a.parquet", rows, ["signed", "plain"], interpreters=signs, target=None)
    table = causes_table(load_attributions(path)).set_index("method")
    # A score of 0 is not negative.
    assert table.loc["signed", "contrary negative"] == pytest.approx((0.5 + 1) / 2)
    assert table.loc["signed", "negative"] == pytest.approx((2 / 4 + 1 / 4) / 2)
    assert table.loc["signed", "contrary n"] == 2
    assert numpy.isnan(table.loc["plain", "contrary negative"])
    by_text = truth_by_text(load_attributions(path), "signed")["contrary negative"]
    assert by_text.isna().tolist() == [False, False, True, True, True]
    assert main(["causes", str(path)]) == 0


def test_the_command_prints_the_table(tmp_path, capsys):
    assert main(["causes", str(write(tmp_path / "a.parquet", ROWS))]) == 0
    assert "marked first" in capsys.readouterr().out


def test_what_people_have_marked_is_not_called_a_known_cause(tmp_path, capsys):
    planted = {**config(), "dataset_reader": {"type": "planted", "preset": "easy"}}
    for name, given in (("people", config()), ("planted", planted)):
        assert main(["causes", str(write(tmp_path / f"{name}.parquet", ROWS, config=given))]) == 0
    people, known = capsys.readouterr().out.split("people: ")[1].split("planted: ")
    assert "marked by people" in people and "cause" not in people
    assert "known cause" in known and "people" not in known


def test_a_text_in_which_nothing_is_marked_is_no_miss(tmp_path, capsys):
    nothing = {**ROWS[0], "rationale": [0, 0, 0]}
    table = causes_table(load_attributions(write(tmp_path / "a.parquet", [*ROWS, nothing])))
    expected = causes_table(load_attributions(write(tmp_path / "b.parquet", ROWS)))
    assert (table["unmarked"] == 1).all() and (expected["unmarked"] == 0).all()
    counted = table.columns.drop("unmarked")
    pandas.testing.assert_frame_equal(table[counted], expected[counted])
    assert main(["causes", str(tmp_path / "a.parquet")]) == 0
    assert "; 1 text in which nothing is marked left out." in capsys.readouterr().out
    with pytest.raises(AnalysisError, match="marks a token"):
        causes_table(load_attributions(write(tmp_path / "c.parquet", [nothing])))


def test_several_files_stand_side_by_side(tmp_path, capsys):
    one, two = (write(tmp_path / f"{name}.parquet", ROWS) for name in ("one", "two"))
    output = tmp_path / "causes.csv"
    assert main(["causes", str(two), str(one), "-o", str(output)]) == 0
    title, header, *rows = capsys.readouterr().out.splitlines()
    assert title == "marked first"
    assert header.split() == ["method", "two", "one"]
    assert rows[0].split() == ["good", "1.000", "1.000"]
    written = pandas.read_csv(output)
    assert written["file"].tolist() == ["two", "two", "one", "one"] and "low" in written


def test_files_that_cannot_answer_are_rejected(tmp_path):
    bare = [{key: row[key] for key in ("label", "predicted", "bad")} for row in ROWS]
    with pytest.raises(AnalysisError, match="no rationale"):
        causes_table(load_attributions(write(tmp_path / "bare.parquet", bare, ["bad"])))
    wrong = [row for row in ROWS if row["label"] != row["predicted"]]
    with pytest.raises(AnalysisError, match="no text with a rationale is predicted correctly"):
        causes_table(load_attributions(write(tmp_path / "wrong.parquet", wrong)))


def test_files_that_are_no_attributions_are_rejected(tmp_path, capsys):
    absent = tmp_path / "absent.parquet"
    assert main(["causes", str(absent)]) == 2
    assert "no such file" in capsys.readouterr().err
    whole = write(tmp_path / "whole.parquet", ROWS).read_bytes()
    (tmp_path / "cut.parquet").write_bytes(whole[: len(whole) // 2])
    with pytest.raises(AnalysisError, match="cut.parquet: not a readable parquet file"):
        load_attributions(tmp_path / "cut.parquet")
    pyarrow.parquet.write_table(pyarrow.table({"a": [1]}), tmp_path / "other.parquet")
    with pytest.raises(AnalysisError, match="not an attribution file"):
        load_attributions(tmp_path / "other.parquet")
    with pytest.raises(AnalysisError, match="format 9"):
        load_attributions(write(tmp_path / "new.parquet", ROWS, format=9))
    empty = pyarrow.parquet.read_table(tmp_path / "whole.parquet").slice(0, 0)
    pyarrow.parquet.write_table(empty, tmp_path / "empty.parquet")
    with pytest.raises(AnalysisError, match="contains no texts"):
        load_attributions(tmp_path / "empty.parquet")


def test_precision_at_k_and_last_rank_depend_on_the_number_of_marked_tokens(tmp_path):
    rows = [
        {"label": "1", "predicted": "1", "rationale": [1, 0, 1, 0], "good": [4, 3, 2, 1]},
        {"label": "1", "predicted": "1", "rationale": [0, 1, 0], "good": [0, 5, 5]},
    ]
    attributions = load_attributions(write(tmp_path / "a.parquet", rows, ["good"]))
    by_text = truth_by_text(attributions, "good")
    assert by_text["precision@k"].tolist() == [0.5, 0.5]
    assert by_text["last rank"].tolist() == [3, 1.5]
    table = causes_table(attributions).iloc[0]
    assert (table["precision@k"], table["last rank"]) == (0.5, 2.25)
    # k / n, and k (n + 1) / (k + 1).
    assert table["precision@k chance"] == pytest.approx((2 / 4 + 1 / 3) / 2)
    assert table["last rank chance"] == pytest.approx((2 * 5 / 3 + 4 / 2) / 2)
