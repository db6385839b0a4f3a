"""
Every method on pairs: scores are those of the passage in the light of a query that stays as it is,
against passages that are really shorter, and whatever batch they are in.
"""

import numpy
import pytest
import torch

from attention_explain.faithfulness.removal import ERASURES, RemovalOutputs
from attention_explain.interpret.removal import fast_removal, logits_with_deleted_inputs
from attention_explain.interpret.text_batch import TextBatch
from attention_explain.predictors.saliency import SaliencyPredictor
from tests.builders import ENCODERS, SCORERS_OF_PAIRS, batch
from tests.pairs import PAIRS, pair_instances, pair_model, pair_reader, pair_vocabulary

METHODS = [
    "attention",
    "gradient",
    "gradient-x-input",
    {"type": "gradient-x-input", "name": "detached", "detach_attention": True},
    {"type": "gradient", "at": "hidden", "name": "gradient-hidden"},
    {"type": "smoothgrad", "samples": 3},
    {"type": "integrated-gradients", "steps": 5},
    "lrp",
    "deeplift",
    {"type": "deeplift", "of": "probability", "name": "deeplift-probability"},
    "occlusion",
    "leave-one-out",
    {"type": "leave-one-out", "at": "hidden", "name": "leave-one-out-hidden"},
    {"type": "gradient-shap", "samples": 3},
    {"type": "kernel-shap", "samples": 20},
    {"type": "lime", "samples": 20},
    "random",
]
# What is looked at in a batch of all.
SHORT = (1, 2)
every_encoder = pytest.mark.parametrize("encoder", ENCODERS)
every_scorer = pytest.mark.parametrize("scorer", SCORERS_OF_PAIRS)


def classifier(encoder="bilstm", scorer="additive", **options):
    """In double precision, for pairs with boundary symbols."""
    vocab = pair_vocabulary(boundary_symbols=True)
    return pair_model(encoder, scorer, vocab=vocab, **options).double()


def made(pairs=PAIRS, **options):
    return pair_instances(pairs, boundary_symbols=True, candidates="passage", **options)


def probabilities(model, words, question, candidates, zeroed=()):
    """Of a passage that is this one, from its words: all by the model itself."""
    instance = pair_reader(boundary_symbols=True).text_to_instance(
        tokens=words or ["unseen"], query=question, candidates=candidates
    )
    pair_reader().apply_token_indexers(instance)
    tensors = batch(model.vocab, [instance])
    embeddings = model.embed(tensors["tokens"])
    embeddings[0, [1 + position for position in zeroed]] = 0
    inputs = model.inputs(tensors["tokens"], None, tensors["query"], tensors["candidates"])
    if words:
        states = model.encode(embeddings, inputs)[:, 1:-1]
        scores = model.attention.scorer(states, inputs.query.state)
        weights = torch.softmax(scores, dim=-1)
        context = (weights.unsqueeze(-1) * states).sum(dim=1)
    else:
        context = torch.zeros(1, model.encoder.get_output_dim(), dtype=torch.double)
    return torch.softmax(model.decoder(context, inputs.query), dim=-1)[0]


def candidates_of(model, passage):
    return [label for label in model.labels if label in passage.split()]


@every_encoder
@every_scorer
@torch.no_grad()
def test_leaving_a_word_out_is_to_ask_the_same_of_a_shorter_passage(encoder, scorer):
    model = classifier(encoder, scorer)
    methods = [
        {"type": "leave-one-out", "measure": "tvd"},
        {"type": "occlusion", "measure": "tvd", "baseline": "zero"},
    ]
    explained = SaliencyPredictor(model, pair_reader(), interpreters=methods).explain(made())
    for row in SHORT:
        explanation, (passage, question, _) = explained[row], PAIRS[row]
        words, candidates = passage.split(), candidates_of(model, passage)
        whole = probabilities(model, words, question, candidates)
        assert explanation.probs == pytest.approx(whole.tolist())
        for position in range(len(words)):
            rest = words[:position] + words[position + 1 :]
            without = probabilities(model, rest, question, candidates)
            zeroed = probabilities(model, words, question, candidates, (position,))
            for name, other in (("leave-one-out", without), ("occlusion", zeroed)):
                expected = float((whole - other).abs().sum() / 2)
                assert explanation.scores[name][position] == pytest.approx(expected, abs=1e-9)


