"""
Value zeroing, ALTI and DecompX of our own transformer, against plain loops over tokens. Pretrained
ones are in tests/pretrained.
"""

import numpy
import pytest
import torch
from allennlp.interpret.saliency_interpreters import SaliencyInterpreter

from attention_explain import passes
from attention_explain.errors import InputError
from attention_explain.interpret.text_batch import TextBatch
from attention_explain.predictors.saliency import SaliencyPredictor
from tests.builders import ENCODERS, TEXTS, instances, model, vocabulary
from tests.interpret.no_trace import check_no_trace_is_left, interpreter
from tests.interpret.slow_decompositions import (
    alti_map,
    array,
    rolled_out,
    through_layers,
    through_linear,
)
from tests.interpret.slow_removal import check_batches_and_budgets_change_nothing
from tests.pairs import pair_instances, pair_model, pair_reader, pair_vocabulary

METHODS = ["value-zeroing", "alti", "decompx"]
every_method = pytest.mark.parametrize("method", METHODS)


@pytest.fixture(params=["softmax", "sparsemax"])
def classifier(request, monkeypatch):
    config = {**ENCODERS["transformer"], "projection": request.param}
    monkeypatch.setitem(ENCODERS, "this one", config)
    return model("this one", vocab=vocabulary(boundary_symbols=True)).double()


@torch.no_grad()
def run(classifier, instance):
    """The layers, the states below each and above the last, the maps, attention, and what gets a score."""
    text = TextBatch.of(classifier, [instance])
    read = classifier.through_layers(classifier.embed(text.tokens), text.inputs)
    states = [array(layer.inputs[0]) for layer in read.layers]
    maps = [array(layer.weights(slice(None))[0]) for layer in read.layers]
    layers = list(classifier.encoder.layers)
    return layers, states, maps, array(read.last[0]), text.seen[0].numpy()


def check(classifier, method, expected, **options):
    """`expected` gives the score of each token, boundary symbols included."""
    made = instances(boundary_symbols=True)
    found = interpreter(method, classifier, **options).saliency_interpret_instances(
        made, classifier.labels[1]
    )
    for instance, each in zip(made, found, strict=True):
        *read, seen = run(classifier, instance)
        assert each["scores"] == pytest.approx(expected(*read)[seen].tolist(), abs=1e-9)
        assert len(each["scores"]) == 1 or numpy.ptp(each["scores"]) > 1e-3


def test_value_zeroing_is_a_pass_without_each_value(classifier):
    def output(layer, states, zeroed=None):
        def zero(module, given, values):
            values = values.clone()
            values[:, zeroed] = 0.0
            return values

        hook = None
        if zeroed is not None:
            hook = layer.self_attention.value_layer.register_forward_hook(zero)
        found = layer(torch.tensor(states)[None], torch.ones(1, len(states), dtype=torch.bool))
        if hook is not None:
            hook.remove()
        return array(found[0])

    def expected(layers, states, maps, last):
        contributions = []
        for layer, inputs in zip(layers, states, strict=True):
            whole, zeroed = (
                output(layer, inputs),
                [output(layer, inputs, j) for j in range(len(inputs))],
            )
            distances = [
                [
                    1 - one @ without[i] / (numpy.linalg.norm(one) * numpy.linalg.norm(without[i]))
                    for without in zeroed
                ]
                for i, one in enumerate(whole)
            ]
            contributions.append(numpy.array(distances))
        return rolled_out(contributions, last)

    check(classifier, "value-zeroing", expected)


def test_alti_equals_the_definition_in_plain_loops(classifier):
    def expected(layers, states, maps, last):
        return rolled_out(
            [alti_map(*each) for each in zip(layers, states, maps, strict=True)], last
        )

    check(classifier, "alti", expected)


def test_decompx_equals_the_definition_in_plain_loops(classifier):
    def expected(layers, states, maps, last):
        terms = through_layers(layers, states[0], maps)
        context = [
            sum(weight * own[k] for weight, own in zip(last, terms, strict=True))
            for k in range(len(terms))
        ]
        return numpy.array([votes[1] for votes in through_linear(classifier.decoder, context)])

    check(classifier, "decompx", expected)
    results = interpreter("decompx", classifier).saliency_interpret_instances(
        instances(boundary_symbols=True)
    )
    assert max(abs(each["convergence_delta"]) for each in results) < 1e-10


@every_method
def test_batches_and_budgets_change_nothing(method, classifier):
    check_batches_and_budgets_change_nothing(method, classifier)


@every_method
@pytest.mark.parametrize("pairs", [1, 100, 1000])
def test_chunks_change_nothing(method, classifier, pairs, monkeypatch):
    text = TextBatch.of(classifier, instances(boundary_symbols=True))
    method = interpreter(method, classifier)
    whole = method.attribute_batch(text, None).scores
    monkeypatch.setattr(passes, "PAIRS", pairs)
    chunks = method.attribute_batch(text, None).scores
    torch.testing.assert_close(chunks, whole, atol=1e-10, rtol=0)


@every_method
def test_no_trace_is_left(method, monkeypatch):
    classifier = model("transformer")
    part = classifier.encoder.layers[1].attention_norm
    check_no_trace_is_left(interpreter(method, classifier), monkeypatch, part=part)


@every_method
@pytest.mark.parametrize("encoder", ["bilstm", "affine"])
def test_other_encoders_are_rejected(method, encoder):
    with pytest.raises(InputError, match=r"layers of self-attention \(transformer\), but"):
        interpreter(method, model(encoder))


def test_value_zeroing_sums_to_one_without_boundary_symbols():
    method = interpreter("value-zeroing", model("transformer"))
    for text, result in zip(TEXTS, method.saliency_interpret_instances(instances()), strict=True):
        assert len(result["scores"]) == len(text.split())
        assert sum(result["scores"]) == pytest.approx(1, abs=1e-5)


def test_decompx_of_a_pair_sums_to_the_logit():
    vocab = pair_vocabulary(boundary_symbols=True)
    classifier = pair_model("transformer", vocab=vocab).double()
    method = SaliencyInterpreter.by_name("decompx")(SaliencyPredictor(classifier, pair_reader()))
    made = pair_instances(boundary_symbols=True)
    together = method.saliency_interpret_instances(made)
    assert max(abs(each["convergence_delta"]) for each in together) < 1e-10
    for instance, found in zip(made, together, strict=True):
        (alone,) = method.saliency_interpret_instances([instance])
        assert found["scores"] == pytest.approx(alone["scores"], abs=1e-10)
        assert numpy.ptp(found["scores"]) > 0 or len(found["scores"]) == 1
