"""LRP: equal to the definitions in plain loops, conservative, blind to padding, and honest."""

import pytest
import torch
from allennlp.models import Model

import attention_explain.interpret.lrp  # noqa: F401  (registers it)
from attention_explain.errors import InputError
from attention_explain.interpret.lrp import propagate
from attention_explain.interpret.text_batch import TextBatch
from tests.builders import (
    DIM,
    ENCODERS,
    PROJECTIONS,
    TEXTS,
    instances,
    model,
    params,
    vocabulary,
)
from tests.interpret.no_trace import check_no_trace_is_left, interpreter
from tests.interpret.slow_lrp import SlowAttnLrp, SlowLrp

MORE_ENCODERS = {
    "lstm": {"type": "lstm", "input_size": DIM, "hidden_size": 4},
    "two_layers": {**ENCODERS["bilstm"], "num_layers": 2, "hidden_size": 3},
    "no_bias": {**ENCODERS["bilstm"], "bias": False},
    "transformer_same_size": {
        **ENCODERS["transformer"],
        "hidden_dim": DIM,
        "positions": "learned",
    },
    "transformer_no_positions": {
        **ENCODERS["transformer"],
        "positions": "none",
        "projection": "sparsemax",
    },
}
every_encoder = pytest.mark.parametrize("encoder", ENCODERS)


def model_with(encoder_config, **options):
    """A small model with any encoder, of twice the usual weights, as in `tests.builders`."""
    torch.manual_seed(3)
    config = {
        "type": "attention_classifier",
        "text_field_embedder": {
            "token_embedders": {"tokens": {"type": "embedding", "embedding_dim": DIM}}
        },
        "encoder": encoder_config,
        **options,
    }
    made = Model.from_params(params(config), vocab=vocabulary())
    with torch.no_grad():
        for parameter in made.parameters():
            parameter.mul_(2.0)
    return made.eval()


def check_against_plain_loops(classifier, epsilon=0.001, name="lrp", **options):
    classifier = classifier.double()
    method = interpreter(name, classifier, epsilon=epsilon)
    made = instances(**options)
    batch = TextBatch.of(classifier, made)
    for label, target in enumerate(classifier.labels):
        results = method.saliency_interpret_instances(made, target=target)
        for row, result in enumerate(results):
            length = int(batch.mask[row].sum())
            seen = batch.attendable[row, :length]
            embeddings = classifier.embed(batch.tokens)[row, :length].detach().numpy()
            slow = (SlowLrp if name == "lrp" else SlowAttnLrp)(classifier, epsilon)
            relevance = slow.explain(embeddings, seen.tolist(), label)
            expected = torch.tensor(relevance).sum(-1)
            torch.testing.assert_close(
                torch.tensor(result["scores"], dtype=torch.double),
                expected[seen],
                atol=1e-9,
                rtol=1e-7,
            )
            # The reference is conservative itself, and says where the rest went.
            absorbed = slow.of_biases + slow.of_stabilizers + slow.of_softmax
            assert relevance.sum() + absorbed == pytest.approx(slow.output, rel=1e-9)
            unassigned = (absorbed + expected[~seen].sum().item()) / slow.output
            assert result["unassigned"] == pytest.approx(unassigned, rel=1e-6, abs=1e-9)
            assert result["conservation_error"] < 1e-9


@every_encoder
@pytest.mark.parametrize("boundary_symbols", [False, True])
def test_equals_the_definition_in_plain_loops(encoder, boundary_symbols):
    vocab = vocabulary(boundary_symbols=boundary_symbols)
    check_against_plain_loops(model(encoder, vocab=vocab), boundary_symbols=boundary_symbols)


@pytest.mark.parametrize("boundary_symbols", [False, True])
def test_attn_lrp_equals_the_definition_in_plain_loops(boundary_symbols):
    vocab = vocabulary(boundary_symbols=boundary_symbols)
    classifier = model("transformer", vocab=vocab)
    check_against_plain_loops(classifier, name="attn-lrp", boundary_symbols=boundary_symbols)


@pytest.mark.parametrize("projection", PROJECTIONS)
def test_attn_lrp_is_conserved_for_any_projection(projection, monkeypatch):
    config = {**ENCODERS["transformer"], "projection": PROJECTIONS[projection]}
    monkeypatch.setitem(ENCODERS, "this one", config)
    classifier = model("this one").double()
    found, constant = (
        interpreter(name, classifier).saliency_interpret_instances(instances())
        for name in ("attn-lrp", "lrp")
    )
    for one, other in zip(found, constant, strict=True):
        assert one["conservation_error"] < 1e-9
        assert one["scores"] != pytest.approx(other["scores"], rel=1e-3)


@pytest.mark.parametrize("encoder", ["bilstm", "affine"])
def test_attn_lrp_needs_self_attention(encoder):
    with pytest.raises(InputError, match=r"layers of self-attention \(transformer\), but"):
        interpreter("attn-lrp", model(encoder))


