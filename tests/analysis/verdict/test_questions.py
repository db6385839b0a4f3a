"""Every answer to every question can happen, as the documented rule says."""

import math

import numpy
import pytest
from scipy.spatial.distance import jensenshannon

from analysis.errors import AnalysisError
from analysis.measures.kendall import Kendall
from analysis.verdict.inputs import load_inputs
from analysis.verdict.means import Mean
from analysis.verdict.question import Answer, Case
from analysis.verdict.questions import necessary, unique, used
from analysis.verdict.questions.direction import sign_of_attention
from analysis.verdict.questions.plausible import Plausible
from analysis.verdict.questions.stable import between_seeds, jackknife
from analysis.verdict.verdict import judge, overall
from analysis.written import Interval
from tests.analysis.attribution_files import random_rows, write_attributions
from tests.analysis.papers.families import adversary_config
from tests.analysis.verdict.verdict_files import SCORES, write_folder

YES, NO, PARTLY = Answer.YES, Answer.NO, Answer.PARTLY
INCONCLUSIVE, DEPENDS = Answer.INCONCLUSIVE, Answer.DEPENDS


def verdict_of(folder, **options):
    return judge(load_inputs(write_folder(folder, **options)), ["rationales"])


def attention_at(score):
    return {"scores": {"attention": score, "lrp": 0.6 if score == 0.5 else 0.9}}


def other(measure, score):
    return {"other_scores": {measure: {"attention": score}}}


@pytest.mark.parametrize(
    "name, options, answer",
    [
        ("used", {"flips": 0.2}, YES),
        ("used", {"flips": 0.0, "moved": 0.2}, PARTLY),
        ("used", {"flips": 0.0, "moved": 0.01}, NO),
        ("used", {"flips": 0.05, "moved": 0.01}, INCONCLUSIVE),
        ("used", {"flips": 0.03, "moved": 0.2}, INCONCLUSIVE),
        ("used", {"flips": 0.0, "moved": 0.01, "texts": 30}, INCONCLUSIVE),
        # For a transformer: uniform weights in all heads, or permuted ones.
        ("used", {"flips": 0.2, "heads": 0.0}, YES),
        ("used", {"flips": 0.0, "heads": 0.2}, YES),
        ("used", {"flips": 0.0, "heads": 0.0, "moved": 0.2}, PARTLY),
        ("used", {"flips": 0.0, "heads": 0.0, "moved": 0.01}, NO),
        ("used", {"flips": 0.0, "heads": 0.05, "moved": 0.01}, INCONCLUSIVE),
        ("unique", {"far": 0.0, "heads": 0.0}, INCONCLUSIVE),
        ("unique", {"far": 0.0}, YES),
        ("unique", {"far": 0.2}, PARTLY),
        ("unique", {"far": 0.9}, NO),
        ("unique", {"far": 0.5}, INCONCLUSIVE),
        ("unique", {"far": 0.0, "adversary": (0.0, 0.0)}, YES),
        ("unique", {"far": 0.0, "adversary": (0.3, 0.0)}, PARTLY),
        ("unique", {"far": 0.0, "adversary": (1.0, 0.04)}, NO),
        ("unique", {"far": 0.0, "adversary": (1.0, 0.06)}, YES),
        ("unique", {"far": 0.9, "adversary": (0.0, 0.0)}, NO),
        ("unique", {"far": 0.5, "adversary": (1.0, 0.0), "seeds": 3}, NO),
        # Other weights that do not give the same output are none.
        ("unique", {"far": 0.9, "allowed": 0.2}, YES),
        ("where", attention_at(0.8), YES),
        ("where", attention_at(0.4), PARTLY),
        ("where", attention_at(0.1), NO),
        ("where", attention_at({"delete": 0.8, "unk": 0.1}), DEPENDS),
        ("where", attention_at(0.5), INCONCLUSIVE),
        ("where", {"scores": {"attention": {"delete": 0.7, "unk": 0.5}, "lrp": 0.7}}, YES),
        ("where", attention_at({"delete": 0.4, "unk": 0.1}), DEPENDS),
        ("where", {"scores": {"attention": 0.6, "lrp": 0.95}}, PARTLY),
        ("necessary", other("comprehensiveness", 0.8), YES),
        ("necessary", other("comprehensiveness", 0.4), PARTLY),
        ("necessary", other("comprehensiveness", 0.1), NO),
        ("necessary", other("comprehensiveness", {"delete": 0.8, "unk": 0.1}), DEPENDS),
        ("necessary", other("comprehensiveness", {"delete": 0.8, "unk": 0.5}), INCONCLUSIVE),
        ("sufficient", other("sufficiency", 0.8), YES),
        ("sufficient", other("sufficiency", 0.4), PARTLY),
        ("sufficient", other("sufficiency", 0.1), NO),
        ("sufficient", other("sufficiency", {"delete": 0.8, "unk": 0.1}), DEPENDS),
        ("sufficient", other("sufficiency", {"delete": 0.8, "unk": 0.5}), INCONCLUSIVE),
        ("direction", {}, NO),
        ("direction", {"directions": {"attention": 0.95}}, YES),
        ("direction", {"directions": {"attention": 0.7}}, PARTLY),
        ("direction", {"directions": {"attention": 0.5}}, NO),
        ("direction", {"directions": {"attention": 0.75}}, INCONCLUSIVE),
        ("specific", {"rho": 0.0}, YES),
        ("specific", {"rho": 0.35}, PARTLY),
        ("specific", {"rho": 0.9}, NO),
        ("specific", {"rho": 0.25}, INCONCLUSIVE),
        ("stable", {"seeds": 3}, YES),
        ("stable", {"seeds": 3, "change": -1}, YES),
        ("stable", {"seeds": 3, "noise": 1.0, "texts": 200}, PARTLY),
        ("stable", {"seeds": 3, "change": 0.35}, PARTLY),
        ("stable", {"seeds": 3, "noise": numpy.inf}, NO),
        ("stable", {"seeds": 3, "change": 0.9}, NO),
        ("stable", {"seeds": 3, "change": 0.25}, INCONCLUSIVE),
        ("stable", {"seeds": 2}, INCONCLUSIVE),
        ("stable", {"seeds": 1}, INCONCLUSIVE),
        ("stable", {"seeds": 1, "change": 0.9}, NO),
    ],
)
def test_every_answer_can_happen(tmp_path, name, options, answer):
    options = {"texts": 100, **options}
    finding = verdict_of(tmp_path, **options).finding(name)
    assert finding.answer == answer
    assert finding.title and finding.measure and finding.sentence
    if answer != INCONCLUSIVE:
        assert finding.decision.texts_needed is None


