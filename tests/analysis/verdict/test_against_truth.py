"""Verdicts checked against ground-truth words, on synthetic files: every outcome can happen."""

import numpy
import pandas
import pytest

from analysis.__main__ import main
from analysis.papers.shared.study_files import load_study
from analysis.verdict.against_truth import CheckedVerdict, check_verdicts, truth_about
from analysis.verdict.inputs import load_inputs
from analysis.verdict.verdict import verdict_on
from analysis.written import Estimate
from tests.analysis.verdict.verdict_files import write_folder

FINDS, MISSES, UNCLEAR = (
    Estimate(0.8, 0.7, 0.9),
    Estimate(0.1, 0.0, 0.2),
    Estimate(0.5, 0.3, 0.7),
)
FAITHFUL = {"attention": 0.9, "gradient": 0.4, "lrp": 0.6}


def checked(folder, attention, others=FINDS):
    verdict = verdict_on(folder)
    truth = {"gradient": others, "lrp": others, "attention": attention}
    return CheckedVerdict(load_inputs(folder), verdict, truth)


@pytest.mark.parametrize(
    ("scores", "truth", "outcome"),
    [
        ({"attention": 0.1, "gradient": 0.4, "lrp": 0.9}, MISSES, "right"),
        ({"attention": 0.1, "gradient": 0.4, "lrp": 0.9}, FINDS, "wrong"),
        (FAITHFUL, FINDS, "right"),
        (FAITHFUL, MISSES, "wrong"),
        (FAITHFUL, UNCLEAR, "truth unclear"),
        ({**FAITHFUL, "attention": 0.5}, FINDS, "undecided"),
        ({**FAITHFUL, "attention": 0.4}, FINDS, "partly"),
    ],
)
def test_the_answer_about_attention_is_right_where_the_truth_says_so(
    tmp_path, scores, truth, outcome
):
    folder = write_folder(tmp_path, scores=scores, seeds=3)
    one = checked(folder, truth)
    assert one.attention == outcome
    # An unclear truth counts as an error only by its mean.
    assert one.contradicted == (outcome in ("wrong", "truth unclear"))


@pytest.mark.parametrize(
    ("truth", "outcome"), [(FINDS, "right"), (MISSES, "wrong"), (UNCLEAR, "truth unclear")]
)
def test_the_recommendation_is_right_if_the_method_finds_the_words(tmp_path, truth, outcome):
    one = checked(write_folder(tmp_path), MISSES, truth)
    assert one.verdict.recommended.method == "lrp"
    assert one.recommended == outcome
    assert one.lost == pytest.approx(0.0)
    assert CheckedVerdict(one.inputs, one.verdict, {**one.truth, "other": FINDS}).lost == (
        pytest.approx(0.8 - truth.mean)
    )


def test_models_that_learned_nothing_or_not_the_causes_are_not_checked(tmp_path):
    nothing = checked(write_folder(tmp_path / "nothing", learned=False), FINDS)
    assert (nothing.attention, nothing.recommended) == ("nothing to judge", "nothing to judge")
    half = write_folder(tmp_path / "half")
    inputs = load_inputs(half)
    wrong = inputs.attributions.files[0].table.index[:30]
    inputs.attributions.files[0].table.loc[wrong, "predicted"] = "2"
    other = CheckedVerdict(inputs, verdict_on(half), {"attention": FINDS})
    assert other.attention == "causes not learned"


def test_the_truth_is_the_rescaled_average_precision(tmp_path):
    folder = write_folder(tmp_path, rationale=True, planted="easy")
    inputs = load_inputs(folder)
    found, blind = [], []
    for row in inputs.attributions.files[0].table.to_dict("records"):
        marked = numpy.array(row["rationale"], dtype=bool)
        if row["label"] != row["predicted"] or not marked.any():
            continue
        found.append(_average_precision(numpy.array(row["lrp"]), marked))
        tokens = len(marked)
        shuffled = numpy.random.default_rng(0)
        blind.append(
            numpy.mean([_average_precision(shuffled.random(tokens), marked) for _ in range(2000)])
        )
    expected = (numpy.mean(found) - numpy.mean(blind)) / (1 - numpy.mean(blind))
    assert truth_about(inputs.attributions.files)["lrp"].mean == pytest.approx(expected, abs=0.02)


def _average_precision(scores, marked):
    order = numpy.argsort(-scores, kind="stable")
    ranks = numpy.flatnonzero(marked[order]) + 1
    return numpy.mean([(number + 1) / rank for number, rank in enumerate(ranks)])


def test_each_seed_is_checked_alone_and_the_table_counts_them(tmp_path, capsys):
    folder = write_folder(tmp_path / "model", seeds=2, rationale=True, planted="easy")
    assert len(check_verdicts(load_study([folder / "files"]))) == 2
    output = tmp_path / "out"
    main(["table", "planted-truth-verdicts", str(folder / "files"), "-o", str(output)])
    said = capsys.readouterr().out
    assert "Of 2 verdicts on attention, each on one trained model" in said
    counts = pandas.read_csv(output / "planted-truth-verdicts.csv").set_index(["about", "trained"])
    assert counts.loc[("attention", "all"), "models"] == 2
    assert (counts.loc[("attention", "honest")] == counts.loc[("attention", "all")]).all()


def test_without_ground_truth_words_there_is_an_error(tmp_path, capsys):
    folder = write_folder(tmp_path / "model")
    code = main(
        ["table", "planted-truth-verdicts", str(folder / "files"), "-o", str(tmp_path / "o")]
    )
    assert code
    assert "texts with ground-truth words" in capsys.readouterr().err
