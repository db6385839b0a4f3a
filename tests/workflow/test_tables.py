"""Tables at the end of a plan; in a folder of results those stay that the study asks for."""

from types import SimpleNamespace

import pandas
import pytest

from analysis.manifest import MANIFEST, read_manifest
from analysis.output import Output
from attention_explain.workflow.plan import WantedTable, drop_unwanted, table_steps
from attention_explain.workflow.study import StudyTable
from tests.workflow.fake_steps import fake_table

SECTIONS = {"Paper": ("table", "paper"), "agreement": ("agreement",), "By hand": ("table", "mine")}


def step(folder, name):
    return fake_table(folder, name)


@pytest.fixture
def results(tmp_path):
    for section, words in SECTIONS.items():
        output = Output(tmp_path, section)
        output.table(f"{words[-1]}-1", pandas.DataFrame({"a": [1]}), "A table.")
        read = tmp_path / f"{words[-1]}.parquet"
        read.touch()
        output.finish(["python", "-m", "analysis", *words], [SimpleNamespace(path=read)])
        if section != "By hand":
            step(tmp_path, words[-1]).record(1)
    return tmp_path


def sections(folder):
    return [entry["section"] for entry in read_manifest(folder)["entries"]]


def test_what_the_study_no_longer_asks_for_goes_and_what_is_by_hand_stays(results):
    drop_unwanted(results, [step(results, "paper")])
    assert sections(results) == ["Paper", "By hand"]
    assert not (results / "agreement-1.csv").exists()
    assert {path.name for path in results.glob("*.csv")} == {"paper-1.csv", "mine-1.csv"}
    files = {file["path"] for file in read_manifest(results)["files"]}
    assert files == {str(results / "paper.parquet"), str(results / "mine.parquet")}


def test_what_it_asks_for_stays_as_it_is(results):
    before = (results / MANIFEST).read_bytes()
    drop_unwanted(results, [step(results, "paper"), step(results, "agreement")])
    assert (results / MANIFEST).read_bytes() == before


def test_a_broken_list_is_left_to_the_step_that_reads_it(results):
    (results / MANIFEST).write_text("{")
    drop_unwanted(results, [])
    assert (results / MANIFEST).read_text() == "{"


def test_a_folder_of_plain_csv_alone_has_no_page(tmp_path):
    def wanted(folder, *commands):
        return [
            WantedTable(StudyTable(command, (), ()), folder, command, {"a.parquet": "attribute-a"})
            for command in commands
        ]

    alone, together = tmp_path / "alone", tmp_path / "together"
    steps = table_steps(
        [*wanted(alone, "causes"), *wanted(together, "causes", "agreement")], tmp_path
    )
    made = [(step.folder, step.result) for step in steps]
    assert [name for folder, name in made if folder == str(alone)] == ["causes"]
    assert [name for folder, name in made if folder == str(together)] == [
        *("causes", "agreement", "claims", "report")
    ]