@every_scorer
@torch.no_grad()
def test_the_fast_way_gives_what_a_pass_for_each_word_gives(scorer):
    model = classifier("bilstm", scorer)
    pairs = TextBatch.of(model, made())
    embeddings = model.embed(pairs.tokens)
    found = fast_removal(model).remove_tokens(model, pairs, embeddings, None)
    expected = logits_with_deleted_inputs(model, pairs, embeddings)
    torch.testing.assert_close(found.without[pairs.seen], expected[pairs.seen])
    torch.testing.assert_close(found.whole, model.logits(embeddings, pairs.inputs))


@every_encoder
@every_scorer
@pytest.mark.parametrize("erasure", ["delete", "zero"])
@torch.no_grad()
def test_token_sets_are_passages_with_the_others_really_removed(encoder, scorer, erasure):
    model = classifier(encoder, scorer)
    (built,) = ERASURES.build([erasure]).values()
    pairs = TextBatch.of(model, made())
    outputs = RemovalOutputs(model, pairs, model.embed(pairs.tokens), built)
    generator = numpy.random.default_rng(1)
    asked = [generator.random((5, len(passage.split()))) < 0.6 for passage, _, _ in PAIRS]
    asked[2] = numpy.array([[False], [True]])
    answers = outputs(asked)
    for row in SHORT:
        passage, question, _ = PAIRS[row]
        words, candidates = passage.split(), candidates_of(model, passage)
        for kept, found in zip(asked[row], answers[row], strict=True):
            if erasure == "delete":
                rest = [word for word, stays in zip(words, kept, strict=True) if stays]
                expected = probabilities(model, rest, question, candidates)
            else:
                gone = tuple(numpy.flatnonzero(~kept))
                expected = probabilities(model, words, question, candidates, gone)
            assert found == pytest.approx(expected.numpy(), abs=1e-9)


@every_encoder
@every_scorer
def test_a_pair_has_the_same_scores_alone_and_in_any_batch(encoder, scorer):
    model = classifier(encoder, scorer)
    predictor = SaliencyPredictor(model, pair_reader(), interpreters=METHODS)
    together = predictor.explain(made())
    for row in SHORT:
        (alone,) = predictor.explain([made()[row]])
        for name, scores in together[row].scores.items():
            assert len(scores) == len(PAIRS[row][0].split())
            assert scores == pytest.approx(alone.scores[name], rel=1e-6, abs=1e-9), name


@every_encoder
@every_scorer
def test_sums_that_must_hold_hold_for_pairs(encoder, scorer):
    model = classifier(encoder, scorer)
    methods = ["deeplift", "lrp", {"type": "integrated-gradients", "steps": 400}]
    found = SaliencyPredictor(model, pair_reader(), interpreters=methods).explain(made())
    for explanation in found:
        assert abs(explanation.checks["deeplift"]["convergence_delta"]) < 1e-8
        assert explanation.checks["lrp"]["conservation_error"] < 1e-8
        assert abs(explanation.checks["integrated-gradients"]["convergence_delta"]) < 1e-2


@every_scorer
def test_gradients_are_taken_at_the_passage_alone(scorer):
    """Of the probability, by the embeddings of a passage, with its question as it is."""
    model = classifier("bilstm", scorer)
    (instance, *_) = made()
    method = [{"type": "gradient-x-input", "of": "probability"}]
    (found,) = SaliencyPredictor(model, pair_reader(), interpreters=method).explain([instance])
    tensors = batch(model.vocab, [instance])
    embeddings = model.embed(tensors["tokens"]).detach()
    inputs = model.inputs(
        tensors["tokens"], tensors["attendable"], tensors["query"], tensors["candidates"]
    )
    label = model.labels.index(found.label)
    step = 1e-6
    for position, score in enumerate(found.scores["gradient-x-input"]):
        with torch.no_grad():
            ends = []
            for sign in (1, -1):
                moved = embeddings.clone()
                moved[0, 1 + position] *= 1 + sign * step
                ends.append(torch.softmax(model.logits(moved, inputs), dim=-1)[0, label])
        assert score == pytest.approx(float(ends[0] - ends[1]) / (2 * step), abs=1e-7)


def test_a_question_is_read_without_dropout_and_without_a_trace():
    model = classifier()
    model.query_encoder.encoder._module.dropout = 0.9
    model.query_encoder.register_module("drop", torch.nn.Dropout(0.9))
    model.train()
    first, again = (TextBatch.of(model, made()).inputs.query.state for _ in range(2))
    assert torch.equal(first, again) and not first.requires_grad
    assert model.training
