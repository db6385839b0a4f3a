"""`instance-adversary`: what it reports is true, and its search is the published one."""

import math

import pytest
import torch
from scipy.spatial import distance

from attention_explain.counterfactual.instance_adversary import AdversaryLoss, start
from attention_explain.counterfactual.perturbation import FixedStates
from attention_explain.errors import InputError
from attention_explain.interpret.text_batch import TextBatch
from tests.builders import instances
from tests.counterfactual.fixed import by_hand, fixed, perturbation, sharp_model


def slow_loss(texts: FixedStates, row: int, weights: torch.Tensor) -> torch.Tensor:
    """The published loss of one text, from its definition. Shape of weights: (sets, tokens)"""

    def kl(p, q):
        return (p * (p / q).log()).sum()

    def jsd(p, q):
        middle = (p + q) / 2
        return (kl(p, middle) + kl(q, middle)) / 2

    attention = texts.attention[row, texts.attendable[row]]
    votes = texts.votes[row, texts.attendable[row]]
    before = torch.softmax(attention @ votes, dim=-1)
    total = torch.tensor(0.0, dtype=torch.float64)
    for one in weights:
        output = torch.softmax(one @ votes, dim=-1)
        difference = (output - before).abs().sum() / 2
        total = total - jsd(one, attention) + 500 * torch.relu(difference - 0.01)
        for other in weights:
            total = total - jsd(one, other) / len(weights) ** 2
    return total


@pytest.mark.parametrize("sets", [1, 2, 5])
def test_the_gradient_is_that_of_the_published_loss(sets):
    texts = fixed(sharp_model())
    logits = start(texts, sets, 3.0, seed=0)
    found = AdversaryLoss(texts, sets, penalty=500.0, margin=0.01).gradient(logits)
    assert (found[~texts.attendable.unsqueeze(1).expand_as(found)] == 0).all()
    for row in range(4):
        seen = texts.attendable[row]
        own = logits[row][:, seen].clone().requires_grad_()
        slow_loss(texts, row, own.softmax(dim=-1)).backward()
        expected = own.grad.numpy()
        assert found[row][:, seen].numpy() == pytest.approx(expected, rel=1e-6, abs=1e-10)


def test_the_whole_search_is_the_published_one():
    """A text at a time, by torch's own gradients and a plain Adam; the best of the last step."""
    texts = fixed(sharp_model())
    method = perturbation("instance-adversary", sets=3, steps=60)
    result = method.perturb(texts)
    logits = start(texts, 3, 3.0, seed=0)
    for row in range(4):
        seen = texts.attendable[row]
        own = logits[row][:, seen].clone().requires_grad_()
        adam = torch.optim.Adam([own], lr=0.01, amsgrad=True, foreach=False)
        for _ in range(60):
            adam.zero_grad()
            slow_loss(texts, row, own.softmax(dim=-1)).backward()
            adam.step()
        best = 0.0
        attention, votes = texts.attention[row, seen], texts.votes[row, seen]
        before = torch.softmax(attention @ votes, dim=-1)
        for weights in own.detach().softmax(dim=-1):
            after = torch.softmax(weights @ votes, dim=-1)
            if (after - before).abs().sum() / 2 <= 0.05:
                best = max(best, distance.jensenshannon(weights, attention) ** 2)
        assert result["max_jsd"][row].item() == pytest.approx(best, abs=1e-6)
        assert bool(result["success"][row]) == (best > 0)


@pytest.mark.parametrize("projection", ["softmax", "sparsemax"])
@pytest.mark.parametrize("keep", ["last", "best"])
def test_what_is_reported_is_what_a_fresh_pass_gives(projection, keep):
    classifier = sharp_model(projection=projection)
    group = TextBatch.of(classifier, instances(boundary_symbols=True))
    method = perturbation("instance-adversary", steps=150, keep=keep)
    result = method.perturb(FixedStates.of(classifier, group))
    weights = result["attention"].float()
    assert weights.sum(dim=-1).tolist() == pytest.approx([1] * 4)
    assert (weights[~group.attendable] == 0).all() and (weights >= 0).all()
    with torch.no_grad():
        states = classifier.encode(classifier.embed(group.tokens), group.inputs)
        attention = classifier.attend(states, group.inputs)
        before = classifier.decode(states, attention).softmax(dim=-1)
        after = classifier.decode(states, weights).softmax(dim=-1)
    assert result["success"].tolist() == [True, True, False, True]
    for row in range(4):
        tvd = (after[row] - before[row]).abs().sum().item() / 2
        jsd = distance.jensenshannon(weights[row].double(), attention[row].double()) ** 2
        assert result["tvd"][row].item() == pytest.approx(tvd, abs=1e-5)
        assert result["max_jsd"][row].item() == pytest.approx(jsd, abs=1e-5)
        assert result["tvd"][row] <= 0.05
        assert bool(result["flip"][row]) == bool(after[row].argmax() != before[row].argmax())


def test_two_tokens_by_hand():
    """
    Tokens that vote alike: any weights give the same output, and the search ends with all weight on
    the token that attention does not look at, JSD log 2.
    """
    texts = by_hand([[0, 2.0], [0, 2.0]], attention=[1.0, 0.0])
    result = perturbation("instance-adversary", steps=2000).perturb(texts)
    assert result["max_jsd"].item() == pytest.approx(math.log(2), abs=1e-3)
    assert result["attention"][0].tolist() == pytest.approx([0, 1], abs=1e-3)
    assert result["tvd"].item() == pytest.approx(0) and not result["flip"].item()


def test_where_nothing_is_close_the_attention_itself_stands_and_it_is_no_success():
    """Only the attended token's vote gives the output; after one step all sets are far off."""
    texts = by_hand([[0, 40.0], [0, -40.0]], attention=[0.5, 0.5])
    result = perturbation("instance-adversary", steps=1, epsilon=1e-9).perturb(texts)
    assert result["max_jsd"].item() == 0 and result["tvd"].item() == 0
    assert not result["success"].item() and not result["flip"].item()
    assert result["attention"].equal(texts.attention)


def test_a_text_of_one_token_has_no_adversary():
    result = perturbation("instance-adversary", steps=5).perturb(by_hand([[0, 1.0]]))
    assert result["max_jsd"].item() == 0 and not result["success"].item()


def test_the_best_of_all_steps_is_never_nearer_than_the_best_of_the_last():
    texts = fixed(sharp_model())
    last = perturbation("instance-adversary", steps=100).perturb(texts)["max_jsd"]
    best = perturbation("instance-adversary", steps=100, keep="best").perturb(texts)["max_jsd"]
    assert (best >= last).all() and (best > last).any()


def test_the_search_starts_where_the_paper_does():
    texts = by_hand([[0, 1.0]] * 50)
    logits = start(texts, 200, 3.0, seed=0)
    assert logits.mean().item() == pytest.approx(-math.log(50), abs=0.1)
    assert logits.std().item() == pytest.approx(3, abs=0.1)


@pytest.mark.parametrize(
    "options, sentence",
    [
        ({"sets": 0}, "sets is 0, but must be 1 or more"),
        ({"steps": 0}, "steps is 0, but must be 1 or more"),
        ({"lr": 0.0}, "lr is 0.0, but must be above 0"),
        ({"epsilon": -1.0}, "epsilon is -1.0, but must be above 0"),
        ({"keep": "first"}, "keep is 'first', but must be one of last, best"),
    ],
)
def test_options_that_make_no_sense_are_rejected(options, sentence):
    with pytest.raises(InputError, match=sentence):
        perturbation("instance-adversary", **options)
