"""`python -m analysis plausibility`: what it writes and says, and what it rejects."""

import pandas
import pytest

from analysis.__main__ import main
from tests.analysis.attribution_files import config, random_rows, write_attributions


def write(path, seed=1, **given):
    rows = random_rows(12, seed=seed, noise=0.3, rationale=True)
    return write_attributions(path, rows, config=config(seed), target=None, **given)


def test_the_folder_has_the_table_and_says_that_plausible_is_not_faithful(tmp_path, capsys):
    files = [write(tmp_path / f"{seed}.parquet", seed) for seed in (1, 2, 3)]
    folder = tmp_path / "out"
    arguments = ["plausibility", *map(str, files), "-o", str(folder), "--shares", "0.25"]
    assert main(arguments) == 0
    said = capsys.readouterr().out
    assert "Plausible is not faithful" in said and "token-f1:share=0.25" in said
    table = pandas.read_csv(folder / "plausibility.csv")
    assert set(table["seeds"]) == {3} and set(table["interval over"]) == {"texts and seeds"}
    assert set(table["measure"]) == {
        "token-f1", "iou-f1", "token-f1:share=0.25", "iou-f1:share=0.25", "auprc",
        "average-precision", "first-marked", "mass",
    }  # fmt: skip
    # Methods that see the truth through little noise.
    assert (table["above chance low"] > 0).any()
    before = (folder / "plausibility.csv").read_bytes()
    assert main(arguments) == 0 and (folder / "plausibility.csv").read_bytes() == before
    assert main(["report", str(folder)]) == 0
    assert "Plausibility" in (folder / "report.html").read_text()


def test_what_cannot_be_is_rejected(tmp_path, capsys):
    file = str(write(tmp_path / "a.parquet"))
    for share in ("0", "1.5", "many"):
        with pytest.raises(SystemExit):
            main(["plausibility", file, "-o", str(tmp_path / "out"), "--shares", share])
        assert "has to lie between 0 and 1" in capsys.readouterr().err
    bare = write_attributions(tmp_path / "bare.parquet", random_rows(3))
    assert main(["plausibility", str(bare), "-o", str(tmp_path / "out")]) == 2
    assert "have no rationale" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()
