"""Other attention for the same states gives what the model's own decoder gives."""

import pytest
import torch

from attention_explain.counterfactual.perturbation import FixedStates
from attention_explain.interpret.text_batch import TextBatch
from tests.builders import ENCODERS, PROJECTIONS, batch, instances
from tests.counterfactual.fixed import fixed, sharp_model


@pytest.mark.parametrize("encoder", ENCODERS)
@pytest.mark.parametrize("projection", PROJECTIONS)
def test_the_models_own_attention_gives_the_models_own_output(encoder, projection):
    classifier = sharp_model(encoder, projection)
    made = instances(boundary_symbols=True)
    output = classifier(**batch(classifier.vocab, made))
    texts = fixed(classifier)
    assert texts.attention.float() == pytest.approx(output["attention"].detach(), abs=1e-6)
    probs = texts.probs(texts.attention).float()
    assert probs == pytest.approx(output["probs"].detach(), abs=1e-6)
    assert texts.predicted().equal(output["probs"].argmax(dim=-1))


def test_any_weights_give_what_decode_gives():
    classifier = sharp_model()
    group = TextBatch.of(classifier, instances(boundary_symbols=True))
    texts = FixedStates.of(classifier, group)
    states = classifier.encode(classifier.embed(group.tokens), group.inputs)
    noise = torch.randn(4, 3, group.length, generator=torch.Generator().manual_seed(1)).double()
    weights = noise.masked_fill(~group.attendable.unsqueeze(1), -torch.inf).softmax(dim=-1)
    logits = texts.logits(weights)
    for number in range(3):
        expected = classifier.decode(states, weights[:, number].float()).detach()
        assert logits[:, number].float() == pytest.approx(expected, abs=1e-5)
        assert texts.logits(weights[:, number]).equal(logits[:, number])


def test_drawn_numbers_belong_to_the_text_and_lie_on_its_tokens():
    classifier = sharp_model()
    texts = fixed(classifier)

    def draw(generator, attention):
        return torch.rand(2, len(attention), generator=generator) + 1

    together = texts.drawn(0, "test", draw, elsewhere=-5.0)
    assert together.shape == (4, 2, texts.attention.size(1))
    assert ((together > 0) == texts.attendable.unsqueeze(1)).all()
    assert (together[~texts.attendable.unsqueeze(1).expand_as(together)] == -5).all()
    for row, instance in enumerate(instances(boundary_symbols=True)):
        alone = FixedStates.of(classifier, TextBatch.of(classifier, [instance]))
        own = alone.drawn(0, "test", draw)[0]
        assert own[:, alone.attendable[0]].equal(together[row][:, texts.attendable[row]])
    assert not texts.drawn(1, "test", draw).equal(texts.drawn(0, "test", draw))
    assert not texts.drawn(0, "other", draw).equal(texts.drawn(0, "test", draw))
