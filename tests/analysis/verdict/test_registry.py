"""A question that is registered appears in every output of the verdict, and in its plan."""

import json

import pytest

from analysis.__main__ import main
from analysis.verdict.question import (
    QUESTIONS,
    Answer,
    Decision,
    Evidence,
    Finding,
    Question,
    Requirements,
    register,
)
from analysis.verdict.questions import required_components
from analysis.verdict.verdict import verdict_on
from analysis.written import Estimate
from tests.analysis.verdict.verdict_files import write_folder


class Short(Question):
    """A toy question."""

    name = "short"
    title = "about short texts?"
    column = "short texts"
    measure = "share of texts with one token"
    bound = "Yes below 0.5."
    caveat = "This is a toy."
    papers = ("Nobody 2000",)
    requires = Requirements(("noise",), ("sufficiency", "toy_measure"), ("slow_measure",))
    objection = "its texts are long"

    def __init__(self, answer=Answer.YES):
        self._answer = answer

    def answer(self, case):
        share = Estimate(0.25, 0.125, 0.375)
        figure = Evidence([("attention", share)], [(0.0, 0.5, "yes")], "share of toys")
        return Finding(self, Decision(self._answer), share, "1 of 4 texts is a toy", figure)


@pytest.fixture
def toy():
    before = dict(QUESTIONS)
    register(Short())
    yield
    QUESTIONS.clear()
    QUESTIONS.update(before)


def test_a_new_question_is_in_every_output(toy, tmp_path, capsys):
    folder = write_folder(tmp_path / "model")
    assert main(["verdict", str(folder)]) == 0
    assert (
        "- about short texts?             yes: 1 of 4 texts is a toy\n" in capsys.readouterr().out
    )
    finding = json.loads((folder / "verdict.json").read_text())["questions"][-1]
    assert (finding["name"], finding["answer"], finding["value"]) == ("short", "yes", 0.25)
    markdown = (folder / "verdict.md").read_text()
    assert "## About short texts? Yes.\n\n1 of 4 texts is a toy. Share of texts with" in markdown
    page = (folder / "verdict.html").read_text()
    assert "<li class=yes><a href=#short>About short texts?</a> <b>Yes</b></li>" in page
    section = page.partition("<section id=short")[2]
    assert "share of toys" in section and "This is a toy." in section and "Nobody 2000" in section
    output = tmp_path / "out"
    assert main(["table", "verdicts", str(folder / "files"), "-o", str(output)]) == 0
    assert "short texts" in (output / "verdicts.csv").read_text().splitlines()[0]
    assert "short texts?" in (output / "verdicts.md").read_text()


def test_a_new_question_may_object_to_a_yes(tmp_path, toy):
    QUESTIONS["short"] = Short(Answer.NO)
    folder = write_folder(tmp_path, scores={"attention": 0.9, "lrp": 0.5})
    verdict = verdict_on(folder)
    assert verdict.answer == Answer.PARTLY and verdict.objections == ["its texts are long"]


def test_the_command_computes_what_questions_require(toy):
    quick = ["relevance", "direction", "comprehensiveness", "sufficiency"]
    quick += [{"type": "parameter_randomization", "intermediate": False}]
    perturbations, measures = required_components(quick=True)
    assert perturbations == [
        *("uniform", "permutation", "drop-top", "uniform-heads", "permuted-heads", "heads-off"),
        *("instance-adversary", "noise"),
    ]
    assert measures == [*quick, "toy_measure"]
    assert required_components()[1] == [*quick, "sensitivity", "toy_measure", "slow_measure"]


def test_a_name_is_taken_once():
    with pytest.raises(ValueError, match="already a question named 'used'"):
        register(QUESTIONS["used"])
