"""DeepLift: equal to the rules number by number, complete for every model, and never a gradient."""

import numpy
import pytest
import torch
from captum.attr import DeepLift as CaptumDeepLift

import attention_explain.interpret.deeplift  # noqa: F401  (registers it)
from attention_explain.errors import InputError
from attention_explain.interpret.text_batch import TextBatch
from attention_explain.modules.projections import Projection, Sparsegen
from attention_explain.modules.text_inputs import TextInputs
from attention_explain.modules.token_attention import AttentionScorer
from tests.builders import (
    DIM,
    ENCODERS,
    PROJECTIONS,
    SCORERS,
    TEXTS,
    instances,
    model,
    vocabulary,
)
from tests.interpret import slow_deeplift
from tests.interpret.no_trace import check_no_trace_is_left, interpreter
from tests.interpret.test_lrp import MORE_ENCODERS, model_with

every_encoder = pytest.mark.parametrize("encoder", ENCODERS)
LINKS = {
    "softmax": slow_deeplift.softmax_link,
    "sparsemax": slow_deeplift.sparsemax_link,
    "uniform": None,
}


@every_encoder
@pytest.mark.parametrize("projection", LINKS)
@pytest.mark.parametrize("of", ["logit", "probability"])
def test_equals_the_rules_number_by_number(encoder, projection, of):
    vocab = vocabulary(boundary_symbols=True)
    classifier = model(encoder, projection=projection, vocab=vocab).double()
    method = interpreter("deeplift", classifier, of=of)
    made = instances(["a dull film", "fine"], boundary_symbols=True)
    batch = TextBatch.of(classifier, made)
    results = method.saliency_interpret_instances(made, target="1")
    for row, result in enumerate(results):
        length = int(batch.mask[row].sum())
        seen = batch.attendable[row, :length].numpy()
        text = classifier.embed(batch.tokens)[row, :length].detach().numpy()
        expected = slow_deeplift.contributions(
            classifier,
            text,
            numpy.where(seen[:, None], 0.0, text),
            seen,
            classifier.labels.index("1"),
            LINKS[projection],
            of,
        )
        assert result["scores"] == pytest.approx(expected[seen], abs=1e-7, rel=1e-6)
        assert expected[~seen] == pytest.approx(0, abs=1e-12)


@every_encoder
@pytest.mark.parametrize("scorer", SCORERS)
@pytest.mark.parametrize("projection", PROJECTIONS)
def test_scores_sum_to_the_difference_of_the_outputs(encoder, scorer, projection):
    vocab = vocabulary(boundary_symbols=True)
    classifier = model(encoder, scorer, projection, vocab=vocab).double()
    made = instances(boundary_symbols=True)
    for of, baseline in (("logit", "unk"), ("probability", "zero")):
        method = interpreter("deeplift", classifier, of=of, baseline=baseline)
        for result in method.saliency_interpret_instances(made):
            assert result["convergence_delta"] == pytest.approx(0, abs=1e-12)


@every_encoder
@pytest.mark.parametrize("projection", PROJECTIONS)
@pytest.mark.parametrize("factor", [40, 1e4])
def test_saturated_attention_gives_scores_that_still_sum(encoder, projection, factor):
    """One token has all the weight, in the text and in the baseline, at scores of any size."""
    classifier = model(encoder, projection=projection, vocab=vocabulary(boundary_symbols=True))
    if projection == "sparsegen":
        classifier.attention.projection = Sparsegen(0.9)
    if classifier.attention.scorer is not None:
        with torch.no_grad():
            classifier.attention.scorer.weight_layer.weight.mul_(factor)
    made = instances(boundary_symbols=True)
    for baseline in ("zero", "unk"):
        method = interpreter("deeplift", classifier, baseline=baseline)
        for result in method.saliency_interpret_instances(made):
            assert torch.tensor(result["scores"]).isfinite().all()
            size = sum(map(abs, result["scores"])) + 1
            assert result["convergence_delta"] == pytest.approx(0, abs=0.01 * size)


def test_the_reported_sum_is_that_of_the_model_s_own_outputs():
    classifier = model()
    made = instances()
    results = interpreter("deeplift", classifier).saliency_interpret_instances(made, target="0")
    batch = TextBatch.of(classifier, made)
    embeddings = classifier.embed(batch.tokens)
    with torch.no_grad():
        outputs = [
            classifier.logits(run, batch.inputs)
            for run in (embeddings, torch.zeros_like(embeddings))
        ]
    differences = (outputs[0] - outputs[1])[:, classifier.labels.index("0")]
    for result, difference in zip(results, differences.tolist(), strict=True):
        assert sum(result["scores"]) == pytest.approx(difference, abs=1e-5)
        assert result["convergence_delta"] == pytest.approx(0, abs=1e-5)


@pytest.mark.parametrize("encoder", MORE_ENCODERS)
def test_other_shapes_of_encoder_are_complete_too(encoder):
    method = interpreter("deeplift", model_with(MORE_ENCODERS[encoder]).double())
    for result in method.saliency_interpret_instances(instances()):
        assert result["convergence_delta"] == pytest.approx(0, abs=1e-12)


