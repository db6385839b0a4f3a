"""Leave-one-out: equal to really deleting the word, for every encoder, projection and measure."""

import pytest
import torch
from allennlp.common.checks import ConfigurationError

import attention_explain.interpret.occlusion  # noqa: F401  (registers it)
from attention_explain.errors import InputError
from attention_explain.interpret.text_batch import TextBatch
from tests.builders import ENCODERS, PROJECTIONS, SCORERS, TEXTS, instances, model, vocabulary
from tests.interpret.no_trace import check_no_trace_is_left, interpreter
from tests.interpret.slow_removal import (
    check_batches_and_budgets_change_nothing,
    check_equals_real_removal,
    deleted,
    state_dropped,
)

every_encoder = pytest.mark.parametrize("encoder", ENCODERS)
every_projection = pytest.mark.parametrize("projection", PROJECTIONS)
bounded_or_not = pytest.mark.parametrize("bounded", [False, True])


@every_encoder
@every_projection
@bounded_or_not
def test_equals_really_deleting(encoder, projection, bounded):
    vocab = vocabulary(boundary_symbols=bounded)
    classifier = model(encoder, projection=projection, vocab=vocab).double()
    check_equals_real_removal("leave-one-out", classifier, deleted, bounded)


@every_encoder
@every_projection
@bounded_or_not
def test_of_hidden_drops_a_weight_and_projects_again(encoder, projection, bounded):
    vocab = vocabulary(boundary_symbols=bounded)
    classifier = model(encoder, projection=projection, vocab=vocab).double()
    check_equals_real_removal("leave-one-out", classifier, state_dropped, bounded, at="hidden")


@every_encoder
@pytest.mark.parametrize("scorer", SCORERS)
@pytest.mark.parametrize("label", ["0", "1"])
@pytest.mark.parametrize("of", ["probability", "logit"])
def test_signed_is_the_drop_of_any_class(encoder, scorer, label, of):
    classifier = model(encoder, scorer).double()
    check_equals_real_removal(
        "leave-one-out", classifier, deleted, measure="signed", label=label, of=of
    )


@every_encoder
def test_without_its_only_word_a_text_has_the_output_of_an_empty_context(encoder):
    classifier = model(encoder, vocab=vocabulary(boundary_symbols=True)).double()
    made = instances(["fine"], ["1"], boundary_symbols=True)
    for at in ("input", "hidden"):
        method = interpreter("leave-one-out", classifier, at=at)
        ((score,),) = (result["scores"] for result in method.saliency_interpret_instances(made))
        empty = classifier.decoder.bias.detach().softmax(-1)
        whole = torch.tensor(classifier.forward_on_instances(made)[0]["probs"])
        assert score == pytest.approx(float((whole - empty).abs().sum() / 2))


@every_encoder
@pytest.mark.parametrize("at", ["input", "hidden"])
def test_batches_and_budgets_change_nothing(encoder, at):
    classifier = model(encoder, vocab=vocabulary(boundary_symbols=True)).double()
    check_batches_and_budgets_change_nothing("leave-one-out", classifier, at=at)


@pytest.mark.parametrize("encoder", ["cnn", "transformer"])
def test_no_pass_holds_more_than_the_budget(encoder, monkeypatch):
    classifier = model(encoder)
    budget, sizes = 30, []
    encode = classifier.encode

    def recorded(embeddings, inputs):
        sizes.append(inputs.mask.numel())
        return encode(embeddings, inputs)

    monkeypatch.setattr(classifier, "encode", recorded)
    method = interpreter("leave-one-out", classifier)
    method.saliency_interpret_instances(instances(), budget=budget)
    assert len(sizes) > len(TEXTS) and max(sizes) <= budget


@pytest.mark.parametrize("projection", ["sparsemax", "entmax15"])
def test_a_state_without_weight_has_no_importance(projection):
    """Why agreement with hidden states says little under sparse attention."""
    classifier = model("affine", projection=projection).double()
    text = TextBatch.of(classifier, instances())
    with torch.no_grad():
        states = classifier.encode(classifier.embed(text.tokens), text.inputs)
        weights = classifier.attend(states, text.inputs)
    scores = (
        interpreter("leave-one-out", classifier, at="hidden").attribute_batch(text, None).scores
    )
    unseen = (weights == 0) & text.attendable
    assert unseen.any()
    assert scores[unseen].abs().max() < 1e-12


def test_normalized_magnitudes_sum_to_one():
    classifier = model().double()
    plain = interpreter("leave-one-out", classifier).saliency_interpret_instances(instances())
    method = interpreter("leave-one-out", classifier, normalize=True)
    for result, other in zip(method.saliency_interpret_instances(instances()), plain):
        assert sum(result["scores"]) == pytest.approx(1)
        ratio = [score / sum(other["scores"]) for score in other["scores"]]
        assert result["scores"] == pytest.approx(ratio)
    signed = interpreter("leave-one-out", classifier, normalize=True, measure="signed")
    for result in signed.saliency_interpret_instances(instances()):
        assert sum(map(abs, result["scores"])) == pytest.approx(1)


def test_a_model_without_reaction_has_scores_of_zero_even_normalized():
    classifier = model()
    with torch.no_grad():
        classifier.decoder.weight.zero_()
    method = interpreter("leave-one-out", classifier, normalize=True)
    for text, result in zip(TEXTS, method.saliency_interpret_instances(instances())):
        assert result["scores"] == [0.0] * len(text.split())


def test_declares_what_its_scores_are():
    classifier = model()
    default = interpreter("leave-one-out", classifier)
    assert (default.measure, default.at, default.signed, default.sums_to) == (
        "tvd",
        "input",
        False,
        None,
    )
    assert interpreter("leave-one-out", classifier, measure="signed").signed
    assert interpreter("leave-one-out", classifier, normalize=True).sums_to == "1"
    assert interpreter("leave-one-out", classifier, at="hidden").passes == "1 forward"


@every_encoder
@pytest.mark.parametrize("at", ["input", "hidden"])
def test_no_trace_is_left(encoder, at, monkeypatch):
    classifier = model(encoder)
    method = interpreter("leave-one-out", classifier, at=at)
    projection = classifier.attention.projection
    check_no_trace_is_left(method, monkeypatch, fails_at_call=2, part=projection)


@pytest.mark.parametrize(
    "options, sentence",
    [
        ({"at": "output"}, "at is 'output', but must be one of input, hidden"),
        ({"measure": "kl"}, "measure is 'kl', but must be one of signed, tvd"),
        ({"of": "loss"}, "of is 'loss', but must be one of probability, logit"),
        ({"of": "hidden"}, "of is 'hidden', which is called 'at' now: say 'at': 'hidden'"),
        ({"of": "logit"}, "measure 'tvd' is a distance of probabilities"),
        ({"baseline": "zero"}, "baseline"),
    ],
)
def test_bad_options_are_rejected(options, sentence):
    with pytest.raises((ConfigurationError, InputError), match=sentence):
        interpreter("leave-one-out", model(), **options)
