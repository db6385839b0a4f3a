"""Relevance and direction, against all permutations of short texts, written from the definitions."""

import functools
import itertools

import numpy
import pytest

from attention_explain.errors import InputError
from attention_explain.faithfulness.evaluator import Evaluator
from attention_explain.faithfulness.faithfulness import MEASURES
from attention_explain.faithfulness.permutations import (
    OUTPUTS,
    PermutationSampler,
    SamplingOptions,
    choose_sampling,
    split_half_reliability,
    word_effects,
)
from attention_explain.faithfulness.relevance import sum_of_top
from attention_explain.faithfulness.removal import ERASURES
from attention_explain.faithfulness.scores_file import ScoredText
from tests.builders import TEXTS, instances
from tests.faithfulness.judging import LABEL, judged
from tests.faithfulness.slow_faithfulness import (
    bin_size,
    comprehensiveness,
    slow_outputs,
    sufficiency,
)
from tests.faithfulness.test_outputs import classifier, outputs_of

SHORT = ["a dull film", "fine", "the acting was superb"]
LONG = [
    "not",
    "a",
    "good",
    "film",
    "at",
    "all",
    "but",
    "the",
    "music",
    "saves",
    "it",
    "and",
    "the",
    "plot",
    "never",
    "drags",
]
BINS = [0.01, 0.05, 0.1, 0.2, 0.5]


def slow_effects(probabilities, words, label, output, orders=None):
    """The mean over all orders of the words: how far each moves the output, and which way."""
    orders = orders or list(itertools.permutations(range(len(words))))

    @functools.cache
    def says(kept):
        probs = numpy.array(probabilities(sorted(kept)))
        return probs if output == "probability" else numpy.log(probs) - numpy.log(probs).mean()

    moves, ways = numpy.zeros(len(words)), numpy.zeros(len(words))
    for order in orders:
        for step, word in enumerate(order):
            change = says(frozenset(order[: step + 1])) - says(frozenset(order[:step]))
            moves[word] += abs(change).sum() / 2 if output == "probability" else abs(change).mean()
            ways[word] += change[label]
    return moves / len(orders), ways / len(orders)


def effects_of(made, texts, erasure, output, permutations, seed=0, target=LABEL):
    sampler = PermutationSampler(
        outputs_of(made, erasure, texts=texts), [target] * len(texts), seed
    )
    sampler.grow(permutations)
    return sampler.effects(output, permutations)


@pytest.mark.parametrize("output", OUTPUTS)
@pytest.mark.parametrize(
    "encoder, erasure", [("bilstm", "delete"), ("affine", "zero"), ("transformer", "unk")]
)
def test_in_short_texts_effects_are_the_mean_over_all_orders(encoder, erasure, output):
    made = classifier(encoder)
    found = effects_of(made, SHORT, erasure, output, 64)
    for text, effects in zip(SHORT, found, strict=True):
        words = text.split()
        reference = slow_outputs(made, words, erasure, bounded=True)
        relevance, contribution = slow_effects(reference, words, LABEL, output)
        assert effects.relevance == pytest.approx(relevance, abs=1e-9)
        assert effects.contribution == pytest.approx(contribution, abs=1e-9)
        assert not effects.relevance_error.any() and not effects.contribution_error.any()
        assert effects.reliability == 1.0 and effects.permutations == 0


@pytest.mark.parametrize("output", OUTPUTS)
def test_sampled_effects_converge_to_the_mean_over_all_orders(output):
    made = classifier()
    text = "not a good film at all but the music"
    words = text.split()
    reference = slow_outputs(made, words, "delete", bounded=True)
    generator = numpy.random.default_rng(0)
    orders = [tuple(generator.permutation(len(words))) for _ in range(2000)]
    relevance, contribution = slow_effects(reference, words, LABEL, output, orders)
    errors = []
    for permutations in (16, 48):
        (effects,) = effects_of(made, [text], "delete", output, permutations)
        assert effects.permutations == permutations
        # Four standard errors, and those of the reference.
        allowed = 4 * effects.relevance_error.max() + 0.05 * relevance.max()
        assert effects.relevance == pytest.approx(relevance, abs=allowed)
        allowed = 4 * effects.contribution_error.max() + 0.05 * relevance.max()
        assert effects.contribution == pytest.approx(contribution, abs=allowed)
        errors.append(numpy.abs(effects.relevance - relevance).mean())
    assert errors[1] < errors[0]


def test_contributions_sum_to_the_difference_from_the_empty_text():
    made = classifier()
    outputs = outputs_of(made, "delete")
    for permutations in (8, 32):
        found = effects_of(made, TEXTS, "delete", "probability", permutations)
        ends = outputs([numpy.array([[True], [False]]).repeat(len(t.split()), 1) for t in TEXTS])
        for effects, (full, empty) in zip(found, ends, strict=True):
            assert effects.contribution.sum() == pytest.approx(full[LABEL] - empty[LABEL])


