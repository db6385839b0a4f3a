"""Every answer to every question can happen, and is what the rule of docs/explanation/verdict-rule.md says."""

import numpy
import pytest
from scipy.spatial.distance import jensenshannon

from analysis.errors import AnalysisError
from analysis.measures.kendall import Kendall
from analysis.verdict.answers import Answer
from analysis.verdict.files import load_files
from analysis.verdict.means import Mean
from analysis.verdict.questions import only, points, used
from analysis.verdict.questions.only import trained
from analysis.verdict.questions.plausible import plausible
from analysis.verdict.questions.stable import between_seeds, jackknifed
from analysis.verdict.verdict import judged, overall
from analysis.written import Interval
from tests.analysis.attribution_files import random_rows, write_attributions
from tests.analysis.papers.families import adversary_config
from tests.analysis.verdict.verdict_files import write_folder

YES, NO, PARTLY = Answer.YES, Answer.NO, Answer.PARTLY
UNKNOWN, DEPENDS = Answer.UNKNOWN, Answer.DEPENDS


def verdict_of(folder, **options):
    return judged(load_files(write_folder(folder, **options)), rationales=True)


def attention_at(place):
    return {"places": {"attention": place, "lrp": 0.9}}


@pytest.mark.parametrize(
    "name, options, answer",
    [
        ("used", {"flips": 0.2}, YES),
        ("used", {"flips": 0.0, "moved": 0.2}, PARTLY),
        ("used", {"flips": 0.0, "moved": 0.01}, NO),
        ("used", {"flips": 0.05, "moved": 0.01}, UNKNOWN),
        ("used", {"flips": 0.03, "moved": 0.2}, UNKNOWN),
        ("used", {"flips": 0.0, "moved": 0.01, "texts": 30}, UNKNOWN),
        ("only", {"far": 0.0}, YES),
        ("only", {"far": 0.2}, PARTLY),
        ("only", {"far": 0.9}, NO),
        ("only", {"far": 0.5}, UNKNOWN),
        ("only", {"far": 0.0, "adversary": (0.0, 0.0)}, YES),
        ("only", {"far": 0.0, "adversary": (0.3, 0.0)}, PARTLY),
        ("only", {"far": 0.0, "adversary": (1.0, 0.04)}, NO),
        ("only", {"far": 0.0, "adversary": (1.0, 0.06)}, YES),
        ("only", {"far": 0.9, "adversary": (0.0, 0.0)}, NO),
        ("only", {"far": 0.5, "adversary": (1.0, 0.0), "seeds": 3}, NO),
        # Other weights that do not give the same output are none.
        ("only", {"far": 0.9, "allowed": 0.2}, YES),
        ("points", attention_at(0.8), YES),
        ("points", attention_at(0.4), PARTLY),
        ("points", attention_at(0.1), NO),
        ("points", attention_at({"delete": 0.8, "unk": 0.1}), DEPENDS),
        ("points", attention_at({"delete": 0.8, "unk": 0.5}), UNKNOWN),
        ("points", attention_at({"delete": 0.4, "unk": 0.1}), NO),
        ("model", {"rho": 0.0}, YES),
        ("model", {"rho": 0.35}, PARTLY),
        ("model", {"rho": 0.9}, NO),
        ("model", {"rho": 0.25}, UNKNOWN),
        ("stable", {"seeds": 3}, YES),
        ("stable", {"seeds": 3, "change": -1}, YES),
        ("stable", {"seeds": 3, "noise": 1.0, "texts": 200}, PARTLY),
        ("stable", {"seeds": 3, "change": 0.35}, PARTLY),
        ("stable", {"seeds": 3, "noise": numpy.inf}, NO),
        ("stable", {"seeds": 3, "change": 0.9}, NO),
        ("stable", {"seeds": 3, "change": 0.25}, UNKNOWN),
        ("stable", {"seeds": 2}, UNKNOWN),
        ("stable", {"seeds": 1}, UNKNOWN),
        ("stable", {"seeds": 1, "change": 0.9}, NO),
    ],
)
def test_every_answer_can_happen(tmp_path, name, options, answer):
    options = {"texts": 100, **options}
    question = verdict_of(tmp_path, **options).question(name)
    assert question.answer == answer
    assert question.bound and question.measure and question.papers and question.sentence
    if answer != UNKNOWN:
        assert question.texts_needed is None


@pytest.mark.parametrize(
    "noise, texts, answer",
    [(0.3, 200, YES), (numpy.inf, 200, NO), (1.2, 200, PARTLY), (1.2, 20, UNKNOWN)],
)
def test_what_people_would_mark_is_kept_apart(tmp_path, noise, texts, answer):
    verdict = verdict_of(tmp_path, noise=noise, rationale=True, texts=texts)
    assert verdict.marked.answer == answer
    assert (verdict.marked.texts_needed is not None) is (answer == UNKNOWN)
    assert "plausible" not in [each.name for each in verdict.questions]
    assert verdict.as_json()["questions"][-1]["name"] == "plausible"


def test_where_nobody_has_marked_a_text_it_cannot_be_told_what_people_would_mark(tmp_path):
    marked = verdict_of(tmp_path / "a").marked
    assert marked.answer == UNKNOWN and "nobody has marked" in marked.sentence
    # Marked for a label that is not the one that is explained.
    files = load_files(write_folder(tmp_path / "b", rationale=True, texts=10, predicted="2"))
    marked = plausible(files)
    assert marked.answer == UNKNOWN and "is explained for its label" in marked.sentence
    assert judged(load_files(tmp_path / "a")).marked is None


