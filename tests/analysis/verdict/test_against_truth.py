"""Verdicts against known causes, both made up: each outcome happens where it has to."""

import numpy
import pandas
import pytest

from analysis.__main__ import main
from analysis.papers.shared.study_files import load_study
from analysis.verdict.against_truth import HeldVerdict, held_verdicts, truth_about
from analysis.verdict.files import load_files
from analysis.verdict.verdict import verdict_on
from analysis.written import Estimate
from tests.analysis.verdict.verdict_files import write_folder

POINTS, ELSEWHERE, UNCLEAR = (
    Estimate(0.8, 0.7, 0.9),
    Estimate(0.1, 0.0, 0.2),
    Estimate(0.5, 0.3, 0.7),
)
FAITHFUL = {"attention": 0.9, "gradient": 0.4, "lrp": 0.6}


def held(folder, attention, others=POINTS):
    verdict = verdict_on(folder)
    truth = {"gradient": others, "lrp": others, "attention": attention}
    return HeldVerdict(load_files(folder), verdict, truth)


@pytest.mark.parametrize(
    ("places", "truth", "outcome"),
    [
        ({"attention": 0.1, "gradient": 0.4, "lrp": 0.9}, ELSEWHERE, "right"),
        ({"attention": 0.1, "gradient": 0.4, "lrp": 0.9}, POINTS, "wrong"),
        (FAITHFUL, POINTS, "right"),
        (FAITHFUL, ELSEWHERE, "wrong"),
        (FAITHFUL, UNCLEAR, "truth unclear"),
        ({**FAITHFUL, "attention": 0.5}, POINTS, "undecided"),
        ({**FAITHFUL, "attention": 0.4}, POINTS, "partly"),
    ],
)
def test_the_answer_about_attention_is_right_where_the_truth_says_so(
    tmp_path, places, truth, outcome
):
    folder = write_folder(tmp_path, places=places, seeds=3)
    one = held(folder, truth)
    assert one.attention == outcome
    # An unclear truth is no reproach, unless its mean is taken for it.
    assert one.contradicted == (outcome in ("wrong", "truth unclear"))


@pytest.mark.parametrize(
    ("truth", "outcome"), [(POINTS, "right"), (ELSEWHERE, "wrong"), (UNCLEAR, "truth unclear")]
)
def test_the_recommendation_is_right_if_the_method_points_to_the_causes(tmp_path, truth, outcome):
    one = held(write_folder(tmp_path), ELSEWHERE, truth)
    assert one.verdict.recommended.method == "lrp"
    assert one.recommended == outcome
    assert one.lost == pytest.approx(0.0)
    assert HeldVerdict(one.files, one.verdict, {**one.truth, "other": POINTS}).lost == (
        pytest.approx(0.8 - truth.mean)
    )


def test_what_has_learned_nothing_or_not_the_causes_is_held_against_nothing(tmp_path):
    nothing = held(write_folder(tmp_path / "nothing", learned=False), POINTS)
    assert (nothing.attention, nothing.recommended) == ("nothing to judge", "nothing to judge")
    half = write_folder(tmp_path / "half")
    files = load_files(half)
    wrong = files.explained.files[0].table.index[:30]
    files.explained.files[0].table.loc[wrong, "predicted"] = "2"
    other = HeldVerdict(files, verdict_on(half), {"attention": POINTS})
    assert other.attention == "causes not learned"


def test_the_truth_is_the_average_precision_between_chance_and_1(tmp_path):
    folder = write_folder(tmp_path, rationale=True, planted=True)
    files = load_files(folder)
    found, blind = [], []
    for row in files.explained.files[0].table.to_dict("records"):
        marked = numpy.array(row["rationale"], dtype=bool)
        if row["label"] != row["predicted"] or not marked.any():
            continue
        found.append(_average_precision(numpy.array(row["lrp"]), marked))
        tokens = len(marked)
        shuffled = numpy.random.default_rng(0)
        blind.append(
            numpy.mean([_average_precision(shuffled.random(tokens), marked) for _ in range(2000)])
        )
    place = (numpy.mean(found) - numpy.mean(blind)) / (1 - numpy.mean(blind))
    assert truth_about(files)["lrp"].mean == pytest.approx(place, abs=0.02)


def _average_precision(scores, marked):
    order = numpy.argsort(-scores, kind="stable")
    ranks = numpy.flatnonzero(marked[order]) + 1
    return numpy.mean([(number + 1) / rank for number, rank in enumerate(ranks)])


def test_each_seed_is_held_alone_and_the_table_counts_them(tmp_path, capsys):
    folder = write_folder(tmp_path / "model", seeds=2, rationale=True, planted=True)
    assert len(held_verdicts(load_study([folder / "files"]))) == 2
    output = tmp_path / "out"
    main(["table", "planted-truth-verdicts", str(folder / "files"), "-o", str(output)])
    said = capsys.readouterr().out
    assert "Of 2 verdicts on attention, each on one trained model" in said
    counts = pandas.read_csv(output / "planted-truth-verdicts.csv").set_index(["about", "trained"])
    assert counts.loc[("attention", "all"), "models"] == 2
    assert (counts.loc[("attention", "honest")] == counts.loc[("attention", "all")]).all()


def test_without_known_causes_it_is_said(tmp_path, capsys):
    folder = write_folder(tmp_path / "model")
    code = main(
        ["table", "planted-truth-verdicts", str(folder / "files"), "-o", str(tmp_path / "o")]
    )
    assert code
    assert "texts whose causes are known" in capsys.readouterr().err
