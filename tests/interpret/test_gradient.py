"""Gradient and gradient x input: equal to finite differences on every encoder, alone or batched."""

import numpy
import pytest
import torch
from allennlp.interpret.saliency_interpreters import SimpleGradient

from attention_explain.errors import InputError
from attention_explain.predictors.saliency import SaliencyPredictor
from tests.builders import ENCODERS, TEXTS, instances, model, reader, vocabulary
from tests.interpret.no_trace import check_no_trace_is_left, interpreter
from tests.interpret.slow_gradients import finite_differences, plain_texts

every_encoder = pytest.mark.parametrize("encoder", ENCODERS)
every_output = pytest.mark.parametrize("of", ["probability", "logit"])


@pytest.fixture
def classifier(encoder):
    return model(encoder, vocab=vocabulary(boundary_symbols=True)).double()


@pytest.fixture
def texts():
    return instances(boundary_symbols=True)


@every_encoder
@every_output
def test_gradient_is_the_norm_of_finite_differences(classifier, texts, of):
    for norm, order in (("l2", 2), ("l1", 1)):
        method = interpreter("gradient", classifier, of=of, norm=norm)
        results = method.saliency_interpret_instances(texts, target=classifier.labels[1])
        for row, text in plain_texts(classifier, texts, label=1, of=of):
            slopes = finite_differences(text.output, text.embeddings)[text.seen]
            expected = numpy.linalg.norm(slopes.numpy(), ord=order, axis=-1)
            assert results[row]["scores"] == pytest.approx(expected.tolist(), abs=1e-7)


@every_encoder
@every_output
def test_gradient_x_input_is_their_product_with_the_embedding(classifier, texts, of):
    signed = interpreter("gradient-x-input", classifier, of=of)
    absolute = interpreter("gradient-x-input", classifier, of=of, absolute=True)
    results = signed.saliency_interpret_instances(texts, target=classifier.labels[1])
    sizes = absolute.saliency_interpret_instances(texts, target=classifier.labels[1])
    assert signed.signed and not absolute.signed
    for row, text in plain_texts(classifier, texts, label=1, of=of):
        slopes = finite_differences(text.output, text.embeddings)
        expected = (slopes * text.embeddings[0]).sum(-1)[text.seen]
        assert results[row]["scores"] == pytest.approx(expected.tolist(), abs=1e-7)
        assert sizes[row]["scores"] == pytest.approx(expected.abs().tolist(), abs=1e-7)


@every_encoder
def test_detached_attention_is_attention_held_fast(classifier, texts):
    options = {"detach_attention": True}
    method = interpreter("gradient-x-input", classifier, **options)
    norms = interpreter("gradient", classifier, **options)
    plain = interpreter("gradient-x-input", classifier)
    results = method.saliency_interpret_instances(texts, target=classifier.labels[0])
    lengths = norms.saliency_interpret_instances(texts, target=classifier.labels[0])
    others = plain.saliency_interpret_instances(texts, target=classifier.labels[0])
    for row, text in plain_texts(classifier, texts, label=0):
        slopes = finite_differences(text.output_with_attention_frozen, text.embeddings)
        expected = (slopes * text.embeddings[0]).sum(-1)[text.seen].tolist()
        assert results[row]["scores"] == pytest.approx(expected, abs=1e-7)
        expected = slopes.norm(dim=-1)[text.seen].tolist()
        assert lengths[row]["scores"] == pytest.approx(expected, abs=1e-7)
    assert others[1]["scores"] != pytest.approx(results[1]["scores"], abs=1e-5)


@every_encoder
def test_at_hidden_is_the_gradient_of_the_states(classifier, texts):
    method = interpreter("gradient", classifier, at="hidden")
    results = method.saliency_interpret_instances(texts, target=classifier.labels[0])
    for row, text in plain_texts(classifier, texts, label=0):
        slopes = finite_differences(text.output_of_states, text.states)
        expected = slopes.norm(dim=-1)[text.seen].tolist()
        assert results[row]["scores"] == pytest.approx(expected, abs=1e-7)


@every_encoder
def test_normalized_scores_sum_to_one_over_the_tokens(classifier, texts):
    plain = interpreter("gradient", classifier).saliency_interpret_instances(texts)
    method = interpreter("gradient", classifier, normalize=True)
    for raw, result in zip(plain, method.saliency_interpret_instances(texts), strict=True):
        expected = [score / sum(raw["scores"]) for score in raw["scores"]]
        assert result["scores"] == pytest.approx(expected, abs=1e-12)


def test_no_weight_means_no_gradient_of_the_state():
    """Why attention and hidden-state importance agree under sparsemax (REFERENCE.md, trap 7)."""
    classifier = model(projection="sparsemax")
    gradient = interpreter("gradient", classifier, at="hidden", detach_attention=True)
    weights = interpreter("attention", classifier).saliency_interpret_instances(instances())
    results = gradient.saliency_interpret_instances(instances())
    zeros = 0
    for weight, result in zip(weights, results, strict=True):
        for share, score in zip(weight["scores"], result["scores"], strict=True):
            assert (share == 0) == (score == 0)
            zeros += share == 0
    assert zeros > 0


@pytest.mark.filterwarnings("ignore:Using a non-full backward hook:FutureWarning")
def test_allennlps_own_simple_gradient_is_wrong():
    """
    It multiplies the gradient of each token by the embedding of the first token. Ours is right,
    after the same normalisation; theirs is not, and is equal to that product.
    """
    classifier = model().double()
    predictor = SaliencyPredictor(classifier, reader())
    theirs = SimpleGradient(predictor).saliency_interpret_from_json({"text": TEXTS[1]})
    (theirs,) = theirs["instance_1"].values()
    method = interpreter("gradient-x-input", classifier, absolute=True)
    (ours,) = method.saliency_interpret_instances(instances(TEXTS[1:2]))

    # The gradient of the loss is a multiple of that of the probability.
    predicted = predictor.explain(instances(TEXTS[1:2]))[0].label
    label = classifier.labels.index(predicted)
    ((_, text),) = plain_texts(classifier, instances(TEXTS[1:2]), label)
    slopes = finite_differences(text.output, text.embeddings)
    right = normalized((slopes * text.embeddings[0]).sum(-1))
    wrong = normalized((slopes * text.embeddings[0, 0]).sum(-1))
    assert normalized(torch.tensor(ours["scores"])) == pytest.approx(right, abs=1e-7)
    assert theirs == pytest.approx(wrong, abs=1e-7)
    assert theirs != pytest.approx(right, abs=1e-2)


def normalized(scores: torch.Tensor) -> list:
    return (scores.abs() / scores.abs().sum()).tolist()


@pytest.mark.parametrize("name", ["gradient", "gradient-x-input"])
def test_no_trace_is_left(name, monkeypatch):
    check_no_trace_is_left(interpreter(name, model()), monkeypatch)


@pytest.mark.parametrize(
    "options, sentence",
    [
        ({"norm": "l3"}, "norm is 'l3', but must be one of l1, l2"),
        ({"of": "loss"}, "of is 'loss', but must be one of probability, logit"),
        ({"at": "output"}, "at is 'output', but must be one of input, hidden"),
    ],
)
def test_bad_options_are_rejected(options, sentence):
    with pytest.raises(InputError, match=sentence):
        interpreter("gradient", model(), **options)