@pytest.mark.parametrize(
    "noise, texts, answer",
    [(0.3, 200, YES), (numpy.inf, 200, NO), (1.2, 200, PARTLY), (1.2, 20, INCONCLUSIVE)],
)
def test_plausibility_is_the_last_question_and_has_no_objection(tmp_path, noise, texts, answer):
    verdict = verdict_of(tmp_path, noise=noise, rationale=True, texts=texts)
    finding = verdict.finding("plausible")
    assert finding.answer == answer
    assert (finding.decision.texts_needed is not None) is (answer == INCONCLUSIVE)
    assert not finding.question.objection
    assert verdict.as_json()["questions"][-1]["name"] == "plausible"


def test_without_rationales_for_the_explained_label_plausibility_is_inconclusive(tmp_path):
    verdict = verdict_of(tmp_path / "a")
    finding = verdict.finding("plausible")
    assert finding.answer == INCONCLUSIVE and "no text has a rationale" in finding.sentence
    # Marked for another label than the explained one.
    inputs = load_inputs(write_folder(tmp_path / "b", rationale=True, texts=10, predicted="2"))
    finding = Plausible().answer(Case(inputs, verdict.scores, None))
    assert finding.answer == INCONCLUSIVE and "is explained for its label" in finding.sentence
    assert len(judge(load_inputs(tmp_path / "a")).findings) == len(verdict.findings) - 1


@pytest.mark.parametrize(
    "options, answer",
    [
        (attention_at(0.8), YES),
        ({**attention_at(0.8), "far": 0.9}, YES),
        ({**attention_at(0.8), "flips": 0.0, "moved": 0.01}, PARTLY),
        # The output moves, and no prediction changes.
        ({**attention_at(0.8), "flips": 0.0, "moved": 0.2}, PARTLY),
        ({**attention_at(0.8), "rho": 0.9}, PARTLY),
        ({**attention_at(0.8), "change": 0.9}, PARTLY),
        ({**attention_at(0.4)}, PARTLY),
        ({**attention_at(0.1), "far": 0.0}, NO),
        ({**attention_at(0.5)}, INCONCLUSIVE),
        (attention_at({"delete": 0.8, "unk": 0.1}), DEPENDS),
    ],
)
def test_finding_the_words_decides_and_objections_turn_a_yes_into_a_partly(
    tmp_path, options, answer
):
    verdict = verdict_of(tmp_path, **options)
    assert verdict.answer == overall(verdict.findings) == answer


