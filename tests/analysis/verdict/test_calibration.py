"""Bounds that half of the kinds of models choose, and their errors on the other half."""

import tomllib

import numpy
import pytest

from analysis.__main__ import main
from analysis.formats import read_csv
from analysis.papers.shared.study_files import load_study
from analysis.verdict.against_truth import check_verdicts, truth_about
from analysis.verdict.answers import Answer
from analysis.verdict.calibration import (
    CHOOSE,
    TEST,
    CalibrationCase,
    choose_bounds,
    cost,
    error_rows,
    is_decided,
    split_kinds,
)
from analysis.verdict.decision import BOUNDS, Bounds
from tests.analysis.attribution_files import config, random_rows, write_attributions
from tests.analysis.verdict.test_decision import values_at
from tests.analysis.verdict.verdict_files import write_folder

AT = Bounds(yes=0.5, partly=0.25, close=0.75, reliability=0.9)


def case(score, truth, kind="a", role="honest", reliability=None, objected=False):
    values = {"delete": values_at(60, 0.1, attention=score, lrp=max(score, 0.1))}
    return CalibrationCase((kind,), role, values, reliability, truth, objected)


@pytest.mark.parametrize(
    "score, truth, answer, wrong",
    [
        (0.8, 0.9, Answer.YES, False),
        (0.8, 0.4, Answer.YES, True),
        (0.1, 0.1, Answer.NO, False),
        (0.1, 0.6, Answer.NO, True),
        (0.4, 0.5, Answer.PARTLY, False),
        (0.4, 0.1, Answer.PARTLY, True),
        (0.4, 0.9, Answer.PARTLY, True),
        (0.5, 0.1, Answer.INCONCLUSIVE, False),
    ],
)
def test_an_answer_is_wrong_if_the_truth_contradicts_it(score, truth, answer, wrong):
    one = case(score, truth)
    assert one.answer(AT) == answer and one.is_wrong(answer) is wrong
    assert is_decided(answer) is (answer != Answer.INCONCLUSIVE)


def test_a_yes_with_an_objection_is_a_partly_that_says_attention_finds_the_words():
    assert case(0.8, 0.9, objected=True).answer(AT) == Answer.PARTLY
    assert not case(0.8, 0.9, objected=True).is_wrong(Answer.PARTLY)
    assert case(0.8, 0.4, objected=True).is_wrong(Answer.PARTLY)


def test_without_reliable_relevance_there_is_no_decision():
    assert case(0.8, 0.9, reliability=0.8).answer(AT) == Answer.INCONCLUSIVE


def test_no_kind_is_in_both_halves_and_each_role_is_in_each():
    cases = [
        case(0.8, 0.9, kind=f"{role} {kind}", role=role)
        for role in ("honest", "deceptive")
        for kind in range(5)
        for _ in range(3)
    ]
    halves = split_kinds(cases)
    kinds = {half: {each.kind for each in several} for half, several in halves.items()}
    assert not kinds[CHOOSE] & kinds[TEST] and len(kinds[CHOOSE] | kinds[TEST]) == 10
    assert len(halves[CHOOSE]) + len(halves[TEST]) == len(cases)
    for several in halves.values():
        assert {each.role for each in several} == {"honest", "deceptive"}
    # The order of the files does not matter.
    assert {each.kind for each in split_kinds(cases[::-1])[TEST]} == kinds[TEST]


def test_bounds_are_moved_to_where_the_truth_is():
    """Attention scores .6 where it misses the words, so that a yes needs more."""
    cases = [
        case(score, truth, str(score)) for score, truth in ((0.62, 0.3), (0.78, 0.8), (0.05, 0.0))
    ]
    chosen = choose_bounds(cases, AT)
    assert 0.62 < chosen.yes < 0.78 and cost(cases, chosen) == 0.0 < cost(cases, AT)
    # Bounds that are right stay.
    right = [case(0.9, 0.9, "a"), case(0.05, 0.1, "b")]
    assert choose_bounds(right, AT) == AT


