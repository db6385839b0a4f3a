"""Memory of long texts: no tensor grows with the square of the tokens, and pieces change nothing."""

import pytest
import torch
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves

from attention_explain import budget
from attention_explain.interpret.text_batch import TextBatch
from tests.builders import ENCODERS, PROJECTIONS, TEXTS, instances, model, vocabulary
from tests.interpret.no_trace import interpreter

TOKENS = 70
# Of 70 rows of a text's pairs 40 at a time, if there is one number a pair.
PAIRS = 40 * TOKENS
WORDS = (" ".join(TEXTS).split() * 3)[:TOKENS]
# One text alone in its batch, and two of different lengths together.
LONG = [" ".join(WORDS)]
PADDED = [" ".join(WORDS[:20]), " ".join(WORDS[3:9])]

METHODS = {
    "attention": {},
    "gradient": {},
    "integrated-gradients": {"steps": 2},
    "smoothgrad": {"samples": 2},
    "gradient-shap": {"samples": 2},
    "lrp": {},
    "deeplift": {},
    "occlusion": {},
    "leave-one-out": {},
    "lime": {"samples": 16},
    "input-to-hidden": {},
}
OF_TRANSFORMERS = {"attention-rollout": {}, "value-weighted-attention": {}}
CASES = [(encoder, method) for encoder in ENCODERS for method in METHODS]
CASES += [("transformer", method) for method in OF_TRANSFORMERS]


class LargestTensor(TorchDispatchMode):
    """How many numbers the largest tensor has that any operation gives, those of passes back too."""

    numbers = 0

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        result = func(*args, **(kwargs or {}))
        for each in tree_leaves(result):
            # What torch's LSTM keeps for its way back is in bytes, many a token.
            if isinstance(each, torch.Tensor) and each.dtype != torch.uint8:
                self.numbers = max(self.numbers, each.numel())
        return result


def scores(classifier, method, texts, bounded=False):
    made = instances(texts, None, boundary_symbols=bounded)
    batch = TextBatch.of(classifier, made, budget=TOKENS)
    options = {**METHODS, **OF_TRANSFORMERS}[method]
    attribution = interpreter(method, classifier, **options).attribute_batch(batch, None)
    return attribution.scores


@pytest.mark.parametrize("encoder, method", CASES)
def test_nothing_is_as_large_as_all_pairs_of_tokens(encoder, method, monkeypatch):
    monkeypatch.setattr(budget, "PAIRS", PAIRS)
    classifier = model(encoder)
    with LargestTensor() as largest:
        scores(classifier, method, LONG)
    assert 0 < largest.numbers < TOKENS**2


@pytest.mark.parametrize("encoder, method", CASES)
@pytest.mark.parametrize("texts, bounded", [(LONG, False), (PADDED, True)])
def test_pieces_change_nothing(encoder, method, texts, bounded, monkeypatch):
    classifier = model(encoder, vocab=vocabulary(boundary_symbols=bounded)).double()
    whole = scores(classifier, method, texts, bounded)
    monkeypatch.setattr(budget, "PAIRS", PAIRS)
    pieces = scores(classifier, method, texts, bounded)
    torch.testing.assert_close(pieces, whole, atol=1e-9, rtol=1e-7, equal_nan=True)


@pytest.mark.parametrize("projection", PROJECTIONS)
@pytest.mark.parametrize("method", ["gradient", "lrp", "deeplift", "attention-rollout"])
def test_pieces_change_nothing_for_any_projection(projection, method, monkeypatch):
    config = {**ENCODERS["transformer"], "projection": PROJECTIONS[projection]}
    monkeypatch.setitem(ENCODERS, "this one", config)
    classifier = model("this one").double()
    whole = scores(classifier, method, LONG)
    monkeypatch.setattr(budget, "PAIRS", PAIRS)
    torch.testing.assert_close(scores(classifier, method, LONG), whole, atol=1e-9, rtol=1e-7)


def test_in_training_nothing_is_computed_twice(monkeypatch):
    monkeypatch.setattr(budget, "PAIRS", 1)
    classifier = model("transformer").train()
    batch = TextBatch.of(classifier, instances(LONG, None))
    with LargestTensor() as largest:
        classifier.encode(classifier.embed(batch.tokens), batch.mask)
    assert largest.numbers >= TOKENS**2
