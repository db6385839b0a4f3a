"""Other attention over the passage of a pair: states and query stay as they are."""

import pytest
import torch

from attention_explain.counterfactual.instance_adversary import AdversaryLoss, start
from attention_explain.counterfactual.perturbation import FixedStates
from attention_explain.counterfactual.replacement import decision_gradient, removed_at_flip
from attention_explain.interpret.text_batch import TextBatch
from attention_explain.modules.projections import jensen_shannon, total_variation
from tests.builders import SCORERS_OF_PAIRS, batch
from tests.counterfactual.fixed import perturbation
from tests.pairs import PAIRS, pair_instances, pair_model, pair_vocabulary


@pytest.fixture(params=SCORERS_OF_PAIRS)
def model(request):
    return pair_model("bilstm", request.param, vocab=pair_vocabulary(boundary_symbols=True))


def fixed(model, **options):
    made = pair_instances(boundary_symbols=True, **options)
    return FixedStates.of(model, TextBatch.of(model, made))


def slow_logits(model, weights, **options):
    """The model's own decoder, with other weights instead of the attention."""
    tensors = batch(model.vocab, pair_instances(boundary_symbols=True, **options))
    tensors.pop("metadata"), tensors.pop("label")
    inputs = model.inputs(**tensors)
    states = model.encode(model.embed(tensors["tokens"]), inputs)
    return model.decode(states, weights.float(), inputs.query)


@pytest.mark.parametrize("candidates", ["all", "passage"])
@torch.no_grad()
def test_logits_of_other_weights_are_the_decoders(model, candidates):
    texts = fixed(model, candidates=candidates)
    drawn = torch.rand(texts.attention.shape).double() * texts.attendable
    weights = drawn / drawn.sum(dim=-1, keepdim=True)
    expected = slow_logits(model, weights, candidates=candidates).softmax(dim=-1)
    torch.testing.assert_close(texts.probs(weights).float(), expected)
    several = texts.probs(torch.stack([texts.attention, weights], dim=1))
    torch.testing.assert_close(several[:, 1].float(), expected)


def test_the_gradient_of_the_adversary_is_that_of_its_loss(model):
    texts = fixed(model)
    logits = start(texts, 2, 3.0, seed=0)
    found = AdversaryLoss(texts, 2, penalty=500.0, margin=0.01).gradient(logits)
    before = texts.probs(texts.attention)
    for row, seen in enumerate(texts.attendable):
        own = logits[row][:, seen].clone().requires_grad_()
        weights = torch.softmax(own, dim=-1)
        away = jensen_shannon(weights, texts.attention[row, seen]).sum()
        # All four pairs of the two sets count, half of them of a set with itself.
        apart = jensen_shannon(weights[0], weights[1]) * 2 / 4
        everywhere = torch.zeros(logits.shape, dtype=torch.double)
        everywhere[row, :, seen] = weights
        after = texts.probs(everywhere)[row]
        changed = torch.relu(total_variation(after, before[row]) - 0.01).sum()
        (expected,) = torch.autograd.grad(-away - apart + 500 * changed, own)
        torch.testing.assert_close(found[row][:, seen], expected, rtol=1e-6, atol=1e-9)


def test_the_decision_gradient_is_that_of_the_probability(model):
    texts = fixed(model)
    found = decision_gradient(texts)
    label = texts.predicted()
    rows = torch.arange(len(label))
    # The bias counts once, whatever the weights sum to.
    free = texts.attention.clone().requires_grad_()
    mean = torch.einsum("bt,btv->bv", free, texts.votes - texts.bias) + texts.bias
    texts.finished(mean).softmax(dim=-1)[rows, label].sum().backward()
    torch.testing.assert_close(found[texts.attendable], free.grad[texts.attendable])


@torch.no_grad()
def test_tokens_are_removed_until_the_decision_is_another_one(model):
    texts = fixed(model)
    importance = texts.attention
    found = removed_at_flip(texts, importance)
    for row, (passage, _, _) in enumerate(PAIRS):
        order = importance[row].masked_fill(~texts.attendable[row], -1).argsort(descending=True)
        words = len(passage.split())
        expected = words
        for removed in range(1, words):
            weights = texts.attention.clone()
            weights[row, order[:removed]] = 0
            weights = weights / weights.sum(dim=-1, keepdim=True)
            if texts.logits(weights)[row].argmax() != texts.predicted()[row]:
                expected = removed
                break
        assert int(found[row]) == expected


@pytest.mark.parametrize("name", ["permutation", "uniform", "random", "instance-adversary"])
def test_every_counterfactual_takes_pairs(model, name):
    options = {"instance-adversary": {"steps": 5}, "permutation": {"permutations": 5}}
    found = perturbation(name, **options.get(name, {})).perturb(fixed(model))
    assert all(len(values) == len(PAIRS) for values in found.values())
