"""Hits of hybrid documents by their definition."""

import pytest

from analysis.__main__ import main
from analysis.errors import AnalysisError
from analysis.text_files import load_attributions
from analysis.truth.hybrid import hybrid_table
from tests.analysis.attribution_files import write_attributions

ROWS = [
    {
        "predicted": "1",
        "fragments": ["0", "0", "1", "1"],
        "good": [0, 1, 5, 2],
        "bad": [4, 1, 0, 0],
    },
    {
        "predicted": "0",
        "fragments": ["0", "1", "1", "1"],
        "good": [3, 1, 2, 2],
        "bad": [1, 1, 0, 0],
    },
    {"label": "1", "predicted": "1", "fragments": ["1", "0"], "good": None, "bad": [0, 1]},
    # No fragment is of the predicted class.
    {"label": "1", "predicted": "2", "fragments": ["0", "1"], "good": [0, 1], "bad": [1, 0]},
]


def write(path, rows=ROWS):
    complete = [
        {
            "id": f"h{n}",
            "label": "0",
            "tokens": ["w"] * len(row["bad"]),
            "probs": [0.2, 0.3, 0.5],
            **row,
        }
        for n, row in enumerate(rows)
    ]
    return write_attributions(path, complete, ("good", "bad"), labels=["0", "1", "2"])


def test_a_hit_is_a_top_word_of_the_predicted_class(tmp_path):
    table = hybrid_table([load_attributions(write(tmp_path / "a.parquet"))]).set_index("method")
    assert table.loc["good", ["hit", "documents"]].tolist() == [1.0, 2]
    # Of two tied words one is of the class.
    assert table.loc["bad", "hit"] == pytest.approx((0 + 1 / 2 + 0) / 3)
    assert table["random scores"].iloc[0] == pytest.approx((2 / 4 + 1 / 4 + 1 / 2) / 3)


def test_seeds_must_have_the_same_documents(tmp_path):
    first = load_attributions(write(tmp_path / "a.parquet"))
    other = load_attributions(write(tmp_path / "b.parquet", ROWS[:3]))
    with pytest.raises(AnalysisError, match="its documents are not those of"):
        hybrid_table([first, other])
    assert set(hybrid_table([first, first, first])["seeds"]) == {3}


def test_files_without_hybrid_documents_are_an_error(tmp_path):
    rows = [{name: value for name, value in row.items() if name != "fragments"} for row in ROWS]
    with pytest.raises(AnalysisError, match="has no hybrid documents"):
        hybrid_table([load_attributions(write(tmp_path / "a.parquet", rows))])


def test_the_command_prints_and_writes_the_table(tmp_path, capsys):
    file = write(tmp_path / "a.parquet")
    assert not main(["hybrid", str(file), "-o", str(tmp_path / "table.csv")])
    assert "good" in capsys.readouterr().out
    header = (tmp_path / "table.csv").read_text().splitlines()[0]
    assert header == "method,hit,low,high,random scores,documents,seeds"