class OneLogit(torch.nn.Module):
    """The model as captum takes it, without masks: for texts without padding."""

    def __init__(self, classifier):
        super().__init__()
        self.classifier = classifier

    def forward(self, embeddings):
        mask = torch.ones(embeddings.shape[:2], dtype=torch.bool)
        return self.classifier.logits(embeddings, TextInputs(mask, mask))


def captum_scores(classifier, text):
    made = instances([text], boundary_symbols=False)
    embeddings = classifier.embed(TextBatch.of(classifier, made).tokens).detach()
    found = CaptumDeepLift(OneLogit(classifier)).attribute(
        embeddings, torch.zeros_like(embeddings), target=classifier.labels.index("1")
    )
    return found.sum(-1)[0].tolist()


@pytest.mark.filterwarnings("ignore::UserWarning:captum")
@pytest.mark.parametrize("encoder", ["affine", "cnn"])
def test_equals_captum_where_captum_sees_every_nonlinearity(encoder):
    """That is: activations that are modules, and no product of two values."""
    classifier = model(encoder, projection="uniform").double()
    (result,) = interpreter("deeplift", classifier).saliency_interpret_instances(
        instances(TEXTS[1:2]), target="1"
    )
    assert result["scores"] == pytest.approx(captum_scores(classifier, TEXTS[1]), abs=1e-6)


@pytest.mark.filterwarnings("ignore::UserWarning:captum")
def test_captum_does_not_see_inside_an_lstm():
    """Why this implementation exists."""
    classifier = model("bilstm", projection="uniform").double()
    (result,) = interpreter("deeplift", classifier).saliency_interpret_instances(
        instances(TEXTS[1:2]), target="1"
    )
    missed = abs(sum(captum_scores(classifier, TEXTS[1])) - sum(result["scores"]))
    assert abs(result["convergence_delta"]) < 1e-12 and missed > 1e-3


def test_in_a_linear_model_it_is_weight_times_difference():
    classifier = model("affine", projection="uniform").double()
    with torch.no_grad():
        # Small enough for tanh to be the identity.
        classifier.encoder.layer.weight.mul_(1e-5)
        classifier.encoder.layer.bias.zero_()
    made = instances()
    results = interpreter("deeplift", classifier, baseline="unk").saliency_interpret_instances(
        made, target="1"
    )
    batch = TextBatch.of(classifier, made)
    unknown = classifier.text_field_embedder.token_embedder_tokens.weight[1]
    weights = classifier.decoder.weight[1] @ classifier.encoder.layer.weight
    expected = (classifier.embed(batch.tokens) - unknown) @ weights
    for row, result in enumerate(results):
        length = len(result["scores"])
        assert result["scores"] == pytest.approx(
            (expected[row, :length] / length).tolist(), rel=1e-6
        )


@every_encoder
def test_a_text_alone_equals_the_text_in_any_batch(encoder):
    vocab = vocabulary(boundary_symbols=True)
    method = interpreter("deeplift", model(encoder, vocab=vocab).double())
    made = instances(boundary_symbols=True)
    together = method.saliency_interpret_instances(made)
    for instance, result in zip(made, together, strict=True):
        (alone,) = method.saliency_interpret_instances([instance])
        assert result["scores"] == pytest.approx(alone["scores"], abs=1e-10)


@every_encoder
def test_no_trace_is_left(encoder, monkeypatch):
    method = interpreter("deeplift", model(encoder))
    # It walks through the attention's parts itself.
    check_no_trace_is_left(method, monkeypatch, part=method.model.attention.projection)


class Bilinear(AttentionScorer):
    def score(self, states, query):
        return states.sum(-1)


class Hardmax(Projection):
    def project(self, scores):
        return torch.nn.functional.one_hot(scores.argmax(-1), scores.size(-1)).to(scores)


def test_what_has_no_rule_is_rejected_by_name():
    gru = model_with({"type": "gru", "input_size": DIM, "hidden_size": 4})
    with pytest.raises(InputError, match="encoder is a GruSeq2SeqEncoder"):
        interpreter("deeplift", gru)
    other_scorer = model()
    other_scorer.attention.scorer = Bilinear(8)
    with pytest.raises(InputError, match="attention has a Bilinear"):
        interpreter("deeplift", other_scorer)
    other_projection = model()
    other_projection.attention.projection = Hardmax()
    with pytest.raises(InputError, match="this model has a Hardmax"):
        interpreter("deeplift", other_projection)
    inside = model("transformer")
    inside.encoder.layers[0].self_attention.projection = Hardmax()
    with pytest.raises(InputError, match="this model has a Hardmax"):
        interpreter("deeplift", inside)


@pytest.mark.parametrize(
    "options, sentence",
    [({"of": "loss"}, "of is 'loss'"), ({"baseline": "noise"}, "baseline is 'noise'")],
)
def test_bad_options_are_rejected(options, sentence):
    with pytest.raises(InputError, match=sentence):
        interpreter("deeplift", model(), **options)
