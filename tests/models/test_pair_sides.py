"""Explanations of the query, and of both texts of a pair, by really changing them."""

import pytest
import torch

from attention_explain import explain
from attention_explain.errors import InputError
from attention_explain.predictors.saliency import SaliencyPredictor
from tests.builders import batch, model, reader
from tests.pairs import PAIRS, pair_instances, pair_model, pair_reader, pair_vocabulary

METHODS = [
    "gradient",
    "gradient-x-input",
    {"type": "integrated-gradients", "steps": 200},
    {"type": "leave-one-out", "measure": "tvd"},
    {"type": "occlusion", "measure": "tvd"},
    {"type": "kernel-shap", "samples": 20},
    "random",
]
bounds = pytest.mark.parametrize("bounded", [False, True])


def classifier(encoder="bilstm", bounded=True, **options):
    return pair_model(encoder, vocab=pair_vocabulary(boundary_symbols=bounded), **options).double()


def explained(made, side, bounded, methods=METHODS):
    predictor = SaliencyPredictor(made, pair_reader(), interpreters=methods, side=side)
    return predictor.explain(pair_instances(boundary_symbols=bounded, candidates="passage"))


def probabilities(made, passage, question, bounded, candidates):
    """Of words; no words of a question say nothing: its vector is 0."""
    instance = pair_reader(boundary_symbols=bounded).text_to_instance(
        tokens=passage, query_tokens=question or ["?"], candidates=candidates
    )
    pair_reader().apply_token_indexers(instance)
    tensors = batch(made.vocab, [instance])
    tensors.pop("metadata")
    inputs = made.inputs(**tensors)
    if not question and not bounded:
        inputs.query.state.zero_()
    elif not question:
        ends = tensors["query"]
        ends["tokens"]["tokens"] = ends["tokens"]["tokens"][:, [0, -1]]
        inputs = made.inputs(**{**tensors, "query": ends})
    return torch.softmax(made.logits(made.embed(tensors["tokens"]), inputs), dim=-1)[0]


@bounds
@pytest.mark.parametrize("encoder", ["bilstm", "cnn"])
@pytest.mark.parametrize("side", ["query", "both"])
@torch.no_grad()
def test_words_of_either_text_are_left_out(encoder, side, bounded):
    made = classifier(encoder, bounded)
    found = explained(made, side, bounded, METHODS[3:4])
    for row in (0, 1):
        passage, question = PAIRS[row][0].split(), PAIRS[row][1].split()
        candidates = [label for label in made.labels if label in passage]
        whole = probabilities(made, passage, question, bounded, candidates)
        texts = [(passage, question[:i] + question[i + 1 :]) for i in range(len(question))]
        words = question
        if side == "both":
            shorter = [passage[:i] + passage[i + 1 :] for i in range(len(passage))]
            texts = [(rest, question) for rest in shorter] + texts
            words = passage + question
        assert found[row].tokens == words
        expected = [
            float((whole - probabilities(made, *text, bounded, candidates)).abs().sum() / 2)
            for text in texts
        ]
        assert found[row].scores["leave-one-out"] == pytest.approx(expected, abs=1e-9)


@bounds
@torch.no_grad()
def test_a_question_of_one_word_can_lose_it(bounded):
    made = classifier(bounded=bounded)
    pairs = [("ada sat in the porch", "where", "porch")]
    instances = pair_instances(pairs, boundary_symbols=bounded)
    method = [{"type": "leave-one-out", "measure": "tvd"}]
    predictor = SaliencyPredictor(made, pair_reader(), interpreters=method, side="query")
    (found,) = predictor.explain(instances)
    passage = pairs[0][0].split()
    whole = probabilities(made, passage, ["where"], bounded, made.labels)
    without = probabilities(made, passage, [], bounded, made.labels)
    expected = float((whole - without).abs().sum() / 2)
    assert found.scores["leave-one-out"] == pytest.approx([expected], abs=1e-9)


@pytest.mark.parametrize("side", ["query", "both"])
def test_a_pair_has_the_same_scores_alone_and_in_any_batch(side):
    made = classifier()
    together = explained(made, side, True)
    predictor = SaliencyPredictor(made, pair_reader(), interpreters=METHODS, side=side)
    for row in (1, 2):
        one = pair_instances(boundary_symbols=True, candidates="passage")[row]
        (alone,) = predictor.explain([one])
        for name, scores in together[row].scores.items():
            assert scores == pytest.approx(alone.scores[name], rel=1e-6, abs=1e-9), name


def test_both_sides_have_the_gradients_of_each():
    made = classifier()
    of_passage, of_query, of_both = (
        explained(made, side, True, METHODS[:2]) for side in ("passage", "query", "both")
    )
    for passage, query, both in zip(of_passage, of_query, of_both, strict=True):
        assert both.probs == pytest.approx(passage.probs)
        assert query.probs == pytest.approx(passage.probs)
        for name in ("gradient", "gradient-x-input"):
            expected = passage.scores[name] + query.scores[name]
            assert both.scores[name] == pytest.approx(expected, abs=1e-9)


def test_integrated_gradients_of_both_sum_to_the_difference():
    for each in explained(classifier(), "both", True, METHODS[2:3]):
        assert abs(each.checks["integrated-gradients"]["convergence_delta"]) < 1e-2


@pytest.mark.parametrize("side", ["query", "both"])
def test_what_only_the_passage_has_is_said(side):
    for name in ("attention", "lrp", {"type": "gradient", "at": "hidden"}):
        with pytest.raises(InputError, match=f"its side must be 'passage', not '{side}'"):
            SaliencyPredictor(classifier(), pair_reader(), interpreters=[name], side=side)


def test_sides_that_are_not_there_are_rejected():
    with pytest.raises(InputError, match="only an attention_pair_classifier reads"):
        SaliencyPredictor(model(), reader(), side="query")
    with pytest.raises(InputError, match="side is 'left'"):
        SaliencyPredictor(classifier(), pair_reader(), side="left")
    with pytest.raises(InputError, match="have word vectors of their own"):
        method = [{"type": "occlusion", "baseline": "unk"}]
        explained(classifier(), "both", True, method)


def test_explain_takes_a_query_and_shows_both_texts():
    made = classifier(bounded=False)
    passage, question, _ = PAIRS[1]
    found = explain(made, passage, query=question, dataset_reader=pair_reader())
    assert found.tokens == passage.split() and found.other == question.split()
    assert f"query: {question}" in str(found)
    assert question.replace("?", "") in found._repr_html_()
    assert found.verdict().tokens == len(passage.split())
    asked = explain(
        made, passage, query=question.split(), side="query", dataset_reader=pair_reader()
    )
    assert asked.tokens == question.split()
    assert f"passage: {passage}" in str(asked)
    assert asked.verdict().tokens == len(question.split())
    both = explain(made, passage, query=question, side="both", dataset_reader=pair_reader())
    lines = str(both).splitlines()
    assert (
        lines.index("-- query") == lines.index(next(one for one in lines if one[:5] == "token")) + 6
    )
    assert "<b>|</b>" in both._repr_html_()
    with pytest.raises(InputError, match="field 'question'"):
        explain(made, passage, dataset_reader=pair_reader())
    with pytest.raises(InputError, match="the model reads single texts"):
        explain(model(), "a film", query="which ?", dataset_reader=reader())
