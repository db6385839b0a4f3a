"""`random` knows nothing of the text, and is the same whenever the same id is asked for."""

import numpy
import pytest
from scipy import stats

from attention_explain.passes import generator_for
from tests.builders import instances, model, vocabulary
from tests.interpret.no_trace import interpreter, trace
from tests.interpret.sampling import check_seeded_by_the_instance


def test_random_numbers_belong_to_the_instance():
    classifier = model(vocab=vocabulary(boundary_symbols=True))
    check_seeded_by_the_instance("random", classifier)


def test_scores_are_uniform_and_say_nothing_about_the_position():
    texts = instances(["a b c d e f g h"] * 500, ["0", "1"] * 250)
    method = interpreter("random", model(vocab=vocabulary()))
    results = method.saliency_interpret_instances(texts)
    scores = numpy.array([result["scores"] for result in results])
    assert stats.kstest(scores.ravel(), "uniform").pvalue > 0.01
    firsts = numpy.bincount(scores.argmax(axis=1), minlength=8)
    assert stats.chisquare(firsts).pvalue > 0.01


def test_neither_the_model_nor_the_target_matters():
    texts = instances()
    first = interpreter("random", model(seed=1))
    second = interpreter("random", model("affine", seed=2))
    results = first.saliency_interpret_instances(texts, target="1")
    assert results == second.saliency_interpret_instances(texts, target="0")


def test_no_trace_is_left():
    classifier = model()
    for parameter in classifier.parameters():
        parameter.grad = parameter.detach().clone()
    before = trace(classifier)
    interpreter("random", classifier).saliency_interpret_instances(instances())
    assert trace(classifier) == before


def test_each_seed_id_and_purpose_has_numbers_of_its_own():
    keys = [(0, "a", ""), (1, "a", ""), (0, "b", ""), (0, "a", "lime"), (0, "1a", ""), (0, "", "a")]
    draws = {key: tuple(generator_for(*key).get_state().tolist()) for key in keys}
    assert len(set(draws.values())) == len(keys)
    assert draws[0, "a", ""] == tuple(generator_for(0, "a").get_state().tolist())


def test_a_seed_gives_the_same_numbers_for_ever():
    """Published files are compared with new ones: these numbers may never change."""
    result = interpreter("random", model()).saliency_interpret_instances(instances())[0]
    assert result["scores"] == pytest.approx([0.8171, 0.7824, 0.3714], abs=1e-4)
