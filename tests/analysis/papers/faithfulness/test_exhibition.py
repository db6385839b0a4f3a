"""`python -m analysis table faithfulness`: its output and its error messages."""

import pytest

from analysis.__main__ import main
from analysis.faithfulness.scale import measured
from analysis.formats import read_csv
from tests.analysis.attribution_files import random_rows, write_attributions
from tests.analysis.faithfulness.faithfulness_files import judged_rows, write_faithfulness

WRITTEN = ("faithfulness-delete", "faithfulness-unk", "faithfulness-values")
WRITTEN += ("faithfulness-differences", "faithfulness-erasures")


def test_all_tables_and_figures(tmp_path, capsys):
    put_together = measured.cache_info().misses
    for seed in (1, 2, 3):
        write_faithfulness(tmp_path / f"{seed}.parquet", judged_rows(seed=seed), seed)
    out = tmp_path / "out"
    assert main(["table", "faithfulness", str(tmp_path), "-o", str(out)]) == 0
    for name in WRITTEN:
        assert len(read_csv(out / f"{name}.csv"))
    for name in ("comprehensiveness-scale", "sufficiency-scale", "deletion-curve-delete"):
        assert (out / f"faithfulness-{name}.svg").stat().st_size
    said = capsys.readouterr()
    assert "lrp has the highest score between chance (0) and the best possible (1), 0.8" in said.out
    assert "attention 0." in said.out
    shown = (out / "faithfulness-delete.md").read_text()
    assert "| random (value) |" in shown and "| search (value) |" in shown
    assert measured.cache_info().misses == put_together + 1


def test_a_model_that_learned_nothing_is_not_judged(tmp_path, capsys):
    rows = judged_rows()
    for row in rows:
        row["predicted"] = "0"
    write_faithfulness(tmp_path / "1.parquet", rows)
    assert main(["table", "faithfulness", str(tmp_path), "-o", str(tmp_path / "out")]) == 0
    assert "nothing to judge" in capsys.readouterr().out


@pytest.mark.parametrize(
    "rows, sentence",
    [
        ([], "contains no texts"),
        ([{**row, "measure": "other"} for row in judged_rows(1)], None),
    ],
)
def test_files_of_another_shape(tmp_path, capsys, rows, sentence):
    path = write_faithfulness(tmp_path / "1.parquet", rows)
    code = main(["table", "faithfulness", str(path), "-o", str(tmp_path / "out")])
    assert (code != 0) == (sentence is not None)
    assert sentence is None or sentence in capsys.readouterr().err


def test_attribution_files_alone_are_not_enough(tmp_path, capsys):
    path = tmp_path / "1.parquet"
    write_attributions(path, random_rows())
    assert main(["table", "faithfulness", str(path), "-o", str(tmp_path / "out")]) != 0
    assert "faithfulness files" in capsys.readouterr().err
