"""Input -> hidden importance: equal to a loop of backward passes and to finite differences."""

import math

import pytest
import torch

from attention_explain.interpret import input_to_hidden as lstm_norm_gradients
from attention_explain.interpret.input_to_hidden import input_to_hidden
from attention_explain.interpret.text_batch import TextBatch
from tests.builders import DIM, ENCODERS, TEXTS, instances, model, vocabulary
from tests.interpret.no_trace import check_no_trace_is_left, interpreter
from tests.interpret.one_by_one import one_by_one
from tests.interpret.slow_removal import check_batches_and_budgets_change_nothing

LSTM = {"type": "lstm", "input_size": DIM, "hidden_size": 4}
OTHERS = {
    "lstm": LSTM,
    "without bias": {**LSTM, "bidirectional": True, "bias": False},
    "two layers": {**LSTM, "bidirectional": True, "num_layers": 2},
    "gru": {"type": "gru", "input_size": DIM, "hidden_size": 4, "bidirectional": True},
    "narrow cnn": {"type": "cnn", "input_dim": DIM, "channels": 4, "kernel_sizes": [1, 3]},
    "sparse transformer": {
        "type": "transformer",
        "input_dim": DIM,
        "hidden_dim": 8,
        "projection": "sparsemax",
    },
}
every_encoder = pytest.mark.parametrize("encoder", ENCODERS)
bounded_or_not = pytest.mark.parametrize("bounded", [False, True])


def state_by_state(classifier, text):
    """For each state p of a text alone, one backward pass. Rows: states, columns: inputs."""
    embeddings = classifier.embed(text.tokens).detach().requires_grad_()
    states = classifier.encode(embeddings, text.inputs)[0]
    (seen,) = text.attendable
    rows = []
    for p in seen.nonzero().squeeze(-1):
        (gradient,) = torch.autograd.grad(states[p].norm(), embeddings, retain_graph=True)
        lengths = [x.norm().item() for x in gradient[0, seen]]
        rows.append([length / sum(lengths) for length in lengths])
    return rows


def check_equals_state_by_state(classifier, bounded):
    whole = TextBatch.of(classifier, instances(boundary_symbols=bounded))
    importance = input_to_hidden(classifier, whole)
    for row, text in enumerate(one_by_one(whole)):
        (seen,) = text.attendable
        ours = importance[row][: len(seen), : len(seen)][seen][:, seen]
        expected = torch.tensor(state_by_state(classifier, text), dtype=torch.double)
        torch.testing.assert_close(ours, expected, atol=1e-9, rtol=0)
    counted = whole.attendable.unsqueeze(-1) & whole.attendable.unsqueeze(-2)
    assert (importance[~counted] == 0).all()


@every_encoder
@bounded_or_not
def test_equals_a_loop_of_backward_passes(encoder, bounded):
    vocab = vocabulary(boundary_symbols=bounded)
    check_equals_state_by_state(model(encoder, vocab=vocab).double(), bounded)


@pytest.mark.parametrize("config", OTHERS)
def test_equals_a_loop_of_backward_passes_for_other_encoders(config, monkeypatch):
    monkeypatch.setitem(ENCODERS, "this one", OTHERS[config])
    vocab = vocabulary(boundary_symbols=True)
    check_equals_state_by_state(model("this one", vocab=vocab).double(), bounded=True)


@pytest.mark.parametrize("many_states", [1, 3, 10**6])
def test_both_products_of_a_step_are_the_same(many_states, monkeypatch):
    monkeypatch.setattr(lstm_norm_gradients, "MANY_STATES", many_states)
    check_equals_state_by_state(model().double(), bounded=False)


