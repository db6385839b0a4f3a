"""The table of verdicts agrees with `allennlp verdict` for each model."""

import pytest

from analysis.__main__ import main
from analysis.formats import read_csv
from analysis.verdict.verdict import verdict_on
from tests.analysis.verdict.verdict_files import SCORES, write_folder


def written(tmp_path, *folders):
    paths = [str(folder / "files") for folder in folders]
    assert main(["table", "verdicts", *paths, "-o", str(tmp_path / "out")]) == 0
    table = read_csv(tmp_path / "out" / "verdicts.csv").astype(object).fillna("")
    return table.set_index("corpus"), (tmp_path / "out" / "verdicts.md").read_text()


def test_a_row_agrees_with_the_verdict_on_the_model(tmp_path):
    folders = {
        corpus: write_folder(
            tmp_path / corpus, seeds=3, corpus=corpus, scores={**SCORES, "attention": at}
        )
        for corpus, at in (("untrue", 0.1), ("true", 0.8))
    }
    table, shown = written(tmp_path, *folders.values())
    assert list(table["answer"]) == ["no", "yes"]
    for corpus, folder in folders.items():
        alone, row = verdict_on(folder), table.loc[corpus]
        assert row["answer"] == alone.answer
        assert row["attention"] == pytest.approx(alone.score.mean)
        assert row["attention low"] == pytest.approx(alone.score.low)
        assert row["recommended"] == alone.recommended.method
        assert row["recommended score"] == pytest.approx(
            alone.method(row["recommended"]).score.mean
        )
        answers = [str(each.answer) for each in alone.findings]
        names = [each.question.column for each in alone.findings]
        assert names[:2] == ["finds the words that matter", "gives a direction"]
        assert list(row[names]) == answers
    assert "trust attention?" in shown and "its score [95 %]" in shown


def test_a_model_that_learned_nothing_has_a_row_without_an_answer(tmp_path):
    nothing = write_folder(tmp_path / "nothing", corpus="nothing", learned=False)
    table, _ = written(tmp_path, nothing, write_folder(tmp_path / "learned", corpus="learned"))
    assert table.loc["nothing", "answer"] == "" and table.loc["nothing", "recommended"] == ""
    assert table.loc["nothing", "attention"] == ""
    assert "majority" in table.loc["nothing", "nothing to judge"]
    assert table.loc["learned", "answer"] == "no"


def test_files_that_are_not_enough_for_a_verdict_have_no_table(tmp_path, capsys):
    folder = write_folder(tmp_path / "a")
    (folder / "files/faithfulness-1.parquet").unlink()
    arguments = ["table", "verdicts", str(folder / "files"), "-o", str(tmp_path / "out")]
    assert main(arguments) != 0
    assert "faithfulness files" in capsys.readouterr().err


def test_the_error_says_what_is_missing_for_a_verdict(tmp_path, capsys):
    few, many = (write_folder(tmp_path / str(texts), texts=texts) for texts in (20, 30))
    explained, judged = many / "files/attributions-1.parquet", few / "files/faithfulness-1.parquet"
    output = ["-o", str(tmp_path / "out")]
    for files, lacking in (
        ([explained], "there is no faithfulness file"),
        ([judged], "there is no attribution file"),
        ([explained, judged], f"{explained} has 30 texts, {judged} 20; use the same --limit"),
    ):
        assert main(["table", "verdicts", *map(str, files), *output]) == 2
        assert lacking in capsys.readouterr().err


def test_a_second_call_says_what_it_replaces(tmp_path, capsys):
    folder = write_folder(tmp_path / "a")

    def written_by(name):
        arguments = ["table", name, str(folder / "files"), "-o", str(tmp_path / "out")]
        assert main(arguments) == 0
        return capsys.readouterr().out

    assert "earlier command" not in written_by("verdicts")
    assert f"replaced in {tmp_path / 'out'}, of an earlier command: verdicts\n" in (
        written_by("verdicts")
    )
    # Another part of the same exhibition takes its place.
    said = written_by("faithfulness-erasures")
    assert f"removed in {tmp_path / 'out'}, of an earlier command: verdicts\n" in said
    assert not (tmp_path / "out/verdicts.csv").exists()


def test_models_whose_predictions_depend_on_attention_come_first(tmp_path):
    folders = [
        write_folder(tmp_path / corpus, corpus=corpus, flips=flips)
        for corpus, flips in (("unused", 0.0), ("used", 0.2), ("hardly", 0.04))
    ]
    table, shown = written(tmp_path, *folders)
    assert next(iter(table.index)) == "used"
    assert table["predictions depend on attention"].to_dict() == {
        "used": "yes", "unused": "no", "hardly": "no",
    }  # fmt: skip
    assert table.loc["unused", "headline"].startswith("No: this model barely uses its attention")
    assert "depends on attention?" in shown
