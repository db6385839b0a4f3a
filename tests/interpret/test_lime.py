"""LIME: equal to a weighted ridge regression solved by hand, and exact for a linear model."""

import numpy
import pytest
import torch

import attention_explain.interpret.coalitions  # noqa: F401  (registers it)
from attention_explain.errors import InputError
from attention_explain.interpret.text_batch import TextBatch
from tests.builders import ENCODERS, TEXTS, instances, model, vocabulary
from tests.interpret.no_trace import check_no_trace_is_left, interpreter
from tests.interpret.sampling import check_seeded_by_the_instance

every_encoder = pytest.mark.parametrize("encoder", ENCODERS)


@every_encoder
def test_equals_a_weighted_ridge_regression_by_hand(encoder, monkeypatch):
    classifier = model(encoder).double()
    method = interpreter("lime", classifier, samples=40, width=0.3, ridge=0.7)
    seen = []
    explain = method.explain

    def recorded(present, outputs):
        seen.append((present.double().numpy(), outputs.numpy()))
        return explain(present, outputs)

    monkeypatch.setattr(method, "explain", recorded)
    results = method.saliency_interpret_instances(instances(TEXTS[1:2]))
    ((present, outputs),) = seen
    assert present[0].all() and not present[1:].all(axis=1).any()
    whole = numpy.ones(present.shape[1])
    weights = []
    for row in present:
        norms = numpy.linalg.norm(row) * numpy.linalg.norm(whole)
        cosine = row @ whole / norms if row.any() else 0.0
        weights.append(numpy.exp(-((1 - cosine) ** 2) / 0.3**2))
    # An intercept that is not penalised, as a last column of ones.
    inputs = numpy.c_[present, numpy.ones(len(present))]
    penalty = numpy.diag([0.7] * present.shape[1] + [0.0])
    normal = inputs.T @ numpy.diag(weights) @ inputs + penalty
    solution = numpy.linalg.solve(normal, inputs.T @ (weights * outputs))
    assert results[0]["scores"] == pytest.approx(solution[:-1], abs=1e-9)
    residual = numpy.average((outputs - inputs @ solution) ** 2, weights=weights)
    mean = numpy.average(outputs, weights=weights)
    variance = numpy.average((outputs - mean) ** 2, weights=weights)
    assert results[0]["fit"] == pytest.approx(1 - residual / variance)


def test_a_linear_model_is_found_exactly():
    """With uniform attention and no context, a token's contribution depends on no other."""
    classifier = model("affine", projection="uniform").double()
    made = instances(TEXTS[1:2])
    (result,) = interpreter(
        "lime", classifier, samples=200, of="logit", ridge=1e-9
    ).saliency_interpret_instances(made, target=classifier.labels[1])
    text = TextBatch.of(classifier, made)
    with torch.no_grad():
        states = classifier.encode(classifier.embed(text.tokens), text.inputs)
        without = torch.tanh(classifier.encoder.layer.bias)
        expected = (states[0] - without) @ classifier.decoder.weight[1] / text.length
    assert result["scores"] == pytest.approx(expected.tolist(), abs=1e-6)
    assert result["fit"] == pytest.approx(1)


@every_encoder
def test_random_numbers_belong_to_the_instance(encoder):
    classifier = model(encoder, vocab=vocabulary(boundary_symbols=True)).double()
    check_seeded_by_the_instance("lime", classifier, samples=30)


def test_no_trace_is_left(monkeypatch):
    method = interpreter("lime", model(), samples=16)
    check_no_trace_is_left(method, monkeypatch)


@pytest.mark.parametrize(
    "options, sentence",
    [
        ({"samples": 1}, "samples must be at least 2, but is 1"),
        ({"width": 0.0}, "width and ridge must be above 0"),
        ({"ridge": -1.0}, "width and ridge must be above 0"),
        ({"of": "loss"}, "of is 'loss'"),
        ({"baseline": "noise"}, "baseline is 'noise'"),
    ],
)
def test_bad_options_are_rejected(options, sentence):
    with pytest.raises(InputError, match=sentence):
        interpreter("lime", model(), **options)
