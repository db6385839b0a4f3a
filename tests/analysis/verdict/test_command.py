"""`python -m analysis verdict`: output on the terminal, files and exit codes."""

import json
import re

import pytest

from analysis.__main__ import main
from analysis.errors import AnalysisError
from analysis.verdict.output import write_if_nothing_to_judge
from analysis.verdict.verdict import verdict_on
from tests.analysis.attribution_files import config, random_rows, write_attributions
from tests.analysis.verdict.verdict_files import DATA, SCORES, write_folder


@pytest.fixture(autouse=True)
def no_figures(monkeypatch):
    """Skip drawing figures, which is slow."""
    monkeypatch.setattr("analysis.verdict.page._figure", lambda *arguments: "")


def run(folder, *options):
    return main(["verdict", str(folder), *options])


def test_the_answer_is_printed_and_written(tmp_path, capsys):
    assert run(write_folder(tmp_path)) == 0
    printed = capsys.readouterr().out.splitlines()
    assert len(printed) <= 15
    assert printed[0] == "No: attention misses most of the words that matter; show lrp instead"
    assert printed[1].startswith(
        "  Can attention be trusted as the explanation of bilstm tanh softmax"
    )
    assert printed[2].startswith("  lrp, the best other method, scores 0.")
    assert printed[3].startswith("  Next: Show lrp: it finds the words that matter and says")
    assert str(tmp_path / "verdict.html") in printed[-1]
    written = json.loads((tmp_path / "verdict.json").read_text())
    assert written["weights_sha256"] == ["small 1"]
    assert written["attention"]["answer"] == "no"
    assert (
        written["attention"]["low"] < written["attention"]["score"] == pytest.approx(0.1, abs=0.05)
    )
    assert [each["name"] for each in written["questions"]] == [
        "where", "direction", "necessary", "sufficient", "used", "unique", "specific", "stable",
    ]  # fmt: skip
    fields = [
        "name",
        "question",
        "answer",
        "measure",
        "value",
        "low",
        "high",
        "bound",
        "sentence",
        "papers",
        "texts_needed",
        "texts_missing",
    ]
    assert all(list(each) == fields for each in written["questions"])
    assert [each["name"] for each in written["methods"]] == ["lrp", "gradient", "attention"]
    assert list(written["methods"][0]) == [
        "name", "signed", "score", "low", "high", "direction", "direction_low", "direction_high",
        "forward", "backward", "group", "texts_needed",
    ]  # fmt: skip
    assert written["recommended"]["method"] == written["recommended"]["direction"] == "lrp"
    assert written["nothing"] == "" and written["edition"] == 2
    assert written["headline"] == printed[0] and written["depends_on_attention"] is True
    best = written["attention"]["compared"]["best"]
    assert best["method"] == "lrp" and best["low"] < best["difference"] < best["high"]
    assert best["difference"] == pytest.approx(0.8, abs=0.05)
    assert (written["texts"], written["seeds"], written["corpus"]) == (100, 1, "small")
    assert "## All methods" in (tmp_path / "verdict.md").read_text()


def test_an_inconclusive_answer_gives_the_number_of_texts_needed(tmp_path, capsys):
    assert (
        run(write_folder(tmp_path, scores={**SCORES, "attention": 0.6, "lrp": 0.7}, spread=1.0))
        == 0
    )
    assert re.search(
        r"words that matter\? +inconclusive: .*; about [\d,]+ texts would decide",
        capsys.readouterr().out,
    )
    finding = json.loads((tmp_path / "verdict.json").read_text())["questions"][0]
    assert finding["answer"] == "inconclusive" and finding["texts_needed"] > 100


@pytest.mark.parametrize("bound, code", [("0.05", 0), ("0.5", 1)])
def test_fail_under_is_about_attention_s_score(tmp_path, capsys, bound, code):
    assert run(write_folder(tmp_path), "--fail-under", bound) == code
    assert ("--fail-under is 0.5" in capsys.readouterr().err) is bool(code)


def test_there_is_nothing_to_judge_in_a_model_that_learned_nothing(tmp_path, capsys):
    assert run(write_folder(tmp_path, learned=False, scores={"attention": 0.9, "lrp": 0.9})) == 0
    assert "Inconclusive: there is nothing to judge (accuracy 0." in capsys.readouterr().out
    written = json.loads((tmp_path / "verdict.json").read_text())
    assert written["nothing"].startswith("accuracy")
    assert written["attention"] == {
        "answer": "inconclusive", "score": None, "low": None, "high": None,
        "reason": "there is nothing to judge", "compared": {},
    }  # fmt: skip
    assert {each["answer"] for each in written["questions"]} == {"inconclusive"}
    assert written["methods"] == [] and written["recommended"]["method"] is None
    assert run(tmp_path, "--fail-under", "0.0") == 1