def test_effects_do_not_depend_on_the_batch_or_on_growing():
    made = classifier()
    alone = [effects_of(made, [text], "zero", "logits", 32) for text in TEXTS]
    sampler = PermutationSampler(outputs_of(made, "zero"), [LABEL] * len(TEXTS))
    for permutations in (8, 16, 32, 64):
        sampler.grow(permutations)
    # The ids of texts decide the permutations.
    together = sampler.effects("logits", 32)
    first = alone[0][0]
    assert together[0].relevance == pytest.approx(first.relevance)
    at_once = effects_of(made, TEXTS, "zero", "logits", 32)
    for grown, one in zip(together, at_once, strict=True):
        assert grown.relevance == pytest.approx(one.relevance)
        assert grown.contribution == pytest.approx(one.contribution)
        assert grown.relevance_error == pytest.approx(one.relevance_error)


def test_large_texts_are_evaluated_in_portions(monkeypatch):
    made = classifier()
    whole = effects_of(made, TEXTS, "delete", "probability", 16)
    monkeypatch.setattr("attention_explain.faithfulness.permutations.PAIRS", 1)
    monkeypatch.setattr("attention_explain.faithfulness.permutations.REMEMBERED", 0)
    outputs = outputs_of(made, "delete")
    sampler = PermutationSampler(outputs, [LABEL] * len(TEXTS))
    sampler.grow(16)
    for one, other in zip(whole, sampler.effects("probability", 16), strict=True):
        assert one.relevance == pytest.approx(other.relevance)
    # Only the sets of the short texts, which are evaluated completely.
    assert outputs.sets_run == 2**3 + 2


def test_split_half_reliability_is_the_corrected_correlation():
    samples = numpy.random.default_rng(3).random((6, 9)) + numpy.arange(9) / 5
    r = numpy.corrcoef(samples[[0, 2, 4]].mean(0), samples[[1, 3, 5]].mean(0))[0, 1]
    assert split_half_reliability(samples) == pytest.approx(2 * r / (1 + r))
    assert split_half_reliability(numpy.array([[1.0, 2.0], [2.0, 1.0]])) == 0.0
    assert split_half_reliability(numpy.ones((4, 5))) is None


def test_the_sum_of_the_top_is_the_mean_over_orders_of_tied_tokens():
    importance = numpy.array([2.0, 1.0, 2.0, 0.0, 1.0, 1.0])
    values = numpy.array([0.3, 0.1, 0.9, 0.4, 0.8, 0.2])
    orders = [
        order
        for order in itertools.permutations(range(6))
        if all(importance[a] >= importance[b] for a, b in itertools.pairwise(order))
    ]
    assert len(orders) == 2 * 6
    for sizes in ([1], [1, 4], [2, 3, 5, 6]):
        expected = numpy.mean([[values[list(o[:k])].sum() for k in sizes] for o in orders])
        assert sum_of_top(importance, values, sizes) == pytest.approx(expected)


def rows_of(made, scores, measure, **options):
    found = judged(made, {"mine": scores}, measure, methods=options.pop("methods", None), **options)
    name = measure if isinstance(measure, str) else measure["type"]
    return [{method: row for (method, of), row in rows.items() if of == name} for rows in found]


def some_scores():
    generator = numpy.random.default_rng(5)
    return [generator.integers(-3, 4, len(text.split())).astype(float).tolist() for text in TEXTS]


@pytest.mark.parametrize("output", OUTPUTS)
def test_relevance_is_the_sum_of_effects_of_the_top_tokens_by_magnitude(output):
    made = classifier()
    measure = {"type": "relevance", "permutations": 16, "output": output}
    scores = some_scores()
    effects = effects_of(made, TEXTS, "delete", output, 16)
    for text, given, of_text, rows in zip(
        TEXTS, scores, effects, rows_of(made, scores, measure), strict=True
    ):
        m, n = of_text.relevance, len(text.split())
        sizes = [bin_size(share, n) for share in BINS]
        random = numpy.mean([k / n * m.sum() for k in sizes])
        best = numpy.mean([numpy.sort(m)[::-1][:k].sum() for k in sizes])
        chance = numpy.random.default_rng(1)
        orders = [
            sorted(range(n), key=lambda i: (-abs(given[i]), chance.random())) for _ in range(4000)
        ]
        mine = numpy.mean([[m[order[:k]].sum() for k in sizes] for order in orders])
        assert rows["random"].value == pytest.approx(random)
        assert rows["search"].value == pytest.approx(best)
        assert rows["search"].curve == pytest.approx(m.tolist())
        assert rows["search"].errors == pytest.approx(of_text.relevance_error.tolist())
        assert rows["search"].reliability == pytest.approx(of_text.reliability)
        assert rows["mine"].value == pytest.approx(mine, abs=0.02 * m.sum())
        if n > 1:
            assert rows["random"].normalised == 0.0 and rows["search"].normalised == 1.0
            expected = (rows["mine"].value - random) / (best - random)
            assert rows["mine"].normalised == pytest.approx(expected)