def test_bounds_are_for_the_whole_interval():
    assert necessary.rule([Interval(0.51, 0.6), Interval(0.7, 0.8)]) == YES
    assert necessary.rule([Interval(0.49, 0.6), Interval(0.7, 0.8)]) == INCONCLUSIVE
    assert necessary.rule([Interval(0.3, 0.49), Interval(0.3, 0.4)]) == PARTLY
    assert necessary.rule([Interval(0.2, 0.49), Interval(0.3, 0.4)]) == NO
    assert necessary.rule([Interval(0.2, 0.49), Interval(0.6, 0.7)]) == DEPENDS
    assert used.rule([Interval(0.0, 0.04), Interval(0.0, 0.04)]) == NO
    assert used.rule([Interval(0.0, 0.04), Interval(0.0, 0.06)]) == INCONCLUSIVE
    assert used.rule([Interval(0.0, 0.04), Interval(0.06, 0.07)]) == PARTLY
    assert used.rule([Interval(0.0, 0.06), Interval(0.06, 0.07)]) == INCONCLUSIVE
    assert unique.rule([Interval(0.0, 0.04), Interval(0.0, 0.06)]) == INCONCLUSIVE
    assert unique.rule([Interval(0.06, 0.2), Interval(0.3, 0.6)]) == INCONCLUSIVE
    assert unique.rule([Interval(0.0, 0.04), Interval(0.51, 0.6)]) == NO


def test_without_perturbations_two_questions_are_inconclusive(tmp_path):
    folder = write_folder(tmp_path)
    (folder / "files/perturbations-1.parquet").unlink()
    verdict = judge(load_inputs(folder))
    assert verdict.finding("used").answer == verdict.finding("unique").answer == INCONCLUSIVE
    assert verdict.depends_on_attention is None
    assert "no perturbation file" in verdict.finding("used").sentence
    assert verdict.answer == NO


@pytest.mark.parametrize("perturbed", [True, False])
def test_each_adversary_is_compared_with_the_seed_that_it_names(tmp_path, perturbed):
    folder = write_folder(tmp_path, seeds=2, adversary=(1.0, 0.03), far=0.0)
    if not perturbed:
        for path in (folder / "files").glob("perturbations-*"):
            path.unlink()
    inputs = load_inputs(folder)
    (adversary,) = inputs.adversaries
    found = unique.from_adversary(inputs, adversary)
    assert found.tvd == pytest.approx(0.03)
    for seed in (0, 1):
        base, other = (
            model.files[seed].table["attention"] for model in (inputs.attributions, adversary)
        )
        for text in range(3):
            p, q = (numpy.array(each[text]) / sum(each[text]) for each in (base, other))
            assert found.jsd[seed, text] == pytest.approx(jensenshannon(p, q) ** 2)
    finding = judge(inputs).finding("unique")
    assert finding.answer == NO
    assert "an adversary (lambda 0.001) has such weights for" in finding.sentence
    assert "output moved by 0.030" in finding.sentence
    assert finding.estimate.mean == pytest.approx((found.jsd > 0.347).mean())


def test_an_adversary_of_another_model_is_an_error(tmp_path):
    folder = write_folder(tmp_path, adversary=(1.0, 0.0))
    config_of_another = adversary_config("runs/another", 0.001)
    rows = random_rows(100, ["attention"], 1, 0.1, longest=10)
    write_attributions(folder / "files/adversary-1.parquet", rows, config=config_of_another)
    with pytest.raises(AnalysisError, match="is of an adversary of runs/another, whose"):
        load_inputs(folder)


def test_agreement_between_seeds_is_the_mean_over_their_pairs(tmp_path):
    inputs = load_inputs(write_folder(tmp_path, seeds=4, texts=60, noise=1.0))
    columns = [file.scores("attention") for file in inputs.attributions.files]
    taus = [
        Kendall()(columns[first], columns[second]).value
        for first in range(4)
        for second in range(first)
    ]
    found = between_seeds(inputs, "attention").estimate
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
        found = Mean.of(jackknife(pairs, 3)).estimate
        assert found.mean == pytest.approx(numpy.mean(list(pairs.values())))
        held.append(found.low < 0.4 < found.high)
    assert 0.9 <= numpy.mean(held) <= 0.99