@pytest.mark.parametrize("seeds", [1, 3])
def test_predictions_are_enough_where_there_is_nothing_to_judge(tmp_path, capsys, seeds):
    long = write_folder(tmp_path / "long", learned=False, seeds=seeds)
    assert run(long, "--rationales") == 0
    said = capsys.readouterr().out.replace(str(long), "")
    short = tmp_path / "short"
    (short / "predictions").mkdir(parents=True)
    for path in (long / "files").glob("attributions-*"):
        path.rename(short / "predictions" / path.name)
    assert write_if_nothing_to_judge(short) is not None
    assert capsys.readouterr().out.replace(str(short), "") == said
    written = (short / "verdict.json").read_text()
    assert written == (long / "verdict.json").read_text()
    # Without other files, the folder is judged by its predictions.
    (short / "verdict.json").unlink()
    assert run(short) == 0 and (short / "verdict.json").read_text() == written


def test_predictions_are_not_enough_where_there_is_something_to_judge(tmp_path, capsys):
    folder = write_folder(tmp_path)
    (folder / "files").rename(folder / "predictions")
    for path in (folder / "predictions").glob("[pf]*-1.parquet"):
        path.unlink()
    assert write_if_nothing_to_judge(folder) is None
    assert capsys.readouterr().out == "" and not (folder / "verdict.json").exists()
    assert run(folder) == 2 and "has no faithfulness file" in capsys.readouterr().err


def test_files_may_lie_anywhere(tmp_path):
    folder = write_folder(tmp_path / "a", seeds=2)
    paths = [
        path.rename(tmp_path / f"{index}.parquet")
        for index, path in enumerate(sorted((folder / "files").iterdir()))
    ]
    verdict = verdict_on(paths)
    assert (verdict.seeds, verdict.texts, verdict.answer) == (2, 100, "no")
    with pytest.raises(AnalysisError, match="has no faithfulness file"):
        verdict_on([paths[0]])


def test_a_verdict_is_about_one_model(tmp_path, capsys):
    folder = write_folder(tmp_path)
    rows = random_rows(100, list(SCORES), 1, 0.1, longest=10)
    write_attributions(folder / "files/attributions-2.parquet", rows, list(SCORES),
                       config(1, encoder="affine"), data_sha256=DATA)  # fmt: skip
    assert run(folder) == 2
    assert "are not from seeds of one model" in capsys.readouterr().err


@pytest.mark.parametrize("kind", ["attributions", "faithfulness"])
def test_missing_files_are_named_with_the_command_that_makes_them(tmp_path, capsys, kind):
    folder = write_folder(tmp_path)
    (folder / f"files/{kind}-1.parquet").unlink()
    assert run(folder) == 2
    error = capsys.readouterr().err
    assert "allennlp" in error and error.count("\n") == 1
    assert not (folder / "verdict.json").exists()


def test_a_folder_without_files_and_one_without_attention_are_errors(tmp_path, capsys):
    assert run(tmp_path) == 2
    assert "has no folder 'files'" in capsys.readouterr().err
    folder = write_folder(tmp_path / "a")
    rows = random_rows(100, ["lrp"], 1, 0.1, longest=10)
    write_attributions(
        folder / "files/attributions-1.parquet", rows, ["lrp"], config(1), data_sha256=DATA
    )
    assert run(folder) == 2
    assert "has no method 'attention'" in capsys.readouterr().err


@pytest.mark.parametrize("name", ["verdict.md", "verdict.html", "verdict.json"])
def test_files_of_the_user_are_not_replaced(tmp_path, name):
    write_folder(tmp_path)
    (tmp_path / name).write_text("my notes")
    assert run(tmp_path) == 2
    assert (tmp_path / name).read_text() == "my notes"
    (tmp_path / name).unlink()
    for _ in range(2):
        assert run(tmp_path) == 0


def test_a_folder_of_an_earlier_version_is_read_with_a_notice(tmp_path, capsys):
    assert run(write_folder(tmp_path, relevance=False)) == 0
    printed = capsys.readouterr().out
    assert printed.startswith("Inconclusive: these files do not say which words matter")
    assert "made by an earlier version" in printed and "Run `allennlp verdict` again" in printed
    written = json.loads((tmp_path / "verdict.json").read_text())
    answers = {each["name"]: each["answer"] for each in written["questions"]}
    assert answers["where"] == answers["direction"] == "inconclusive"
    assert answers["necessary"] == answers["sufficient"] == "no"
    assert written["attention"]["score"] == pytest.approx(0.1, abs=0.05)
    assert [each["name"] for each in written["methods"]] == ["lrp", "gradient", "attention"]
    assert written["attention"]["reason"] == "relevance was not measured"
    assert "comprehensiveness and sufficiency" in (tmp_path / "verdict.html").read_text()
