"""Fewer than 20 judged texts, or an interval of zero width, decide nothing."""

import json

import numpy
import pytest

from analysis.__main__ import main
from analysis.verdict.block import summary_block
from analysis.verdict.means import LEAST_TEXTS, Mean, interval_of_equal_values
from analysis.verdict.question import Answer, decide
from analysis.verdict.questions import necessary, specific
from analysis.verdict.ranking import group_methods
from analysis.verdict.scores import FaithfulnessScores
from analysis.verdict.text import lines, reason_of
from analysis.verdict.verdict import verdict_on
from tests.analysis.verdict.verdict_files import SCORES, write_folder

FAITHFUL = {**SCORES, "attention": 0.99}


def write_certain(folder, texts, **options):
    """Files in which every question has its clearest answer."""
    options = {"scores": FAITHFUL, "spread": 0.0, "rationale": True, "noise": 0.0, **options}
    return write_folder(folder, texts=texts, **options)


@pytest.mark.parametrize("seeds", [1, 3])
@pytest.mark.parametrize("texts", [2, 19])
def test_below_20_texts_every_answer_is_inconclusive(tmp_path, texts, seeds):
    folder = write_certain(tmp_path, texts, seeds=seeds, change=0.9, spread=0.01)
    verdict = verdict_on(folder, rationales=True)
    assert verdict.answer == Answer.INCONCLUSIVE
    for finding in verdict.findings:
        if finding.name == "direction":
            # That attention is unsigned does not depend on the texts.
            continue
        assert finding.answer == Answer.INCONCLUSIVE
        assert finding.decision.texts_missing == LEAST_TEXTS - texts
        assert f"{LEAST_TEXTS - texts} more are needed" in reason_of(finding)
    assert verdict.recommended.method is None
    assert f"only {texts} texts were judged" in verdict.recommended.why
    assert {each.group for each in verdict.methods} == {1}


def test_20_texts_are_enough(tmp_path):
    verdict = verdict_on(write_certain(tmp_path, 20, spread=0.01))
    assert verdict.answer == Answer.YES and verdict.texts_missing == 0
    assert verdict.recommended.method == "attention"


def test_the_texts_of_all_seeds_are_counted_once(tmp_path):
    verdict = verdict_on(write_certain(tmp_path, 10, seeds=5, spread=0.01))
    assert verdict.texts_missing == 10


@pytest.mark.parametrize("texts", [2, 19])
def test_the_command_says_how_many_texts_are_missing(tmp_path, capsys, texts):
    folder = write_certain(tmp_path, texts)
    assert main(["verdict", str(folder)]) == 0
    printed = capsys.readouterr().out.splitlines()
    assert printed[0] == f"Inconclusive: {texts} texts are too few; an answer needs at least 20"
    assert any(f"{20 - texts} more are needed" in line for line in printed)
    written = json.loads((folder / "verdict.json").read_text())
    assert written["texts_missing"] == 20 - texts
    assert written["attention"]["answer"] == "inconclusive"


def test_a_score_of_too_few_texts_does_not_pass_fail_under(tmp_path, capsys):
    folder = write_certain(tmp_path, 19, spread=0.01)
    assert main(["verdict", str(folder), "--fail-under", "0.5"]) == 1
    assert "--fail-under: the score does not count, since only 19" in capsys.readouterr().err


def test_tables_and_reports_have_the_same_rule(tmp_path):
    folder = write_certain(tmp_path / "two", 2)
    assert main(["table", "verdicts", str(folder / "files"), "-o", str(tmp_path / "out")]) == 0
    table = (tmp_path / "out/verdicts.md").read_text()
    assert "inconclusive (18 texts missing)" in table and "yes" not in table
    page = summary_block(verdict_on(folder), "all", with_links=False)
    assert "2 texts are too few" in page and "1.000 [" not in page.split("<figure")[0]


def test_an_interval_of_zero_width_is_inconclusive(tmp_path):
    verdict = verdict_on(write_certain(tmp_path, 100))
    finding = verdict.finding("necessary")
    assert finding.estimate.low == pytest.approx(finding.estimate.high)
    assert finding.answer == Answer.INCONCLUSIVE
    assert finding.decision.texts_needed is None and finding.decision.texts_missing == 0
    assert "an interval of zero width says nothing about other texts" in reason_of(finding)
    assert verdict.recommended.method is None
    assert any("zero width" in line for line in lines(verdict, tmp_path))


def test_one_interval_of_zero_width_keeps_the_other_from_an_answer():
    certain, spread = numpy.full((1, 50), 0.9), numpy.linspace(0.8, 1.0, 50)[None]
    assert decide([Mean.of(spread)], necessary.rule).answer == Answer.YES
    decision = decide([Mean.of(spread), Mean.of(certain)], necessary.rule)
    assert decision.answer == Answer.INCONCLUSIVE and decision.equal_values


def test_equal_values_between_limits_have_an_interval_that_more_texts_shorten():
    """Scores that are the same in a randomised model, for every text, are not about the model."""
    same = Mean.of(numpy.ones((1, 40)), limits=(-1.0, 1.0))
    assert same.estimate.low < 0.9 and same.estimate.high == 1.0
    assert decide([same], specific.rule).answer == Answer.NO
    assert same.with_texts(400).low > same.estimate.low
    assert same.with_texts(40).low == same.estimate.low
    # 0 of 40, by Wilson: z^2 / (40 + z^2).
    unseen = 1.959964**2 / (40 + 1.959964**2)
    ends = interval_of_equal_values(0.0, 40, (0.0, 1.0))
    assert (ends.low, ends.high) == pytest.approx((0.0, unseen), abs=1e-6)


def test_methods_with_a_constant_difference_are_not_separated():
    first = numpy.linspace(0.2, 0.9, 50)[None]

    def numbers(second):
        values = {"a": first, "b": second}
        return [
            each.number
            for each in group_methods(FaithfulnessScores({"delete": values}, values)).values()
        ]

    assert numbers(first - 0.1) == [1, 1]
    assert numbers(first - numpy.linspace(0.05, 0.15, 50)) == [1, 2]