def test_the_cost_counts_kinds_and_inconclusive_answers():
    wrong, right = case(0.8, 0.1, "a"), case(0.8, 0.9, "b")
    assert cost([wrong, right, right, right], AT) == 0.5
    assert cost([case(0.5, 0.9)], AT) == 0.25


def test_the_errors_of_all_decisions_are_counted_apart_by_training():
    cases = [
        case(0.8, 0.9, "a"), case(0.8, 0.9, "a"), case(0.8, 0.1, "b"), case(0.5, 0.1, "c"),
        case(0.1, 0.0, "d", role="deceptive"),
    ]  # fmt: skip
    rows = {row["trained"]: row for row in error_rows({TEST: cases}, AT)}
    honest = rows["honest"]
    assert (honest["models"], honest["kinds"], honest["decided"], honest["wrong"]) == (4, 3, 3, 1)
    assert honest["share wrong"] == pytest.approx(1 / 3)
    assert honest["share inconclusive"] == pytest.approx(1 / 4)
    # Two kinds are decided, however many seeds they have.
    assert honest["share wrong high"] - honest["share wrong low"] > 0.7
    assert rows["deceptive"]["wrong"] == 0 and rows["all"]["models"] == 5


def test_the_table_of_a_study_has_the_bounds_for_the_verdict(tmp_path):
    folders = [
        write_folder(
            tmp_path / f"{corpus}",
            corpus=corpus,
            rationale=True,
            planted=corpus,
            noise=0.1,
            scores={"attention": 0.8, "gradient": 0.4, "lrp": 0.9},
            texts=40,
        )
        for corpus in ("easy", "negation", "conjunction", "shortcut")
    ]
    files = [str(folder / "files") for folder in folders]
    output = tmp_path / "out"
    assert main(["table", "planted-truth-calibration", *files, "-o", str(output)]) == 0
    table = read_csv(output / "planted-truth-calibration.csv")
    assert set(table["bounds"]) == {"calibrated", "present"}
    assert table[table["trained"] == "all"]["models"].sum() == 8
    made = tomllib.loads((output / "planted-truth-bounds.toml").read_text())
    assert set(made["where"]) == {"yes", "partly", "close", "reliability"}
    assert made["calibrated"] and Bounds(**made["where"]).reliability == BOUNDS.reliability
    assert "On the other half" in made["provenance"]


def test_too_few_kinds_are_an_error(tmp_path, capsys):
    folder = write_folder(tmp_path / "a", rationale=True, planted="easy")
    arguments = ["table", "planted-truth-calibration", str(folder / "files")]
    assert main([*arguments, "-o", str(tmp_path / "out")]) != 0
    assert "calibration needs at least 4 kinds" in capsys.readouterr().err


def test_the_truth_comes_from_the_file_with_the_most_texts(tmp_path):
    folder = write_folder(tmp_path / "model", rationale=True, planted="easy", texts=40)
    methods = ["attention", "gradient"]
    many = write_attributions(
        tmp_path / "model/files/many.parquet",
        random_rows(400, methods, 1, 0.5, longest=10, rationale=True),
        methods,
        {**config(1, corpus="small"), "dataset_reader": {"type": "planted", "preset": "easy"}},
        target=None,
        data_sha256="of the dev texts",
        archive="runs/1",
        weights_sha256="small 1",
    )
    study = load_study([folder / "files"])
    (one,) = check_verdicts(study)
    (large,) = [file for model in study.models for file in model.files if file.path == many]
    expected = truth_about([large])
    assert one.truth["attention"] == expected["attention"]
    assert one.truth["lrp"] == truth_about(one.inputs.attributions.files)["lrp"]
    assert not numpy.isclose(
        one.truth["attention"].mean,
        truth_about(one.inputs.attributions.files)["attention"].mean,
    )
