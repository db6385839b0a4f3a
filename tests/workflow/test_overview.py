"""What a plan says of itself before it starts: numbers, time, a picture."""

import gzip
from pathlib import Path
from xml.etree import ElementTree

import pytest

from attention_explain.workflow import costs
from attention_explain.workflow.__main__ import main
from attention_explain.workflow.identity import Contents
from attention_explain.workflow.overview import corrections, headline, layout, svg, time_on
from tests.workflow.fake_steps import fake_plan, fake_step
from tests.workflow.studies import planned


def test_time_is_that_of_the_longest_chain_or_of_the_work_on_all_cores(tmp_path):
    chain = [
        fake_step(tmp_path, "a"),
        fake_step(tmp_path, "b", ["a"]),
        fake_step(tmp_path, "c", ["b"]),
    ]
    wide = [fake_step(tmp_path, f"w{number}") for number in range(7)]
    plan = fake_plan(tmp_path, [*chain, *wide])
    assert time_on([*chain, *wide], 1, plan) == 10
    assert time_on([*chain, *wide], 2, plan) == 5
    assert time_on([*chain, *wide], 100, plan) == 3
    # What is done already is waited for no longer.
    assert time_on(chain[1:], 100, plan) == 2


def test_estimates_are_corrected_by_what_was_taken(tmp_path):
    plan = planned(tmp_path)
    assert corrections(plan)["train"] == 1
    for step in plan.steps.values():
        if step.kind == "train":
            folder = Path(step.folder)
            folder.mkdir(parents=True)
            (folder / "config.json").write_text("{}")
            step.record(3 * step.seconds)
    assert corrections(plan)["train"] == pytest.approx(3, rel=0.01)


def test_a_longer_training_on_more_words_is_thought_to_take_longer(tmp_path):
    contents = Contents(tmp_path / "contents.json")
    config = {
        "dataset_reader": {"type": "attention_text"},
        "train_data_path": str(tmp_path / "train.jsonl"),
        "model": {"encoder": {"type": "lstm"}},
        "trainer": {"num_epochs": 8},
    }
    (tmp_path / "train.jsonl").write_text("some words " * 10_000)
    short = costs.training(config, contents)
    assert costs.training({**config, "trainer": {"num_epochs": 16}}, contents) > short
    (tmp_path / "train.jsonl").write_text("some words " * 50_000)
    assert costs.training(config, contents) > short


def test_contents_are_read_once_and_again_when_changed(tmp_path, monkeypatch):
    file = tmp_path / "data.jsonl.gz"
    file.write_bytes(gzip.compress(b"one two three", mtime=1))
    first = Contents(tmp_path / "cache.json")
    known = first.sha256(file)
    assert first.lines(file).words == 3
    first.save()
    with monkeypatch.context() as patched:
        patched.setattr(
            "attention_explain.workflow.identity._read", lambda path: pytest.fail("read again")
        )
        assert Contents(tmp_path / "cache.json").sha256(file) == known
    file.write_bytes(gzip.compress(b"one two three", mtime=2))
    assert Contents(tmp_path / "cache.json").sha256(file) == known
    file.write_bytes(gzip.compress(b"one two four", mtime=2))
    assert Contents(tmp_path / "cache.json").sha256(file) != known


def test_the_picture_has_a_box_for_all_seeds_of_a_step_behind_what_it_needs(tmp_path):
    plan = planned(tmp_path)
    boxes = layout(plan)
    assert {len(box.steps) for box in boxes.values() if box.kind == "train"} == {2}
    for box in boxes.values():
        assert all(boxes[before].column < box.column for before in box.before)
    assert len({(box.column, box.row) for box in boxes.values()}) == len(boxes)
    drawn = ElementTree.fromstring(svg(plan))
    texts = {text.text for text in drawn.iter("{http://www.w3.org/2000/svg}text")}
    assert {"planted/adversary x2", "wiegreffe-pinter", "report"} <= texts


def test_the_headline_counts_what_is_done(tmp_path):
    steps = [fake_step(tmp_path, name) for name in ("one", "two")]
    plan = fake_plan(tmp_path, steps)
    assert headline(plan, 2) == "Fake: 0 runs, 2 steps; about 1 s on 2 idle cores"
    (tmp_path / "one.csv").touch()
    steps[0].record(1)
    assert headline(plan, 2) == "Fake: 0 runs, 2 steps, 1 done already; about 1 s on 2 idle cores"


def test_the_plan_command_runs_nothing(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert main(["plan", "pruthi_2020", "--size", "quick"]) == 0
    said = capsys.readouterr().out
    assert "Pruthi et al. 2020: 4 runs, 8 steps" in said
    assert (tmp_path / "results" / "pruthi_2020-quick.plan.svg").is_file()
    assert not list(tmp_path.glob("runs/planted*"))


def test_a_mistake_is_a_sentence_and_a_code(capsys):
    assert main(["plan", "no_such_study"]) == 2
    assert capsys.readouterr().err.startswith("error: ")


def test_data_that_are_not_there_are_said_before_anything_is_promised(
    tmp_path, monkeypatch, capsys
):
    monkeypatch.chdir(tmp_path)
    for command in ("plan", "run"):
        assert main([command, "neely_schouten_2020", "--data", "nosuch", "--corpora", "sst"]) == 2
        said = capsys.readouterr()
        assert said.out == "" and said.err.startswith("error: there is no nosuch/word_vectors/")
        assert "for sst: is --data 'nosuch' the folder" in said.err
    assert not list(tmp_path.iterdir())


def test_ctrl_c_ends_in_a_word(monkeypatch, capsys):
    def pressed(*arguments):
        raise KeyboardInterrupt

    monkeypatch.setattr("attention_explain.workflow.__main__.load_study", pressed)
    assert main(["plan", "jain_wallace_2019"]) == 130
    assert capsys.readouterr().err == "\nstopped\n"
