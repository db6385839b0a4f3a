"""SmoothGrad: equal to its definition draw by draw; without noise it is the plain gradient."""

import pytest
import torch

from attention_explain.errors import InputError
from attention_explain.passes import generator_for
from tests.builders import ENCODERS, instances, model, vocabulary
from tests.interpret.no_trace import check_no_trace_is_left, interpreter
from tests.interpret.sampling import check_seeded_by_the_instance
from tests.interpret.slow_gradients import finite_differences, plain_texts

every_encoder = pytest.mark.parametrize("encoder", ENCODERS)


@every_encoder
def test_equals_the_definition_draw_by_draw(encoder):
    classifier = model(encoder, vocab=vocabulary(boundary_symbols=True)).double()
    texts = instances(boundary_symbols=True)
    options = {"samples": 3, "noise": 0.2, "seed": 5}
    target = classifier.labels[1]
    norms = interpreter("smoothgrad", classifier, **options)
    products = interpreter("smoothgrad", classifier, times_input=True, **options)
    assert products.signed and not norms.signed
    norms = norms.saliency_interpret_instances(texts, target)
    products = products.saliency_interpret_instances(texts, target)
    for row, text in plain_texts(classifier, texts, label=1):
        generator = generator_for(5, f"text-{row}", "smoothgrad")
        own = text.embeddings[0][text.seen]
        deviation = 0.2 * (own.max() - own.min())
        slopes = []
        for _ in range(3):
            noisy = text.embeddings.clone()
            noisy[0, text.seen] += deviation * torch.randn(own.shape, generator=generator)
            slopes.append(finite_differences(text.output, noisy))
        mean = torch.stack(slopes).mean(0)[text.seen]
        assert norms[row]["scores"] == pytest.approx(mean.norm(dim=-1).tolist(), abs=1e-7)
        expected = (mean * own).sum(-1).tolist()
        assert products[row]["scores"] == pytest.approx(expected, abs=1e-7)


@pytest.mark.parametrize(
    "options, plain, plain_options",
    [
        ({}, "gradient", {}),
        ({"norm": "l1", "of": "logit"}, "gradient", {"norm": "l1", "of": "logit"}),
        ({"times_input": True}, "gradient-x-input", {}),
    ],
)
def test_without_noise_it_is_the_plain_gradient(options, plain, plain_options):
    classifier = model()
    smooth = interpreter("smoothgrad", classifier, noise=0.0, samples=4, **options)
    method = interpreter(plain, classifier, **plain_options)
    for ours, expected in zip(
        smooth.saliency_interpret_instances(instances()),
        method.saliency_interpret_instances(instances()),
        strict=True,
    ):
        assert ours["scores"] == pytest.approx(expected["scores"], rel=1e-4, abs=1e-7)


@every_encoder
def test_random_numbers_belong_to_the_instance(encoder):
    classifier = model(encoder, vocab=vocabulary(boundary_symbols=True)).double()
    check_seeded_by_the_instance("smoothgrad", classifier, samples=5)


def test_no_trace_is_left(monkeypatch):
    check_no_trace_is_left(interpreter("smoothgrad", model(), samples=3), monkeypatch)


@pytest.mark.parametrize(
    "options, sentence",
    [
        ({"samples": 0}, "samples must be at least 1, but is 0"),
        ({"noise": -0.1}, "noise must not be negative, but is -0.1"),
        ({"norm": "max"}, "norm is 'max'"),
        ({"of": "loss"}, "of is 'loss'"),
    ],
)
def test_bad_options_are_rejected(options, sentence):
    with pytest.raises(InputError, match=sentence):
        interpreter("smoothgrad", model(), **options)
