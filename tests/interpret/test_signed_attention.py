"""Attention with its direction, against removal, gradients and the definitions."""

import pytest
import torch

from attention_explain.errors import InputError
from tests.builders import ENCODERS, TEXTS, batch, instances, model, vocabulary
from tests.interpret.no_trace import check_no_trace_is_left, interpreter

CLOSE = 1e-6


def classifier(encoder="bilstm", labels=2, **options):
    vocab = vocabulary(boundary_symbols=True)
    for label in range(labels):
        vocab.add_token_to_namespace(str(label), "labels")
    return model(encoder, vocab=vocab, **options).double()


def scores(made, name, target=0, **options):
    method = interpreter(name, made, **options)
    found = method.saliency_interpret_instances(
        instances(boundary_symbols=True), target=made.labels[target]
    )
    return [each["scores"] for each in found]


def stages(made, text):
    """States, attention weights, and which tokens have a score, of one text."""
    tensors = batch(made.vocab, [text])
    with torch.no_grad():
        inputs = made.inputs(tensors["tokens"], tensors.get("attendable"))
        states = made.encode(made.embed(tensors["tokens"]), inputs)
        weights = made.attend(states, inputs)
    return states[0], weights[0], inputs.attendable[0]


def check_equal(found, expected, close=CLOSE):
    for one, other in zip(found, expected, strict=True):
        assert one == pytest.approx(other, abs=close)


@pytest.mark.parametrize("encoder", ENCODERS)
@pytest.mark.parametrize("scorer", ["additive", "scaled_dot"])
def test_the_effect_of_removal_is_exact(encoder, scorer):
    made = classifier(encoder, scorer=scorer)
    for target in (0, 1):
        exact = scores(made, "signed-attention", target, of="logit", effect="removal")
        removed = scores(made, "leave-one-out", target, at="hidden", measure="signed", of="logit")
        check_equal(exact, removed)


def test_the_effect_of_removal_is_exact_where_one_token_has_almost_all_weight():
    made = classifier()
    made.attention.scorer.weight_layer.weight.data.mul_(1e3)
    _, weights, _ = stages(made, instances(boundary_symbols=True)[1])
    assert weights.max() > 1 - 1e-9
    exact = scores(made, "signed-attention", of="logit", effect="removal")
    check_equal(exact, scores(made, "leave-one-out", at="hidden", measure="signed", of="logit"))


def test_centred_effects_are_those_of_logits_less_their_mean():
    made = classifier(labels=3)
    by_class = [
        scores(made, "leave-one-out", label, at="hidden", measure="signed", of="logit")
        for label in range(3)
    ]
    for text, given in enumerate(scores(made, "signed-attention", 2, effect="removal")):
        effects = torch.tensor([by_class[label][text] for label in range(3)])
        assert given == pytest.approx((effects[2] - effects.mean(dim=0)).tolist(), abs=CLOSE)


@pytest.mark.parametrize(
    "options",
    [{}, {"encoder": "cnn", "labels": 3}, {"projection": "sparsemax"}, {"projection": "uniform"}],
)
def test_scores_are_weights_times_directions(options):
    made = classifier(**options)
    rows = made.decoder.weight.detach()
    direction = rows[1] - rows.mean(dim=0)
    found = scores(made, "signed-attention", 1)
    for text, given in zip(instances(boundary_symbols=True), found, strict=True):
        states, weights, seen = stages(made, text)
        expected = weights * ((states - weights @ states) @ direction)
        assert given == pytest.approx(expected[seen].tolist(), abs=CLOSE)
        assert sum(given) == pytest.approx(0, abs=CLOSE)


@pytest.mark.parametrize("of", ["centred", "logit", "probability"])
def test_with_softmax_the_product_is_the_gradient_of_the_attention_score(of):
    made = classifier(labels=3)
    product = scores(made, "signed-attention", of=of)
    check_equal(product, scores(made, "signed-attention", of=of, effect="score-gradient"))


def test_attention_x_gradient_is_the_weight_times_the_change_of_the_output():
    made = classifier()
    by_variant = {
        variant: scores(made, "attention-x-gradient", 1, variant=variant)
        for variant in ("product", "gradient", "sign")
    }
    assert by_variant["product"] == scores(made, "attention-x-gradient", 1)
    for number, text in enumerate(instances(boundary_symbols=True)):
        states, weights, seen = stages(made, text)
        slope = states @ made.decoder.weight[1].detach()
        expected = {"product": weights * slope, "gradient": slope, "sign": weights * slope.sign()}
        for variant, values in expected.items():
            assert by_variant[variant][number] == pytest.approx(values[seen].tolist(), abs=CLOSE)


def test_value_norms_of_attention_over_states_are_those_of_the_decoder():
    made = classifier()
    found = scores(made, "attention", value_norms=True)
    for text, given in zip(instances(boundary_symbols=True), found, strict=True):
        states, weights, seen = stages(made, text)
        norms = (states @ made.decoder.weight.detach().T).norm(dim=-1)
        assert given == pytest.approx((weights * norms)[seen].tolist(), abs=CLOSE)


def test_removal_that_would_not_be_exact_fails():
    for options, of in (({"projection": "sparsemax"}, "logit"), ({}, "probability")):
        with pytest.raises(InputError, match="'removal' needs softmax attention"):
            interpreter("signed-attention", classifier(**options), effect="removal", of=of)


@pytest.mark.parametrize("name", ["signed-attention", "attention-x-gradient"])
@pytest.mark.parametrize("options", [{}, {"of": "probability"}])
def test_no_trace_is_left(name, options, monkeypatch):
    check_no_trace_is_left(interpreter(name, model(), **options), monkeypatch)


def test_batches_change_nothing():
    made = classifier("transformer")
    method = interpreter("signed-attention", made)
    texts = instances(boundary_symbols=True)
    together = method.saliency_interpret_instances(texts, target=made.labels[0])
    assert len(together) == len(TEXTS)
    for text, both in zip(texts, together, strict=True):
        (alone,) = method.saliency_interpret_instances([text], target=made.labels[0])
        assert alone["scores"] == pytest.approx(both["scores"], abs=1e-12)
