"""`drop-top` and `removal-order`, against loops that remove one weight after the other."""

import pytest
import torch
from scipy.spatial import distance

from attention_explain.counterfactual.perturbation import FixedStates
from attention_explain.counterfactual.replacement import (
    ORDERS,
    decision_gradient,
    removed_at_flip,
)
from attention_explain.interpret.text_batch import TextBatch
from tests.builders import instances
from tests.counterfactual.fixed import by_hand, fixed, perturbation, sharp_model


def output_without(texts: FixedStates, row: int, removed: list[int]) -> torch.Tensor | None:
    """The probabilities when these weights are 0 and the others renormalised."""
    weights = texts.attention[row].clone()
    weights[removed] = 0
    if weights.sum() == 0:
        return None
    return torch.softmax((weights / weights.sum()) @ texts.votes[row], dim=-1)


def slowly_removed(texts: FixedStates, row: int, order: list[int]) -> int:
    decision = output_without(texts, row, []).argmax()
    for count in range(1, len(order)):
        output = output_without(texts, row, order[:count])
        if output is not None and output.argmax() != decision:
            return count
    return len(order)


def varied_texts(projection: str = "softmax", labels: int = 3) -> FixedStates:
    """The attention of a model, and votes under which decisions do flip."""
    texts = fixed(sharp_model(projection=projection))
    shape = (*texts.attention.shape, labels)
    votes = torch.randn(shape, generator=torch.Generator().manual_seed(2), dtype=torch.float64)
    bias = torch.linspace(-1, 2, labels, dtype=torch.float64)
    return FixedStates(texts.ids, texts.words, texts.attendable, texts.attention, votes, bias)


def gradient_by_weights(texts: FixedStates) -> torch.Tensor:
    """torch's, of the decoder as the model has it: its bias is added once."""
    weights = texts.attention.clone().requires_grad_()
    logits = torch.einsum("bt,btl->bl", weights, texts.votes - texts.bias) + texts.bias
    logits.softmax(dim=-1).max(dim=-1).values.sum().backward()
    return weights.grad


@pytest.mark.parametrize("projection", ["softmax", "sparsemax", "uniform"])
@pytest.mark.parametrize("seed", range(3))
def test_prefixes_at_once_equal_a_loop(projection, seed):
    texts = varied_texts(projection)
    chance = torch.Generator().manual_seed(seed)
    importance = torch.rand(texts.attention.shape, generator=chance)
    counts = removed_at_flip(texts, importance).tolist()
    for row in range(4):
        tokens = texts.attendable[row].nonzero().flatten().tolist()
        order = sorted(tokens, key=lambda token: -importance[row, token])
        assert counts[row] == slowly_removed(texts, row, order)


def test_the_orders_are_those_that_are_named():
    texts = varied_texts()
    gradient = gradient_by_weights(texts)
    importance = {
        "attention": texts.attention,
        "gradient": gradient,
        "gradient_x_attention": gradient * texts.attention,
    }
    result = perturbation("removal-order").perturb(texts)
    for name, values in importance.items():
        expected = removed_at_flip(texts, values)
        assert result[f"{name}_fraction"].equal(expected / texts.lengths())
        assert result[f"{name}_flipped"].equal(expected < texts.lengths())
    fractions = [result[f"{name}_fraction"] for name in ORDERS]
    assert result["random_flipped"].any()
    assert not any(fractions[-1].equal(other) for other in fractions[:-1])


def test_the_gradient_is_torchs_at_the_weights_that_the_model_decodes_with():
    classifier = sharp_model().double()
    batch = TextBatch.of(classifier, instances(boundary_symbols=True))
    with torch.no_grad():
        classifier.decoder.bias.add_(torch.tensor([0.7, -0.4]))
        states = classifier.encode(classifier.embed(batch.tokens), batch.inputs)
        weights = classifier.attend(states, batch.inputs)
    weights.requires_grad_()
    probs = classifier.decode(states, weights).softmax(dim=-1)
    (gradient,) = torch.autograd.grad(probs.max(dim=-1).values.sum(), weights)
    found = decision_gradient(FixedStates.of(classifier, batch))
    seen = batch.attendable
    assert found[seen].numpy() == pytest.approx(gradient[seen].numpy(), abs=1e-12)
    # Large enough for the bias to be seen in it.
    assert gradient[seen].abs().max() > 0.01