@every_encoder
def test_equals_finite_differences(encoder):
    classifier = model(encoder).double()
    if encoder == "transformer":
        # Behind a layer norm whose gains are all the same the norm of a state is a constant.
        with torch.no_grad():
            classifier.encoder.layers[-1].feedforward_norm.weight.copy_(torch.linspace(0.5, 2, 8))
    text = TextBatch.of(classifier, instances(TEXTS[:1]))
    embeddings, step = classifier.embed(text.tokens).detach(), 1e-6

    def state_norms(at):
        return classifier.encode(at, text.inputs)[0].norm(dim=-1)

    slopes = torch.zeros(text.length, text.length, DIM, dtype=torch.double)
    with torch.no_grad():
        for j in range(text.length):
            for d in range(DIM):
                change = torch.zeros_like(embeddings)
                change[0, j, d] = step
                rise = state_norms(embeddings + change) - state_norms(embeddings - change)
                slopes[:, j, d] = rise / (2 * step)
    lengths = slopes.norm(dim=-1)
    expected = lengths / lengths.sum(dim=-1, keepdim=True)
    (ours,) = input_to_hidden(classifier, text)
    torch.testing.assert_close(ours, expected, atol=1e-7, rtol=0)


@every_encoder
def test_scores_are_normalised_entropies_and_their_mean(encoder):
    classifier = model(encoder).double()
    results = interpreter("input-to-hidden", classifier).saliency_interpret_instances(instances())
    for instance, result in zip(instances(), results):
        text = TextBatch.of(classifier, [instance])
        if text.length == 1:
            continue
        expected = []
        for row in state_by_state(classifier, text):
            nats = -sum(share * math.log(share) for share in row if share > 0)
            expected.append(nats / math.log(len(row)))
        assert result["scores"] == pytest.approx(expected, abs=1e-9)
        assert result["mean_entropy"] == pytest.approx(sum(expected) / len(expected), abs=1e-9)


def test_a_state_without_context_has_entropy_zero():
    method = interpreter("input-to-hidden", model("affine"))
    for text, result in zip(TEXTS, method.saliency_interpret_instances(instances())):
        if len(text.split()) > 1:
            assert result["scores"] == [0.0] * len(text.split())
            assert result["mean_entropy"] == 0


@pytest.mark.parametrize("encoder", ["bilstm", "affine"])
def test_entropy_over_one_token_is_undefined(encoder):
    classifier = model(encoder, vocab=vocabulary(boundary_symbols=True))
    method = interpreter("input-to-hidden", classifier)
    made = instances(["fine"], ["1"], boundary_symbols=True)
    (result,) = method.saliency_interpret_instances(made)
    assert math.isnan(result["scores"][0]) and math.isnan(result["mean_entropy"])


@pytest.mark.parametrize("encoder", ["bilstm", "cnn"])
def test_a_state_that_nothing_moves_is_undefined_and_not_in_the_mean(encoder):
    """All states of these encoders are 0 if their weights are."""
    classifier = model(encoder)
    with torch.no_grad():
        for parameter in classifier.encoder.parameters():
            parameter.zero_()
    text = TextBatch.of(classifier, instances(TEXTS[:1]))
    assert (input_to_hidden(classifier, text) == 0).all()
    (result,) = interpreter("input-to-hidden", classifier).saliency_interpret_instances(
        instances(TEXTS[:1])
    )
    assert all(math.isnan(score) for score in result["scores"])
    assert math.isnan(result["mean_entropy"])


@every_encoder
def test_batches_and_budgets_change_nothing(encoder):
    classifier = model(encoder, vocab=vocabulary(boundary_symbols=True)).double()
    check_batches_and_budgets_change_nothing("input-to-hidden", classifier)


@every_encoder
def test_no_trace_is_left(encoder, monkeypatch):
    classifier = model(encoder)
    part = classifier.text_field_embedder if encoder == "bilstm" else classifier.encoder
    method = interpreter("input-to-hidden", classifier)
    check_no_trace_is_left(method, monkeypatch, part=part)


def test_the_function_alone_leaves_no_trace_either():
    classifier = model("cnn").train()
    input_to_hidden(classifier, TextBatch.of(classifier, instances()))
    assert all(module.training for module in classifier.modules())
    assert all(parameter.grad is None for parameter in classifier.parameters())