@pytest.mark.parametrize("encoder", ["lstm", "two_layers", "transformer_same_size"])
def test_equals_the_definition_for_other_shapes_of_encoder(encoder):
    check_against_plain_loops(model_with(MORE_ENCODERS[encoder]))


@pytest.mark.parametrize("epsilon", [1e-6, 0.1])
def test_epsilon_is_the_rule_s_own(epsilon):
    check_against_plain_loops(model(), epsilon=epsilon)


@pytest.mark.parametrize("projection", PROJECTIONS)
def test_attention_of_any_kind_is_a_constant(projection):
    check_against_plain_loops(model(projection=projection, scorer="scaled_dot"))


@pytest.mark.parametrize("encoder", [*ENCODERS, *MORE_ENCODERS])
def test_relevance_is_conserved_in_single_precision(encoder):
    if encoder in ENCODERS:
        classifier = model(encoder, vocab=vocabulary(boundary_symbols=True))
    else:
        classifier = model_with(MORE_ENCODERS[encoder])
    options = {"boundary_symbols": True} if encoder in ENCODERS else {}
    for result in interpreter("lrp", classifier).saliency_interpret_instances(instances(**options)):
        assert result["conservation_error"] < 1e-4


@pytest.mark.parametrize("directions", [1, 2])
def test_the_forward_pass_is_the_model_s_own(directions):
    """Else the relevance of another network would be propagated."""
    classifier = model_with({**MORE_ENCODERS["two_layers"], "bidirectional": directions == 2})
    batch = TextBatch.of(classifier, instances())
    target = torch.zeros(len(batch), dtype=torch.long)
    relevance = propagate(classifier, classifier.embed(batch.tokens), batch.inputs, target, 0.001)
    logits = classifier(batch.tokens)["logits"].detach()
    torch.testing.assert_close(relevance.output, logits[:, 0])


def test_without_biases_and_nonlinearity_it_is_the_exact_decomposition():
    """The contributions of a linear network are a_t V W x_t, whatever the path to them."""
    classifier = model("affine", projection="uniform").double()
    classifier.encoder.activation = torch.nn.Identity()
    with torch.no_grad():
        classifier.encoder.layer.bias.zero_()
        classifier.decoder.bias.zero_()
    made = instances()
    results = interpreter("lrp", classifier, epsilon=1e-12).saliency_interpret_instances(
        made, target="0"
    )
    batch = TextBatch.of(classifier, made)
    row_of_class = classifier.decoder.weight[classifier.labels.index("0")]
    weights = row_of_class @ classifier.encoder.layer.weight
    contributions = classifier.embed(batch.tokens) @ weights
    for row, result in enumerate(results):
        length = len(TEXTS[row].split())
        expected = (contributions[row, :length] / length).tolist()
        assert result["scores"] == pytest.approx(expected, rel=1e-6)
        assert result["unassigned"] == pytest.approx(0, abs=1e-6)


@every_encoder
@pytest.mark.parametrize(
    "precision, tolerance",
    # A total near zero may be rounded to another one within epsilon, where its share changes fast:
    # by a rounding error over epsilon.
    [(torch.double, 1e-9), (torch.float, 1e-3)],
)
def test_a_text_alone_equals_the_text_in_any_batch(encoder, precision, tolerance):
    vocab = vocabulary(boundary_symbols=True)
    method = interpreter("lrp", model(encoder, vocab=vocab).to(precision))
    made = instances(boundary_symbols=True)
    together = method.saliency_interpret_instances(made)
    for instance, result in zip(made, together, strict=True):
        (alone,) = method.saliency_interpret_instances([instance])
        assert result["scores"] == pytest.approx(alone["scores"], abs=tolerance, rel=tolerance)
        assert result["unassigned"] == pytest.approx(alone["unassigned"], rel=tolerance)


@every_encoder
def test_padding_gets_exactly_nothing(encoder):
    classifier = model(encoder)
    batch = TextBatch.of(classifier, instances())
    method = interpreter("lrp", classifier)
    scores = method.attribute(batch, torch.zeros(len(batch), dtype=torch.long)).scores
    assert (scores[~batch.mask] == 0).all() and (scores[batch.mask] != 0).all()


@every_encoder
def test_no_trace_is_left(encoder, monkeypatch):
    check_no_trace_is_left(interpreter("lrp", model(encoder)), monkeypatch)


def test_other_encoders_are_rejected_by_name():
    classifier = model_with({"type": "gru", "input_size": DIM, "hidden_size": 4})
    with pytest.raises(
        InputError,
        match=r"lrp needs an encoder with rules .*, lstm, transformer\), .* GruSeq2SeqEncoder",
    ):
        interpreter("lrp", classifier)


def test_a_stateful_lstm_is_rejected():
    classifier = model_with({**ENCODERS["bilstm"], "stateful": True})
    with pytest.raises(InputError, match="stateful"):
        interpreter("lrp", classifier)


def test_epsilon_must_be_positive():
    with pytest.raises(InputError, match=r"epsilon must be above 0, but is 0\.0"):
        interpreter("lrp", model(), epsilon=0.0)
