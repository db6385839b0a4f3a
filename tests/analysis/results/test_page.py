"""RESULTS.md says what was run, what holds, and how to make each table again."""

import json

import pandas
import pytest

from analysis.__main__ import main
from analysis.manifest import read_manifest
from analysis.output import Output
from tests.analysis.papers.claimed_rows import SPARSE, adversary
from tests.analysis.papers.jain_wallace.claim_cases import pairs
from tests.analysis.papers.neely_schouten.claim_cases import top_k, usage

COMMAND = "make study STUDY=jain_wallace_2019 CORPORA=sst"
ACCOUNT = {
    "title": "Jain & Wallace 2019",
    "command": COMMAND,
    "corpora": ["sst"],
    "seeds": [1, 2, 3],
    "limit": 500,
    "runs": 18,
    "recovered": 1,
    "seconds": {"train": 3600, "table": 1800},
    "cores": 2,
    "gpus": 0,
    "elapsed": 7200,
    "machine": {"processor": "A processor", "cores": 2, "memory": "24 GiB", "python": "3.11"},
    "versions": {"torch": "2.1"},
}


def controlled(rows):
    more = {"random mean": 0.01, "permuted mean": 0.0, "significant": 0.5, "significant BH": 0.4}
    more |= {f"above permuted{end}": 0.3 for end in ("", " low", " high")}
    return [{**row, **more} for row in rows]


@pytest.fixture
def study(tmp_path):
    folder = tmp_path / "results" / "jain_wallace_2019-sst"
    output = Output(folder, "Jain & Wallace 2019")
    rows = controlled([*pairs(0.3, 0.6), *pairs(0.7, 0.8, **SPARSE)])
    table = pandas.DataFrame(rows)
    shown = table[["corpus", "model", "importance", "mean"]].assign(published=0.35)
    output.table("jain-wallace-correlations", table, "Correlations.", "A note.", shown)
    many = pandas.DataFrame({"row": range(100)})
    output.table("long", many, "Long.")
    both = [*top_k("as-published", 0.9, 0.88), *top_k("fagin", 0.4, -0.5)]
    output.table("neely-schouten-table-2", pandas.DataFrame(both), "Top k.")
    published = {"published tvd": 0.076, "published jsd": 0.62, "lambda as published": 0.001}
    rows = [{**row, **published} for row in adversary(0.6)]
    output.table("wiegreffe-pinter-table-5", pandas.DataFrame(rows), "Adversaries.")
    output.sentence("found", "It was found.")
    output.finish(["python"])
    (folder / "study.json").write_text(json.dumps(ACCOUNT))
    assert main(["claims", str(folder)]) == 0
    return folder


def page(study):
    path = study.parents[1] / "RESULTS.md"
    assert main(["results", str(study), "-o", str(path)]) == 0
    return path.read_text()


def test_what_was_run_is_told_with_machine_and_time(study):
    text = page(study)
    assert f"| 3 | 500 | 18 | 1.5 h | 2.0 h on 2 cores | `{COMMAND}` |" in text
    assert "2 cores of A processor, 24 GiB, no GPU; Python 3.11, torch 2.1." in text
    assert "1 trainings were interrupted" in text


def test_a_claim_has_its_outcome_and_the_number_it_rests_on(study):
    text = page(study)
    link = "results/jain_wallace_2019-sst/jain-wallace-correlations.csv"
    assert "| sst | **holds** for 1 of 2 models, does not hold for 1 |" in text
    evidence = "bilstm tanh softmax, 3 seeds: tau with gradient 0.300 [0.290, 0.310];"
    (line,) = [line for line in text.splitlines() if evidence in line]
    assert line.endswith(f"([table]({link})) |") and "is below 0.5 with each.*" in line


def test_a_folder_of_an_earlier_version_is_read_by_its_earlier_columns(study):
    text = page(study)
    manifest = read_manifest(study)
    del manifest["written"]
    (study / "manifest.json").write_text(json.dumps(manifest))
    written = (study / "claims.csv").read_text()
    (study / "claims.csv").write_text(written.replace(",outcome,", ",verdict,"))
    assert ",verdict," in (study / "claims.csv").read_text() and page(study) == text


def test_every_table_names_its_command_and_long_ones_are_linked(study):
    text = page(study)
    link = "results/jain_wallace_2019-sst/long.csv"
    assert f"**[Long]({link})** (3 seeds; `{COMMAND}`)" in text
    assert f"[100 rows]({link.replace('csv', 'md')})." in text and "| 99 |" not in text
    assert "| sst | bilstm tanh softmax | gradient | 0.300 | 0.350 |" in text
    assert "- It was found." in text


def test_corrections_stand_beside_what_they_correct(study):
    text = page(study)
    assert "| gradient | 0.900 [0.890, 0.910] | 0.880 | 0.400 [0.390, 0.410] | -0.500 |" in text
    assert "| sst | 0.001 | 0.038 | 0.076 | 0.050 [0.040, 0.060] | 0.620 | 0.600 " in text


def test_a_study_that_is_not_finished_is_named(tmp_path, capsys):
    assert main(["results", str(tmp_path), "-o", str(tmp_path / "RESULTS.md")]) == 2
    assert "no finished study, study.json is missing" in capsys.readouterr().err


def test_what_takes_many_models_is_judged_over_all_studies(study, tmp_path):
    other = tmp_path / "results" / "other"
    for folder, rows in ((study, usage(-1.0)[:3]), (other, usage(-1.0)[3:])):
        output = Output(folder, "Neely & Schouten 2020")
        output.table("neely-schouten-usage", pandas.DataFrame(rows), "Usage.")
        output.finish(["python"])
        account = {**ACCOUNT, "title": folder.name, "command": f"make {folder.name}"}
        (folder / "study.json").write_text(json.dumps(account))
        assert main(["claims", str(folder)]) == 0
    path = tmp_path / "RESULTS.md"
    assert main(["results", str(study), str(other), "-o", str(path)]) == 0
    text = path.read_text()
    assert "Spearman's -1.00, p 0.000, 6 models" in text
    assert "3 models, 5 are needed" not in text
