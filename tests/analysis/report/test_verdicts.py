"""The report begins with a verdict on each model of which there is enough to judge."""

import re

import pytest

from analysis.manifest import read_manifest
from analysis.output import Output
from analysis.papers.shared.study_files import load_study
from analysis.report.page import report, verdicts
from analysis.report.provenance import load_inputs
from analysis.verdict.verdict import verdict_on
from tests.analysis.verdict.verdict_files import SCORES, write_folder


def output_folder(folder, *locations):
    """Of a study that read these files."""
    output = Output(folder, "agreement")
    output.sentence("finding", "Something.")
    output.finish(["python"], load_study(locations).sources)
    return folder


def first_section(page):
    return re.search(r"<main>\n<section id=([\w-]+)", page).group(1)


@pytest.mark.parametrize("seeds", [1, 3])
def test_the_report_begins_with_the_block_of_the_verdict(tmp_path, seeds):
    folder = write_folder(tmp_path / "a", texts=40, seeds=seeds, adversary=(1.0, 0.0))
    out = output_folder(tmp_path / "out", folder / "files")
    page = report(out)
    assert first_section(page) == "verdict"
    assert page.count("class=block") == 1 and page.count("<li class=axis") == 1
    alone = verdict_on(folder)
    (found,) = verdicts(load_inputs(read_manifest(out)))
    assert found.as_json() == alone.as_json()
    assert "cannot be read" not in page
    # Nothing leads to evidence that is not there.
    targets = re.findall(r"href=#([\w-]+)", page)
    assert all(f"id={target}" in page for target in targets)


@pytest.mark.parametrize("without", ["faithfulness", "perturbations", "measures"])
def test_where_faithfulness_was_not_measured_nothing_is_claimed(tmp_path, without):
    folder = write_folder(tmp_path / "a", texts=30)
    if without == "measures":
        write_folder(folder, texts=30, erasures=())
    else:
        (folder / f"files/{without}-1.parquet").unlink()
    page = report(output_folder(tmp_path / "out", folder / "files"))
    assert (first_section(page) == "verdict") is (without == "perturbations")
    assert ("class=block" in page) is (without == "perturbations")
    assert ("Inconclusive: no other weights were tried" in page) is (without == "perturbations")


def test_other_texts_and_other_weights_are_not_put_together(tmp_path):
    folder = write_folder(tmp_path / "a", texts=30)
    other = write_folder(tmp_path / "b", texts=20)
    files = ("attributions-1.parquet", "perturbations-1.parquet")
    locations = [
        *(folder / "files" / name for name in files),
        other / "files/faithfulness-1.parquet",
    ]
    assert "class=block" not in report(output_folder(tmp_path / "out", *locations))


def test_of_many_models_each_has_a_line_that_opens_its_block(tmp_path):
    folders = [
        write_folder(tmp_path / corpus, texts=30, corpus=corpus, scores={**SCORES, "attention": at})
        for corpus, at in (("one", 0.1), ("<two>", 0.9), ("three", 0.4))
    ]
    locations = [folder / "files" for folder in folders]
    page = report(output_folder(tmp_path / "out", *locations))
    assert page.count("class=block") == 3
    lines = re.findall(r"<summary>(.* on .*): <b class=(\w+)>", page)
    assert [kind for _, kind in lines] == ["no", "yes", "partly"]
    assert lines[1][0] == "bilstm tanh softmax on &lt;two&gt;"
