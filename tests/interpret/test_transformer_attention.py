"""Attention through layers: by hand on three tokens, and against slow definitions."""

import itertools
from types import SimpleNamespace

import numpy
import pytest
import torch

from attention_explain.errors import InputError
from attention_explain.interpret import encoders
from attention_explain.interpret.text_batch import TextBatch
from attention_explain.interpret.transformer_attention import flow_from_source
from attention_explain.modules.layer_attention import LayerAttention
from tests.builders import ENCODERS, PROJECTIONS, TEXTS, instances, model, vocabulary
from tests.interpret.no_trace import check_no_trace_is_left, interpreter
from tests.interpret.slow_removal import check_batches_and_budgets_change_nothing

METHODS = ["attention-rollout", "attention-flow", "value-weighted-attention"]
every_method = pytest.mark.parametrize("method", METHODS)

# Three tokens, two layers. With half of the identity mixed in, the maps are
#   first: 1 0 0 | 1/4 3/4 0 | 0 0 1      second: 1/2 1/2 0 | 0 1 0 | 1/4 0 3/4
FIRST = [[1.0, 0.0, 0.0], [0.5, 0.5, 0.0], [0.0, 0.0, 1.0]]
SECOND = [[0.0, 1.0, 0.0], [0.0, 1.0, 0.0], [0.5, 0.0, 0.5]]
LAST = [0.5, 0.25, 0.25]


def given_attention(weights):
    module = SimpleNamespace(
        num_heads=1, maps=lambda inputs, mask, attending: weights[:, :, attending]
    )
    return LayerAttention(SimpleNamespace(self_attention=module), inputs=None, mask=None)


def scores_of_the_example(method, monkeypatch, residual=0.5):
    classifier = model("transformer").double()
    maps = [torch.tensor([[layer]], dtype=torch.double) for layer in (FIRST, SECOND)]
    states = torch.zeros(1, 3, 8, dtype=torch.double)
    monkeypatch.setattr(
        encoders,
        "layer_attention",
        lambda *_: (states, [given_attention(weights) for weights in maps]),
    )
    last = torch.tensor([LAST], dtype=torch.double)
    monkeypatch.setattr(classifier, "attend", lambda *_: last)
    text = TextBatch.of(classifier, instances(TEXTS[:1]))
    target = torch.zeros(1, dtype=torch.long)
    return interpreter(method, classifier, residual=residual).attribute_batch(text, target).scores


def test_rollout_by_hand(monkeypatch):
    # (1/2 1/4 1/4) times the second map is (5/16 1/2 3/16); times the first:
    expected = torch.tensor([[7 / 16, 6 / 16, 3 / 16]], dtype=torch.double)
    ours = scores_of_the_example("attention-rollout", monkeypatch)
    torch.testing.assert_close(ours, expected)


def test_rollout_without_residual_is_the_product_of_the_raw_maps(monkeypatch):
    # (1/2 1/4 1/4) -> (1/8 3/4 1/8) -> (1/8 + 3/8, 3/8, 1/8)
    expected = torch.tensor([[4 / 8, 3 / 8, 1 / 8]], dtype=torch.double)
    ours = scores_of_the_example("attention-rollout", monkeypatch, residual=0.0)
    torch.testing.assert_close(ours, expected)


def test_flow_by_hand(monkeypatch):
    # To the first token: 1/2 + 1/4 through its own node and 1/4 through the second's, its width.
    # To the second: 1/2 + 1/4 through its own node. To the third: 1/4, all that its state gets.
    expected = torch.tensor([[1.0, 3 / 4, 1 / 4]], dtype=torch.double)
    ours = scores_of_the_example("attention-flow", monkeypatch)
    torch.testing.assert_close(ours, expected, atol=1e-8, rtol=0)


@pytest.mark.parametrize("layers", [1, 2, 3])
def test_maximum_flow_is_the_smallest_cut(layers):
    """The narrowest of all ways to part the source from the target, by trying them all."""
    chance = numpy.random.default_rng(layers)
    tokens = 3
    source = chance.dirichlet(numpy.full(tokens, 0.5))
    maps = chance.dirichlet(numpy.full(tokens, 0.3), (layers, tokens))
    maps[0, 1] = [0.0, 1.0, 0.0]
    widths = {("source", (layers, i)): source[i] for i in range(tokens)}
    for layer, i, j in itertools.product(range(layers), range(tokens), range(tokens)):
        widths[(layer + 1, i), (layer, j)] = maps[layer, i, j]
    inner = list(itertools.product(range(layers + 1), range(tokens)))
    for target, flow in enumerate(flow_from_source(source, maps, range(tokens))):
        free = [node for node in inner if node != (0, target)]
        cuts = []
        for sides in itertools.product([True, False], repeat=len(free)):
            side = dict(zip(free, sides), source=True)
            side[0, target] = False
            cuts.append(
                sum(width for (head, tail), width in widths.items() if side[head] > side[tail])
            )
        assert flow == pytest.approx(min(cuts), abs=1e-8)


