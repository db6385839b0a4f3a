"""Occlusion: equal to really replacing the embedding, for every encoder, projection, baseline."""

import pytest
import torch

import attention_explain.interpret.occlusion  # noqa: F401  (registers it)
from attention_explain.errors import InputError
from tests.builders import DIM, ENCODERS, PROJECTIONS, SCORERS, model, vocabulary
from tests.interpret.no_trace import check_no_trace_is_left, interpreter
from tests.interpret.slow_removal import (
    check_batches_and_budgets_change_nothing,
    check_equals_real_removal,
    embedding_replaced,
    state_dropped,
)

every_encoder = pytest.mark.parametrize("encoder", ENCODERS)
bounded_or_not = pytest.mark.parametrize("bounded", [False, True])


def row_of_embedding(number):
    return lambda model: model.text_field_embedder.token_embedder_tokens.weight[number]


# In AllenNLP's vocabularies the padding symbol is the first, the unknown word the second.
REPLACEMENTS = {
    "zero": lambda model: torch.zeros(DIM, dtype=torch.double),
    "pad": row_of_embedding(0),
    "unk": row_of_embedding(1),
}


@every_encoder
@pytest.mark.parametrize("projection", PROJECTIONS)
@bounded_or_not
def test_equals_really_replacing(encoder, projection, bounded):
    vocab = vocabulary(boundary_symbols=bounded)
    classifier = model(encoder, projection=projection, vocab=vocab).double()
    remove = embedding_replaced(REPLACEMENTS["zero"])
    check_equals_real_removal("occlusion", classifier, remove, bounded, measure="signed")


@every_encoder
@pytest.mark.parametrize("scorer", SCORERS)
@pytest.mark.parametrize("baseline", REPLACEMENTS)
@pytest.mark.parametrize("measure", ["signed", "tvd"])
def test_every_baseline_and_measure(encoder, scorer, baseline, measure):
    classifier = model(encoder, scorer).double()
    remove = embedding_replaced(REPLACEMENTS[baseline])
    check_equals_real_removal(
        "occlusion", classifier, remove, measure=measure, baseline=baseline, label="0"
    )


@every_encoder
def test_of_a_logit(encoder):
    classifier = model(encoder).double()
    remove = embedding_replaced(REPLACEMENTS["zero"])
    check_equals_real_removal("occlusion", classifier, remove, measure="signed", of="logit")


@every_encoder
@bounded_or_not
def test_of_hidden_drops_a_weight_and_projects_again(encoder, bounded):
    classifier = model(encoder, vocab=vocabulary(boundary_symbols=bounded)).double()
    check_equals_real_removal(
        "occlusion", classifier, state_dropped, bounded, measure="signed", at="hidden"
    )


@every_encoder
def test_batches_and_budgets_change_nothing(encoder):
    classifier = model(encoder, vocab=vocabulary(boundary_symbols=True)).double()
    check_batches_and_budgets_change_nothing("occlusion", classifier)


def test_is_signed_by_default():
    method = interpreter("occlusion", model())
    assert (method.measure, method.at, method.baseline, method.signed) == (
        "signed",
        "input",
        "zero",
        True,
    )
    assert not interpreter("occlusion", model(), measure="tvd").signed


@every_encoder
def test_no_trace_is_left(encoder, monkeypatch):
    classifier = model(encoder)
    method = interpreter("occlusion", classifier)
    projection = classifier.attention.projection
    check_no_trace_is_left(method, monkeypatch, fails_at_call=2, part=projection)


@pytest.mark.parametrize(
    "options, sentence",
    [
        ({"baseline": "blank"}, "baseline is 'blank', but must be one of zero, pad, unk, mask"),
        ({"baseline": "unk", "at": "hidden"}, "a baseline is for 'at': 'input'"),
        ({"measure": "kl"}, "measure is 'kl'"),
    ],
)
def test_bad_options_are_rejected(options, sentence):
    with pytest.raises(InputError, match=sentence):
        interpreter("occlusion", model(), **options)
