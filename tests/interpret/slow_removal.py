"""
Removing by really removing: a model's output for each text that lacks a word, one text and one pass
at a time, written from the definitions. And what must hold for whatever removes.
"""

from collections.abc import Callable
from functools import lru_cache
from typing import Any

import pytest
import torch

from attention_explain.interpret.text_batch import TextBatch
from attention_explain.models import AttentionClassifier
from attention_explain.modules.text_inputs import TextInputs
from tests.builders import TEXTS, batch, instances, reader
from tests.interpret.no_trace import interpreter

# The output without token i: (model, words of the text, i, boundary symbols) -> logits
Remove = Callable[[AttentionClassifier, list[str], int, bool], torch.Tensor]


def logits_of_words(model: AttentionClassifier, words: list[str], bounded: bool) -> torch.Tensor:
    """The output for these words as a text of their own. Shape: (labels,)"""
    text_reader = reader(boundary_symbols=bounded)
    instance = text_reader.text_to_instance(tokens=words)
    text_reader.apply_token_indexers(instance)
    return model(**batch(model.vocab, [instance]))["logits"][0]


def deleted(model: AttentionClassifier, words: list[str], i: int, bounded: bool) -> torch.Tensor:
    if len(words) == 1:
        return model.decoder(torch.zeros(model.decoder.in_features, dtype=torch.double))
    return logits_of_words(model, words[:i] + words[i + 1 :], bounded)


def state_dropped(
    model: AttentionClassifier, words: list[str], i: int, bounded: bool
) -> torch.Tensor:
    if len(words) == 1:
        return model.decoder(torch.zeros(model.decoder.in_features, dtype=torch.double))
    text = one_text(model, words, bounded)
    states = model.encode(model.embed(text.tokens), text.inputs)[text.attendable]
    others = torch.cat([states[:i], states[i + 1 :]]).unsqueeze(0)
    seen = torch.ones(1, len(words) - 1, dtype=torch.bool)
    return model.decode(others, model.attend(others, TextInputs(seen, seen)))[0]


def embedding_replaced(by: Callable[[AttentionClassifier], torch.Tensor]) -> Remove:
    """The token's embedding is replaced by another one, which is a function of the model."""

    def replaced(
        model: AttentionClassifier, words: list[str], i: int, bounded: bool
    ) -> torch.Tensor:
        text = one_text(model, words, bounded)
        embeddings = model.embed(text.tokens)
        embeddings[0, i + (1 if bounded else 0)] = by(model)
        states = model.encode(embeddings, text.inputs)
        return model.decode(states, model.attend(states, text.inputs))[0]

    return replaced


def one_text(model: AttentionClassifier, words: list[str], bounded: bool) -> TextBatch:
    return _one_text(model, " ".join(words), bounded)


# Each word of a text is removed in turn.
@lru_cache(maxsize=1)
def _one_text(model: AttentionClassifier, text: str, bounded: bool) -> TextBatch:
    return TextBatch.of(model, instances([text], ["0"], boundary_symbols=bounded))


def change(
    model: AttentionClassifier,
    words: list[str],
    remove: Remove,
    bounded: bool,
    measure: str,
    label: str,
    of: str = "probability",
) -> list[float]:
    """The score of each word."""
    whole = logits_of_words(model, words, bounded)
    target = model.labels.index(label)
    scores = []
    for i in range(len(words)):
        without = remove(model, words, i, bounded)
        if measure == "tvd":
            differences = whole.softmax(-1) - without.softmax(-1)
            scores.append(0.5 * sum(abs(value) for value in differences.tolist()))
        elif of == "probability":
            scores.append(float(whole.softmax(-1)[target] - without.softmax(-1)[target]))
        else:
            scores.append(float(whole[target] - without[target]))
    return scores


@torch.no_grad()
def check_equals_real_removal(
    name: str,
    model: AttentionClassifier,
    remove: Remove,
    bounded: bool = False,
    measure: str = "tvd",
    label: str = "1",
    **options: Any,
) -> None:
    """Texts of several lengths, one of a single word, in one batch."""
    method = interpreter(name, model, measure=measure, **options)
    results = method.saliency_interpret_instances(instances(boundary_symbols=bounded), target=label)
    of = options.get("of", "probability")
    for text, result in zip(TEXTS, results):
        expected = change(model, text.split(), remove, bounded, measure, label, of)
        assert result["scores"] == pytest.approx(expected, abs=1e-9)


def check_batches_and_budgets_change_nothing(
    name: str, model: AttentionClassifier, **options: Any
) -> None:
    """One text alone, any batch, a budget smaller than a text: the same numbers, 0 at padding."""
    method = interpreter(name, model, **options)
    made = instances(boundary_symbols=True)
    whole = TextBatch.of(model, made)
    together = method.attribute_batch(whole, None).scores
    assert (together[~whole.attendable] == 0).all()
    expected = whole.without_padding(together)
    tight = method.attribute_batch(TextBatch.of(model, made, budget=8), None)
    by_budget = method.saliency_interpret_instances(made, budget=8)
    for row, instance in enumerate(made):
        alone = method.saliency_interpret_instances([instance])[0]["scores"]
        # NaN is a score too, where a method says that there is none.
        assert alone == pytest.approx(expected[row], abs=1e-9, nan_ok=True)
        assert by_budget[row]["scores"] == pytest.approx(expected[row], abs=1e-9, nan_ok=True)
        tight_scores = whole.without_padding(tight.scores)[row]
        assert tight_scores == pytest.approx(expected[row], abs=1e-9, nan_ok=True)
