"""What a study took is written next to its tables, with the command that does it again."""

import json
from pathlib import Path

import pytest

from attention_explain.workflow import progress
from attention_explain.workflow.__main__ import main
from attention_explain.workflow.kinds import TRAIN
from attention_explain.workflow.progress import Clock, write_account
from tests.workflow.fake_steps import fake_files, fake_plan
from tests.workflow.studies import planned


def test_the_account_adds_up_what_steps_took(tmp_path):
    plan = planned(tmp_path)
    trained = [step for step in plan.steps.values() if step.kind == TRAIN]
    for step in trained:
        folder = Path(step.folder)
        folder.mkdir(parents=True)
        (folder / "config.json").write_text("{}")
        step.record(30)
    (Path(trained[0].folder) / "recovered").touch()
    plan.results.mkdir(parents=True)
    write_account(plan, "make study STUDY=family", 2, 0, 12.4)
    written = json.loads((plan.results / "study.json").read_text())
    assert written["runs"] == len(trained) and written["seconds"]["train"] == 30 * len(trained)
    assert written["recovered"] == 1 and written["elapsed"] == 12
    assert written["seeds"] == [1, 2] and written["corpora"] == ["planted"]
    assert written["machine"]["processor"] and str(tmp_path) not in json.dumps(written)


def test_what_attribution_took_is_known_later(tmp_path):
    step = next(step for step in planned(tmp_path).steps.values() if step.kind == "attribute")
    assert step.times is None
    for output in step.outputs:
        path = tmp_path / output
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    step.record(5)
    assert step.is_done and step.times == (5, step.seconds)


def test_of_outputs_that_several_studies_made_the_time_is_the_sum(tmp_path):
    outputs = tuple(str(tmp_path / name) for name in ("one.parquet", "two.parquet"))
    one, both = (
        fake_files(several, seconds=10 * len(several)) for several in (outputs[:1], outputs)
    )
    Path(outputs[0]).touch()
    one.record(4)
    assert both.missing == outputs[1:] and both.times is None
    made = both.missing
    Path(outputs[1]).touch()
    both.record(7, made)
    assert one.times == (4, 10) and both.times == (11, 20)


def test_the_clock_goes_on_where_it_was_stopped(tmp_path, monkeypatch):
    times = iter([100.0, 130.0, 1000.0, 1007.0])
    monkeypatch.setattr(progress.time, "time", lambda: next(times))
    steps = [step for step in planned(tmp_path).steps.values() if step.kind == TRAIN]
    assert Clock(tmp_path, steps).stop() == 30
    assert Clock(tmp_path, steps).stop() == 37


def test_tables_made_again_are_not_counted(tmp_path, monkeypatch):
    times = iter([100.0, 130.0, 1000.0])
    monkeypatch.setattr(progress.time, "time", lambda: next(times))
    steps = [step for step in planned(tmp_path).steps.values() if step.kind in ("table", "report")]
    assert Clock(tmp_path, steps).stop() == 30
    assert Clock(tmp_path, steps).stop() == 30


@pytest.mark.parametrize(
    "arguments,command",
    [
        (["attention_debate", "--size", "quick"], "STUDY=attention_debate SIZE=quick"),
        (
            ["a.jsonnet", "--data", "/my/data", "--corpora", "sst", "--limit", "5"],
            "STUDY=a.jsonnet DATA=/path/to/corpora CORPORA=sst LIMIT=5",
        ),
        (
            ["a.jsonnet", "--models", "base", "uniform", "--seeds", "2", "--name", "a-part"],
            'STUDY=a.jsonnet MODELS="base uniform" SEEDS=2 NAME=a-part',
        ),
    ],
)
def test_the_command_is_one_for_any_machine(arguments, command, tmp_path, monkeypatch):
    given = []
    monkeypatch.setattr(
        "attention_explain.workflow.__main__._plan", lambda parsed: fake_plan(tmp_path, [])
    )
    monkeypatch.setattr(
        "attention_explain.workflow.run.run", lambda *values: given.append(values[-1]) or 0
    )
    assert main(["run", *arguments]) == 0
    assert given == [f"make study {command}"]
