"""The classifier of pairs: what it makes of a question, and what must hold for every encoder."""

import math

import pytest
import torch
from allennlp.common.checks import ConfigurationError

from attention_explain.errors import InputError
from tests.builders import ENCODERS, SCORERS_OF_PAIRS, batch
from tests.builders import instances as single_instances
from tests.pairs import PAIRS, pair_instances, pair_model, pair_reader, pair_vocabulary

every_encoder = pytest.mark.parametrize("encoder", ENCODERS)
every_scorer = pytest.mark.parametrize("scorer", SCORERS_OF_PAIRS)


@every_encoder
@every_scorer
def test_a_pair_alone_equals_the_pair_in_any_batch(encoder, scorer):
    vocab = pair_vocabulary(boundary_symbols=True)
    model = pair_model(encoder, scorer, vocab=vocab)
    made = pair_instances(boundary_symbols=True)
    together = model(**batch(vocab, made))
    for row, instance in enumerate(made):
        alone = model(**batch(vocab, [instance]))
        tokens = alone["attention"].size(1)
        torch.testing.assert_close(together["logits"][row], alone["logits"][0])
        torch.testing.assert_close(together["attention"][row, :tokens], alone["attention"][0])
        assert (together["attention"][row, tokens:] == 0).all()


def slow_logits(model, passage, question):
    """Of one pair of words, each part by its definition; the BiLSTM is torch's own."""

    def states(encoder, embedder, words):
        numbers = [model.vocab.get_token_index(word) for word in words]
        vectors = embedder.token_embedder_tokens.weight[numbers].unsqueeze(0)
        output, (last, _) = encoder._module(vectors)
        return output[0], torch.cat([last[0, 0], last[1, 0]])

    hidden, _ = states(model.encoder, model.text_field_embedder, passage)
    _, asked = states(model.query_encoder.encoder, model.query_encoder.embedder, question)
    scorer, decoder = model.attention.scorer, model.decoder
    scores = []
    for state in hidden:
        if hasattr(scorer, "query_layer"):
            inner = scorer.state_layer.weight @ state + scorer.state_layer.bias
            inner = torch.tanh(inner + scorer.query_layer.weight @ asked)
            scores.append(scorer.weight_layer.weight[0] @ inner)
        else:
            scores.append(state @ asked / math.sqrt(len(state)))
    weights = torch.softmax(torch.stack(scores), dim=0)
    context = sum(weight * state for weight, state in zip(weights, hidden))
    inner = decoder.state_layer.weight @ context + decoder.state_layer.bias
    inner = torch.tanh(inner + decoder.query_layer.weight @ asked)
    return weights, decoder.output_layer.weight @ inner + decoder.output_layer.bias


@every_scorer
def test_attention_and_output_are_as_defined(scorer):
    vocab = pair_vocabulary()
    model = pair_model("bilstm", scorer, vocab=vocab)
    output = model(**batch(vocab, pair_instances()))
    for row, (passage, question, _) in enumerate(PAIRS):
        weights, logits = slow_logits(model, passage.split(), question.split())
        torch.testing.assert_close(output["attention"][row, : len(weights)], weights)
        torch.testing.assert_close(output["logits"][row], logits)


@every_encoder
def test_the_question_decides_what_is_attended_and_answered(encoder):
    vocab = pair_vocabulary()
    model = pair_model(encoder, vocab=vocab)
    passage = PAIRS[0][0]
    asked = [(passage, question, "attic") for question in ("where is ada ?", "he now ?")]
    output = model(**batch(vocab, pair_instances(asked)))
    for name in ("attention", "probs"):
        assert (output[name][0] - output[name][1]).abs().max() > 1e-3


@pytest.mark.parametrize("pooling", ["last", "mean", "max"])
def test_a_query_is_pooled_over_its_own_words(pooling):
    vocab = pair_vocabulary()
    query_encoder = {"encoder": ENCODERS["affine"], "pooling": pooling}
    model = pair_model("affine", vocab=vocab, query_encoder=query_encoder)
    tensors = batch(vocab, pair_instances())
    found = model.query(tensors["query"]).state
    for row, (_, question, _) in enumerate(PAIRS):
        numbers = torch.tensor([vocab.get_token_index(word) for word in question.split()])
        vectors = model.text_field_embedder.token_embedder_tokens.weight[numbers]
        layer = model.query_encoder.encoder.layer
        states = torch.tanh(vectors @ layer.weight.T + layer.bias)
        expected = {"last": states[-1], "mean": states.mean(0), "max": states.max(0).values}
        torch.testing.assert_close(found[row], expected[pooling])


def test_only_candidates_are_answered_and_learned_from():
    vocab = pair_vocabulary()
    model = pair_model(vocab=vocab)
    free = model(**batch(vocab, pair_instances()))
    bound = model(**batch(vocab, pair_instances(candidates="passage")))
    for row, (passage, _, _) in enumerate(PAIRS):
        among = torch.tensor([label in passage.split() for label in model.labels])
        assert (bound["probs"][row, ~among] == 0).all()
        expected = free["probs"][row, among] / free["probs"][row, among].sum()
        torch.testing.assert_close(bound["probs"][row, among], expected)
    assert bound["probs"][2].tolist() == [float(label == "cellar") for label in model.labels]
    bound["loss"].backward()
    for parameter in model.parameters():
        assert parameter.grad is None or parameter.grad.isfinite().all()


def test_pairs_with_candidates_of_their_own_and_without_are_one_batch():
    vocab = pair_vocabulary()
    model = pair_model(vocab=vocab)
    free, mixed = pair_instances(), pair_instances()
    reader = pair_reader()
    passage, question, answer = PAIRS[1]
    mixed[1] = reader.text_to_instance(
        text=passage, query=question, label=answer, candidates=["porch", "attic"]
    )
    reader.apply_token_indexers(mixed[1])
    given, found = (model(**batch(vocab, each)) for each in (free, mixed))
    others = [0, 2, 3]
    assert torch.equal(found["logits"][others], given["logits"][others])
    cellar = vocab.get_token_index("cellar", "labels")
    assert found["probs"][1, cellar] == 0 < given["probs"][1, cellar]


def test_a_model_of_pairs_says_that_it_needs_pairs():
    model = pair_model()
    with pytest.raises(InputError, match="have no 'query'; its dataset reader must be"):
        model(**batch(model.vocab, single_instances(labels=None)))


def test_sizes_that_do_not_fit_are_named():
    with pytest.raises((ConfigurationError, InputError), match="the query's embedder"):
        small = {"type": "affine", "input_dim": 3, "hidden_dim": 8}
        pair_model(query_encoder={"encoder": small})
    with pytest.raises(InputError, match="scaled_dot multiplies states with the query"):
        other = {"type": "affine", "input_dim": 6, "hidden_dim": 5}
        pair_model(scorer="scaled_dot", query_encoder={"encoder": other, "pooling": "mean"})
    with pytest.raises(InputError, match="pooling is 'first'"):
        pair_model(query_encoder={"encoder": ENCODERS["affine"], "pooling": "first"})