def test_the_gradient_of_texts_written_down_is_torchs():
    texts = varied_texts()
    expected = gradient_by_weights(texts)
    assert decision_gradient(texts).numpy() == pytest.approx(expected.numpy(), abs=1e-12)


def test_removal_by_hand():
    """
    Votes for the second label 4, 1, -1, -2, attention .4, .3, .2, .1: by attention, .3 - .2 - .2 is
    negative once the first is gone. By gradient the order is the same; by their product, too.
    """
    votes = [[0, 4.0], [0, 1.0], [0, -1.0], [0, -2.0]]
    result = perturbation("removal-order").perturb(by_hand(votes, [0.4, 0.3, 0.2, 0.1]))
    for order in ("attention", "gradient", "gradient_x_attention"):
        assert result[f"{order}_fraction"].item() == 0.25
        assert result[f"{order}_flipped"].item()


def test_a_decision_that_never_flips_takes_all_tokens():
    result = perturbation("removal-order").perturb(by_hand([[0, 1.0], [0, 2.0], [0, 3.0]]))
    for order in ORDERS:
        assert result[f"{order}_fraction"].item() == 1 and not result[f"{order}_flipped"].item()
    alone = perturbation("removal-order").perturb(by_hand([[0, 1.0]]))
    assert alone["attention_fraction"].item() == 1 and not alone["attention_flipped"].item()


def test_tokens_without_weight_change_nothing_when_they_are_all_that_is_left():
    texts = by_hand([[0, 1.0], [0, -9.0], [0, -9.0]], attention=[1.0, 0.0, 0.0])
    result = perturbation("removal-order").perturb(texts)
    assert result["attention_fraction"].item() == 1 and not result["attention_flipped"].item()


@pytest.mark.parametrize("projection", ["softmax", "sparsemax"])
def test_drop_top_equals_zeroing_one_weight(projection):
    texts = varied_texts(projection)
    before = texts.probs(texts.attention)
    result = perturbation("drop-top").perturb(texts)
    for row in (0, 1, 3):
        tokens = texts.attendable[row].nonzero().flatten().tolist()
        top = max(tokens, key=lambda token: texts.attention[row, token])
        # Which of the others was dropped is known by its weight, or else has none.
        dropped = result["random_weight"][row]
        others = [token for token in tokens if token != top]
        (other, *_) = [token for token in others if texts.attention[row, token] == dropped]
        assert result["top_weight"][row] == texts.attention[row, top]
        for name, token in (("top", top), ("random", other)):
            after = output_without(texts, row, [token])
            tvd = (after - before[row]).abs().sum().item() / 2
            jsd = distance.jensenshannon(after, before[row]) ** 2
            assert result[f"{name}_tvd"][row].item() == pytest.approx(tvd, abs=1e-12)
            assert result[f"{name}_jsd"][row].item() == pytest.approx(jsd, abs=1e-9)
            flip = after.argmax() != before[row].argmax()
            assert bool(result[f"{name}_flip"][row]) == bool(flip)


def test_what_is_dropped_at_random_is_any_token_but_the_top():
    texts = by_hand([[0, 1.0]] * 4, attention=[0.1, 0.4, 0.2, 0.3])
    dropped = {
        perturbation("drop-top", seed=seed).perturb(texts)["random_weight"].item()
        for seed in range(40)
    }
    assert dropped == {0.1, 0.2, 0.3}


@pytest.mark.parametrize("attention", [[1.0], [0.0, 1.0, 0.0]])
def test_drop_top_is_undefined_where_nothing_is_left(attention):
    result = perturbation("drop-top").perturb(by_hand([[0, 1.0]] * len(attention), attention))
    assert all(value.isnan().all() for value in result.values())