@pytest.mark.parametrize(
    "options, answer",
    [
        (attention_at(0.8), YES),
        ({**attention_at(0.8), "far": 0.9}, YES),
        ({**attention_at(0.8), "flips": 0.0, "moved": 0.01}, PARTLY),
        ({**attention_at(0.8), "rho": 0.9}, PARTLY),
        ({**attention_at(0.8), "change": 0.9}, PARTLY),
        ({**attention_at(0.4)}, PARTLY),
        ({**attention_at(0.1), "far": 0.0}, NO),
        ({**attention_at(0.5)}, UNKNOWN),
        (attention_at({"delete": 0.8, "unk": 0.1}), DEPENDS),
    ],
)
def test_whether_it_points_to_what_matters_decides_and_conditions_take_a_yes_back(
    tmp_path, options, answer
):
    verdict = verdict_of(tmp_path, **options)
    assert verdict.answer == overall(verdict.questions) == answer


def test_bounds_are_for_the_whole_interval():
    assert points.answered([Interval(0.51, 0.6), Interval(0.7, 0.8)]) == YES
    assert points.answered([Interval(0.49, 0.6), Interval(0.7, 0.8)]) == UNKNOWN
    assert points.answered([Interval(0.3, 0.49), Interval(0.3, 0.4)]) == PARTLY
    assert points.answered([Interval(0.2, 0.49), Interval(0.3, 0.4)]) == NO
    assert points.answered([Interval(0.2, 0.49), Interval(0.6, 0.7)]) == DEPENDS
    assert used.answered([Interval(0.0, 0.04), Interval(0.0, 0.04)]) == NO
    assert used.answered([Interval(0.0, 0.04), Interval(0.0, 0.06)]) == UNKNOWN
    assert used.answered([Interval(0.0, 0.04), Interval(0.06, 0.07)]) == PARTLY
    assert used.answered([Interval(0.0, 0.06), Interval(0.06, 0.07)]) == UNKNOWN
    assert only.answered([Interval(0.0, 0.04), Interval(0.0, 0.06)]) == UNKNOWN
    assert only.answered([Interval(0.06, 0.2), Interval(0.3, 0.6)]) == UNKNOWN
    assert only.answered([Interval(0.0, 0.04), Interval(0.51, 0.6)]) == NO


def test_without_perturbations_two_questions_cannot_be_told(tmp_path):
    folder = write_folder(tmp_path)
    (folder / "files/perturbations-1.parquet").unlink()
    verdict = judged(load_files(folder))
    assert [each.answer for each in verdict.questions][:2] == [UNKNOWN, UNKNOWN]
    assert "no perturbation file" in verdict.question("used").sentence
    assert verdict.answer == NO


@pytest.mark.parametrize("perturbed", [True, False])
def test_each_adversary_is_held_against_the_seed_that_it_names(tmp_path, perturbed):
    folder = write_folder(tmp_path, seeds=2, adversary=(1.0, 0.03), far=0.0)
    if not perturbed:
        for path in (folder / "files").glob("perturbations-*"):
            path.unlink()
    files = load_files(folder)
    (adversary,) = files.adversaries
    found = trained(files, adversary)
    assert found.tvd == pytest.approx(0.03)
    for seed in (0, 1):
        base, other = (
            model.files[seed].table["attention"] for model in (files.explained, adversary)
        )
        for text in range(3):
            p, q = (numpy.array(each[text]) / sum(each[text]) for each in (base, other))
            assert found.jsd[seed, text] == pytest.approx(jensenshannon(p, q) ** 2)
    question = judged(files).question("only")
    assert question.answer == NO
    assert "an adversary (lambda 0.001) has them for" in question.sentence
    assert "output moved by 0.030" in question.sentence
    assert question.estimate.mean == pytest.approx((found.jsd > 0.347).mean())


def test_an_adversary_of_another_model_is_told(tmp_path):
    folder = write_folder(tmp_path, adversary=(1.0, 0.0))
    config_of_another = adversary_config("runs/another", 0.001)
    rows = random_rows(100, ["attention"], 1, 0.1, longest=10)
    write_attributions(folder / "files/adversary-1.parquet", rows, config=config_of_another)
    with pytest.raises(AnalysisError, match="is of an adversary of runs/another, of which"):
        load_files(folder)


def test_agreement_between_seeds_is_the_mean_over_their_pairs(tmp_path):
    files = load_files(write_folder(tmp_path, seeds=4, texts=60, noise=1.0))
    columns = [file.scores("attention") for file in files.explained.files]
    taus = [
        Kendall()(columns[first], columns[second]).value
        for first in range(4)
        for second in range(first)
    ]
    found = between_seeds(files, "attention").estimate
    assert found.mean == pytest.approx(numpy.nanmean(taus))
    assert found.low < found.mean < found.high


@pytest.mark.parametrize("of_seed", [0.02, 0.3])
def test_the_interval_of_agreement_between_seeds_holds_the_truth(of_seed):
    draw = numpy.random.default_rng(0)
    held = []
    for _ in range(300):
        texts = 0.2 * draw.normal(size=30)
        seeds = of_seed * draw.normal(size=(3, 1)) + 0.1 * draw.normal(size=(3, 30))
        pairs = {
            (first, second): 0.4 + texts + seeds[first] + seeds[second]
            for first, second in ((0, 1), (0, 2), (1, 2))
        }
        found = Mean.of(jackknifed(pairs, 3)).estimate
        assert found.mean == pytest.approx(numpy.mean(list(pairs.values())))
        held.append(found.low < 0.4 < found.high)
    assert 0.9 <= numpy.mean(held) <= 0.99
