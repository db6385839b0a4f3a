"""Gradient SHAP: equal to its definition draw by draw, and to integrated gradients in the limit."""

import pytest
import torch

import attention_explain.interpret.integrated_gradients  # noqa: F401  (registers it)
from attention_explain.errors import InputError
from attention_explain.interpret.text_batch import TextBatch
from attention_explain.passes import generator_for
from tests.builders import ENCODERS, instances, model, vocabulary
from tests.interpret.no_trace import check_no_trace_is_left, interpreter
from tests.interpret.one_by_one import one_by_one
from tests.interpret.sampling import check_seeded_by_the_instance

every_encoder = pytest.mark.parametrize("encoder", ENCODERS)


def probability(classifier, embeddings, text):
    logits = classifier.logits(embeddings, text.inputs)
    return torch.softmax(logits, -1)[0, 0]


@every_encoder
@pytest.mark.parametrize("noise", [0.0, 0.5])
def test_equals_the_definition_draw_by_draw(encoder, noise):
    vocab = vocabulary(boundary_symbols=True)
    classifier = model(encoder, vocab=vocab).double()
    made = instances(boundary_symbols=True)
    method = interpreter("gradient-shap", classifier, samples=4, noise=noise, seed=7)
    results = method.saliency_interpret_instances(made, target=classifier.labels[0])
    for result, text in zip(results, one_by_one(TextBatch.of(classifier, made)), strict=True):
        embeddings = classifier.embed(text.tokens).detach()
        (seen,) = text.attendable
        baseline = torch.where(seen[:, None], 0.0, embeddings)
        generator = generator_for(7, text.ids[0], "gradient-shap")
        expected = torch.zeros(text.length, dtype=torch.double)
        for sample in range(4):
            position = (sample + torch.rand(1, generator=generator).double()) / 4
            noisy = embeddings.clone()
            if noise:
                drawn = torch.randn(int(seen.sum()), embeddings.size(-1), generator=generator)
                noisy[0, seen] += noise * drawn.double()
            point = (baseline + position * (noisy - baseline)).requires_grad_()
            (gradient,) = torch.autograd.grad(probability(classifier, point, text), point)
            expected += (gradient * (noisy - baseline)).sum(-1)[0] / 4
        assert result["scores"] == pytest.approx(expected[seen].tolist(), abs=1e-9)


def test_tends_to_integrated_gradients_and_to_completeness():
    classifier = model(vocab=vocabulary())
    made = instances()
    method = interpreter("gradient-shap", classifier, samples=300)
    results = method.saliency_interpret_instances(made, target=classifier.labels[0])
    for result, text in zip(results, one_by_one(TextBatch.of(classifier, made)), strict=True):
        embeddings = classifier.embed(text.tokens).detach()
        integrated = torch.zeros(text.length)
        for step in range(50):
            point = (embeddings * (step + 0.5) / 50).requires_grad_()
            (gradient,) = torch.autograd.grad(probability(classifier, point, text), point)
            integrated += (gradient * embeddings).sum(-1)[0] / 50
        assert result["scores"] == pytest.approx(integrated.tolist(), abs=1e-4)
        with torch.no_grad():
            difference = probability(classifier, embeddings, text) - probability(
                classifier, torch.zeros_like(embeddings), text
            )
        assert result["convergence_delta"] == pytest.approx(
            sum(result["scores"]) - difference.item(), abs=1e-6
        )
        assert abs(result["convergence_delta"]) < 1e-4


@every_encoder
@pytest.mark.parametrize("noise", [0.0, 0.1])
def test_random_numbers_belong_to_the_instance(encoder, noise):
    classifier = model(encoder, vocab=vocabulary(boundary_symbols=True)).double()
    check_seeded_by_the_instance("gradient-shap", classifier, samples=5, noise=noise)


def test_no_trace_is_left(monkeypatch):
    method = interpreter("gradient-shap", model(), samples=3)
    check_no_trace_is_left(method, monkeypatch)


@pytest.mark.parametrize(
    "options, sentence",
    [
        ({"samples": 0}, "samples must be at least 1, but is 0"),
        ({"noise": -1.0}, "noise must not be negative"),
        ({"of": "loss"}, "of is 'loss'"),
        ({"baseline": "noise"}, "baseline is 'noise'"),
    ],
)
def test_bad_options_are_rejected(options, sentence):
    with pytest.raises(InputError, match=sentence):
        interpreter("gradient-shap", model(), **options)