def test_direction_is_the_share_of_right_signs_weighted_by_relevance():
    made = classifier()
    measure = {"type": "direction", "permutations": 16, "output": "probability"}
    scores = some_scores()
    effects = effects_of(made, TEXTS, "delete", "probability", 16)
    for given, of_text, rows in zip(scores, effects, rows_of(made, scores, measure), strict=True):
        right = sum(
            m * (0.5 if score == 0 else float((score > 0) == (phi > 0)))
            for m, phi, score in zip(of_text.relevance, of_text.contribution, given)
        )
        value = right / of_text.relevance.sum()
        assert rows["mine"].value == pytest.approx(value)
        assert rows["mine"].normalised == pytest.approx(2 * value - 1)
        assert rows["random"].value == 0.5 and rows["search"].value == 1.0
        assert rows["search"].curve == pytest.approx(of_text.contribution.tolist())


def test_methods_without_sign_give_no_direction():
    made = classifier()
    methods = {"mine": {"signed": False}}
    for rows in rows_of(made, some_scores(), "direction", methods=methods):
        assert rows["mine"].value is None and rows["mine"].undefined == "gives no direction"
        assert rows["search"].value == 1.0


def test_without_effects_both_are_undefined():
    made = classifier("affine", projection="uniform")
    for parameter in made.decoder.parameters():
        parameter.data.zero_()
    for measure in ("relevance", "direction"):
        for rows in rows_of(made, some_scores(), measure):
            assert "never changes" in rows["mine"].undefined


def chosen(made, texts=TEXTS, erasure="delete", **options):
    (removal,) = ERASURES.build([erasure]).values()
    removal.check(made)
    some = instances(texts, None, boundary_symbols=True)
    return choose_sampling(made, some, removal, SamplingOptions(**options)), some, removal


def test_permutations_are_doubled_until_the_relevance_is_reliable():
    made = classifier()
    texts = [" ".join(LONG[first : first + 12]) for first in range(4)]
    few, some, removal = chosen(made, texts, reliability=0.05)
    assert few.permutations == 16 and few.problem is None and few.texts == 4
    many, _, _ = chosen(made, texts, reliability=0.99999, most=48)
    assert many.permutations == 48 and "0.99999" in many.problem
    for sampling in (few, many):
        found = word_effects(made, some, removal, sampling)
        mean = numpy.mean([effects.reliability for effects in found])
        assert mean == pytest.approx(sampling.reliability[sampling.output])


def test_logits_are_chosen_where_probabilities_are_saturated():
    made = classifier("affine")
    made.decoder.weight.data.mul_(100)
    sampling, _, _ = chosen(made, [" ".join(LONG)])
    assert sampling.output == "logits" and sampling.problem is None
    assert sampling.reliability["logits"] > (sampling.reliability["probability"] or 0)
    assert chosen(made, [" ".join(LONG)], output="probability")[0].output == "probability"


def test_pilot_texts_depend_on_ids_and_seed_only():
    some = instances(TEXTS * 5, None)
    options = SamplingOptions(pilot=4)
    ids = [each["metadata"].metadata["id"] for each in options.pilot_texts(some)]
    assert ids == [each["metadata"].metadata["id"] for each in options.pilot_texts(some[::-1])]
    assert len(set(ids)) == 4
    other = SamplingOptions(pilot=4, seed=1).pilot_texts(some)
    assert ids != [each["metadata"].metadata["id"] for each in other]


@pytest.mark.parametrize(
    "option, value",
    [("permutations", 2), ("output", "logit"), ("reliability", 1.0), ("most", 8), ("pilot", 0)],
)
def test_wrong_options_are_named(option, value):
    with pytest.raises(InputError, match=option):
        MEASURES.build([{"type": "relevance", option: value}])


def test_the_order_by_relevance_is_a_reference_for_measures_of_rankings():
    made = classifier()
    measures = MEASURES.build(
        [{"type": "relevance", "permutations": 16}, "comprehensiveness", "sufficiency"]
    )
    evaluator = Evaluator(made, measures, ERASURES.build(["delete"]), random_orders=5)
    some = instances(TEXTS, None, boundary_symbols=True)
    scored = [
        ScoredText(f"text-{number}", text.split(), made.labels[LABEL], {"mine": scores})
        for number, (text, scores) in enumerate(zip(TEXTS, some_scores()))
    ]
    for text, measured in zip(TEXTS, evaluator.evaluate_batch(some, scored), strict=True):
        rows = {
            (row.method, row.measure, None if row.k is None else round(row.k, 6)): row
            for row in measured.rows
        }
        assert ("relevance", "relevance", None) not in rows
        order = numpy.argsort(-numpy.array(rows["search", "relevance", None].curve)).tolist()
        reference = slow_outputs(made, text.split(), "delete", bounded=True)
        for slow in (comprehensiveness, sufficiency):
            for (name, k), value in slow(reference, order, LABEL, BINS).items():
                if value is not None:
                    assert rows["relevance", name, k].value == pytest.approx(value, abs=1e-9)