@pytest.mark.parametrize("heads", [1, 2])
@pytest.mark.parametrize("projection", ["softmax", "sparsemax"])
def test_value_weighted_equals_norms_of_sums_of_vectors(heads, projection, monkeypatch):
    config = {**ENCODERS["transformer"], "num_heads": heads, "projection": projection}
    monkeypatch.setitem(ENCODERS, "this one", config)
    classifier = model("this one").double()
    encoder = classifier.encoder
    text = TextBatch.of(classifier, instances(TEXTS[:1]))
    tokens = range(text.length)
    maps = []
    with torch.no_grad():
        embeddings = classifier.embed(text.tokens)
        states = encoder.input_layer(embeddings) + encoder._position_vectors(embeddings)
        for layer in encoder.layers:
            attention = layer.self_attention
            weights = attention.maps(states, text.mask)
            values = attention.value_layer(states)[0]
            size = values.size(-1) // heads
            lengths = torch.zeros(text.length, text.length, dtype=torch.double)
            for i, j in itertools.product(tokens, tokens):
                total = torch.zeros(values.size(-1), dtype=torch.double)
                for head in range(heads):
                    part = slice(head * size, (head + 1) * size)
                    output = attention.output_layer.weight[:, part]
                    total += weights[0, head, i, j] * (output @ values[j, part])
                lengths[i, j] = total.norm()
            maps.append(lengths / lengths.sum(dim=-1, keepdim=True))
            states = layer(states, text.mask)
        last = classifier.attend(states, text.inputs)[0] * states[0].norm(dim=-1)
        identity = torch.eye(text.length, dtype=torch.double)
        expected = last / last.sum()
        for weights in maps[::-1]:
            expected = expected @ (0.5 * identity + 0.5 * weights)
    method = interpreter("value-weighted-attention", classifier)
    (ours,) = method.attribute_batch(text, None).scores
    torch.testing.assert_close(ours, expected, atol=1e-10, rtol=0)


@pytest.mark.parametrize("method", ["attention-rollout", "value-weighted-attention"])
@pytest.mark.parametrize("projection", PROJECTIONS)
def test_scores_sum_to_one_without_boundary_symbols_and_to_less_with_them(method, projection):
    for bounded in (False, True):
        vocab = vocabulary(boundary_symbols=bounded)
        classifier = model("transformer", projection=projection, vocab=vocab)
        results = interpreter(method, classifier).saliency_interpret_instances(
            instances(boundary_symbols=bounded)
        )
        for text, result in zip(TEXTS, results):
            assert len(result["scores"]) == len(text.split())
            assert min(result["scores"]) >= 0
            total = sum(result["scores"])
            assert total < 1 - 1e-3 if bounded else total == pytest.approx(1, abs=1e-5)


def test_no_flow_is_wider_than_the_source():
    classifier = model("transformer", vocab=vocabulary(boundary_symbols=True))
    results = interpreter("attention-flow", classifier).saliency_interpret_instances(
        instances(boundary_symbols=True)
    )
    for result in results:
        assert min(result["scores"]) > 0 and max(result["scores"]) <= 1


@every_method
def test_batches_and_budgets_change_nothing(method):
    classifier = model("transformer", vocab=vocabulary(boundary_symbols=True)).double()
    check_batches_and_budgets_change_nothing(method, classifier)


@every_method
def test_no_trace_is_left(method, monkeypatch):
    classifier = model("transformer")
    # In the second layer, when the first has been recorded.
    part = classifier.encoder.layers[1].attention_norm
    check_no_trace_is_left(interpreter(method, classifier), monkeypatch, part=part)


@every_method
@pytest.mark.parametrize("encoder", ["bilstm", "affine", "cnn"])
def test_other_encoders_are_rejected(method, encoder):
    with pytest.raises(InputError, match=r"layers of self-attention \(transformer\), but"):
        interpreter(method, model(encoder))


@every_method
@pytest.mark.parametrize("residual", [-0.1, 1.0])
def test_a_residual_out_of_range_is_rejected(method, residual):
    with pytest.raises(InputError, match="at least 0 and less than 1"):
        interpreter(method, model("transformer"), residual=residual)
