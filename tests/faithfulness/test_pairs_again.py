"""Methods applied again to pairs: what a model makes of the other text belongs to the model."""

import numpy
import pytest
import torch

from attention_explain.data.pair_reader import turned
from attention_explain.faithfulness.evaluator import Evaluator
from attention_explain.faithfulness.faithfulness import MEASURES
from attention_explain.faithfulness.permutations import (
    OUTPUTS,
    Sampling,
    centred_logits,
    word_effects,
)
from attention_explain.faithfulness.removal import ERASURES, RemovalOutputs
from attention_explain.faithfulness.scores_file import ScoredText
from attention_explain.faithfulness.stability import STAGES, cascade
from attention_explain.interpret.text_batch import TextBatch
from attention_explain.models.explainable import explainable
from attention_explain.predictors.saliency import SaliencyPredictor
from tests.models.test_pair_sides import classifier
from tests.pairs import pair_instances, pair_reader

NAME = "parameter_randomization"
sides = pytest.mark.parametrize("side", ["passage", "query", "both"])


def scored(made, side):
    """What leave-one-out gives for each pair, whatever the class; the predictor knows of no randomization."""
    method = {"type": "leave-one-out", "measure": "tvd"}
    predictor = SaliencyPredictor(made, pair_reader(), interpreters=[method], side=side)
    found = predictor.explain(pair_instances(boundary_symbols=True))
    return [each.scores["leave-one-out"] for each in found]


@sides
def test_no_number_that_was_learned_is_left(side):
    made = explainable(classifier(), side)
    assert all(made.stage_of(name) in STAGES for name, _ in made.named_parameters())
    (*_, (_, last)) = cascade(made, seed=0)
    for (name, old), new in zip(made.named_parameters(), last.parameters(), strict=True):
        assert old.numel() == 1 or not torch.equal(old, new), name


@sides
def test_a_randomized_model_reads_both_texts_itself(side):
    made = classifier()
    given = scored(made, side)
    texts = turned(pair_instances(boundary_symbols=True), side)
    config = {"parameters": {"type": "leave-one-out", "measure": "tvd"}}
    evaluator = Evaluator(
        explainable(made, side), MEASURES.build([NAME]), {}, pair_reader(), {"loo": config}
    )
    words = [instance["metadata"].metadata["tokens"] for instance in texts]
    rows = evaluator.evaluate_batch(
        texts,
        [
            ScoredText(f"pair-{number}", words[number], "porch", {"loo": scores})
            for number, scores in enumerate(given)
        ],
    )
    for stage, other in cascade(explainable(made, side), seed=0):
        again = scored(other if side == "passage" else other.model, side)
        for number, judged in enumerate(rows):
            (row,) = (row for row in judged.rows if row.measure == f"{NAME}_{stage}")
            if len(words[number]) > 2:
                ranks = [
                    numpy.argsort(numpy.argsort(one)) for one in (given[number], again[number])
                ]
                expected = numpy.corrcoef(ranks)[0, 1]
                assert row.value == pytest.approx(expected, abs=1e-9), (stage, number)


@sides
@pytest.mark.parametrize("output", OUTPUTS)
def test_contributions_of_words_of_pairs_sum_to_the_difference_from_none(side, output):
    made = explainable(classifier(), side)
    texts = turned(pair_instances(boundary_symbols=True), side)
    (removal,) = ERASURES.build(["delete"]).values()
    found = word_effects(made, texts, removal, Sampling(8, output, {}, 0), [1] * len(texts))
    for text, effects in zip(texts, found, strict=True):
        batch = TextBatch.of(made, [text])
        with torch.no_grad():
            outputs = RemovalOutputs(made, batch, made.embed(batch.tokens), removal)
            ends = numpy.array([[True], [False]]).repeat(len(effects.relevance), axis=1)
            (probs,) = outputs([ends])
        values = probs if output == "probability" else centred_logits(probs, probs[0] > 0)
        assert effects.contribution.sum() == pytest.approx(values[0, 1] - values[1, 1], abs=1e-9)
        assert (effects.relevance >= 0).all() and effects.relevance.any()
