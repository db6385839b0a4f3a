"""Neely & Schouten's Table 1 and their densities."""

import pandas

from analysis.output import Output
from analysis.papers.neely_schouten.correlations import table_1, tau_densities
from analysis.papers.shared.study_files import load_models
from tests.analysis.papers.studies import write_run


def test_table_1_is_compared_with_tanh_and_softmax_alone(tmp_path):
    models = load_models(
        [
            write_run(tmp_path / "tanh.parquet"),
            write_run(tmp_path / "dot.parquet", scorer="scaled_dot"),
            write_run(tmp_path / "sparse.parquet", projection="sparsemax"),
        ]
    )
    output = Output(tmp_path / "out", "Neely & Schouten 2020")
    table_1(models, output)
    output.finish(["test"])
    table = pandas.read_csv(tmp_path / "out" / "neely-schouten-table-1.csv")
    compared = table[table["published"].notna()]
    assert set(compared["model"]) == {"bilstm tanh softmax"}
    assert compared.set_index(["importance", "predicted"])["published"].to_dict() == {
        ("gradient", "0"): 0.28,
        ("gradient", "1"): 0.186,
        ("leave-one-out", "0"): 0.214,
        ("leave-one-out", "1"): 0.174,
    }
    assert set(table["model"]) == {model.name for model in models}


def test_densities_have_one_figure_per_scorer_and_one_panel_per_projection(tmp_path, monkeypatch):
    drawn = []

    def densities(panels, *arguments, **options):
        drawn.append([(panel.title, list(panel.series)) for panel in panels])
        return None

    monkeypatch.setattr("analysis.papers.neely_schouten.correlations.densities", densities)
    monkeypatch.setattr(Output, "figure", lambda self, name, *rest: self.entries.append(name))
    models = load_models(
        [
            write_run(
                tmp_path / f"{scorer}_{projection}.parquet", scorer=scorer, projection=projection
            )
            for scorer in ("additive", "scaled_dot")
            for projection in ("softmax", "sparsemax")
        ]
    )
    output = Output(tmp_path / "out", "Neely & Schouten 2020")
    tau_densities(models, output)
    assert output.entries == [
        "neely-schouten-densities-sst-bilstm-tanh",
        "neely-schouten-densities-sst-bilstm-dot",
    ]
    pairs = ["attention, gradient", "attention, leave-one-out", "gradient, leave-one-out"]
    assert drawn[0] == [("bilstm tanh softmax", pairs), ("bilstm tanh sparsemax", pairs)]