def test_models_that_barely_use_their_attention_are_separated(tmp_path):
    scores = {"attention": 0.1, "lrp": 0.9}
    used = verdict_of(tmp_path / "a", scores=scores, flips=0.2)
    unused = verdict_of(tmp_path / "b", scores=scores, flips=0.0)
    unclear = verdict_of(tmp_path / "c", scores=scores, flips=0.04)
    assert [each.depends_on_attention for each in (used, unused, unclear)] == [True, False, False]
    assert [each.barely_used for each in (used, unused, unclear)] == [False, True, False]
    heads = {"scores": scores, "flips": 0.0}
    used_heads, unused_heads = (
        verdict_of(tmp_path / f"heads {share}", heads=share, **heads) for share in (0.2, 0.0)
    )
    assert used_heads.depends_on_attention and not used_heads.barely_used
    assert unused_heads.barely_used and not unused_heads.depends_on_attention
    assert unused.headline.startswith("No: this model barely uses its attention")
    assert used.headline.startswith("No: attention misses")
    assert unused.finding("used").objection and not unclear.finding("used").objection


def test_necessity_and_sufficiency_are_not_averaged_and_have_the_best_unsigned_method_as_a_mark(
    tmp_path,
):
    verdict = verdict_of(
        tmp_path,
        other_scores={
            "comprehensiveness": {"attention": 0.1, "gradient": 0.4, "lrp": 0.9},
            "sufficiency": {"attention": 0.8, "gradient": 0.6, "lrp": 0.7},
        },
    )
    necessary_, sufficient = (verdict.finding(name) for name in ("necessary", "sufficient"))
    assert (necessary_.answer, sufficient.answer) == (NO, YES)
    assert necessary_.estimate.mean == pytest.approx(0.1, abs=0.03)
    ((at, name),) = necessary_.evidence.marks
    assert (at, name) == (pytest.approx(0.4, abs=0.03), "best unsigned")
    assert "the best other unsigned method, gradient, 0." in necessary_.sentence
    assert "the best other method, lrp, 0." in necessary_.sentence


def test_the_agreement_of_signs_is_averaged_over_removal_methods(tmp_path):
    finding = verdict_of(tmp_path, directions={"lrp": 0.95, "gradient": 0.7}).finding("direction")
    assert "unsigned and gives no direction; the signs of lrp agree" in finding.sentence
    rows = dict(finding.evidence.rows)
    assert rows["lrp"].mean == pytest.approx(0.9, abs=0.01)
    assert rows["gradient"].mean == pytest.approx(0.4, abs=0.01)
    assert list(rows) == ["lrp", "gradient"]


def test_the_mark_is_the_ranking_by_relevance_if_it_was_measured(tmp_path):
    scores = {"attention": 0.1, "gradient": 0.4, "relevance": 0.55}
    finding = verdict_of(tmp_path, other_scores={"comprehensiveness": scores}).finding("necessary")
    ((at, label),) = finding.evidence.marks
    assert label == "by relevance"
    assert at == pytest.approx(0.55)
    assert "the ranking by relevance 0.550" in finding.sentence
    assert "relevance" not in dict(finding.evidence.rows)


def test_the_page_says_what_attention_is_worth_with_its_sign(tmp_path):
    scores = {**SCORES, "signed-attention": 0.6}
    finding = verdict_of(tmp_path, scores=scores).finding("direction")
    assert "With its exact sign (signed-attention), it scores 0.6" in finding.sentence
    assert "of tokens speak against the class, and weights correlate" in finding.sentence
    without = verdict_of(tmp_path / "without").finding("direction").sentence
    assert "exact sign" not in without


def test_the_sign_of_attention_is_that_of_the_effects_of_removal():
    weights, signed = [[0.5, 0.3, 0.2], [1.0, 0.0], None], [[0.2, -0.3, 0.1], [0.0, 0.0], None]
    against, correlation = sign_of_attention(weights, signed)
    assert against == pytest.approx((1 / 3 + 0) / 2)
    effects = [0.2 / 0.5, 0.3 / 0.7, 0.1 / 0.8]
    assert correlation == pytest.approx(numpy.corrcoef(weights[0], effects)[0, 1])
    assert all(math.isnan(each) for each in sign_of_attention([None], [None]))
