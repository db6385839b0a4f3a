"""Adversaries that were trained, frozen and not, next to the published ones."""

from analysis.papers.meister.correlations import table_5 as meister_table_5
from analysis.papers.shared.study_files import load_study
from analysis.papers.wiegreffe_pinter.adversaries import table_5
from tests.analysis.papers.families import adversary_config, text_rows, write_family, write_model
from tests.analysis.papers.written import tables


def test_meister_keeps_frozen_and_unfrozen_apart(tmp_path):
    folder = write_family(tmp_path / "runs", lambdas=(0, 0.001, 0.02))
    given = adversary_config(folder / "base", 0.001, frozen=True, corpus="sst")
    write_model(folder / "frozen.parquet", text_rows(0.1, 0.02, seed=7), given)
    table = tables(meister_table_5, load_study([folder]), tmp_path / "out")["meister-table-5"]
    rows = table.set_index(["frozen", "lambda"])
    assert rows.loc[(True, 0.001), "published accuracy"] == 0.76
    assert rows.loc[(False, 0.001), "published accuracy"] == 0.82
    assert rows.loc[(True, 0.001), "published jsd"] == 0.62
    # Wiegreffe & Pinter's tables are without the frozen one.
    study = load_study([folder])
    assert len(tables(table_5, study, tmp_path / "two")["wiegreffe-pinter-table-5"]) == 3
