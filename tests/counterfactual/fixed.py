"""Texts with fixed states for tests: from a small model, or with votes written down by hand."""

from collections.abc import Sequence
from typing import Any

import torch
from allennlp.common import Params

from attention_explain.counterfactual.perturbation import FixedStates, Perturbation, Perturber
from attention_explain.interpret.text_batch import TextBatch
from attention_explain.models import AttentionClassifier
from tests.builders import instances, model, vocabulary


def perturbation(name: str, **options: Any) -> Perturbation:
    """Built from a config, as a user's is."""
    return Perturbation.from_params(Params({"type": name, **options}))


def perturber(classifier: AttentionClassifier, name: str, **options: Any) -> Perturber:
    return Perturber(classifier, {name: perturbation(name, **options)})


def sharp_model(encoder: str = "bilstm", projection: str = "softmax") -> AttentionClassifier:
    """
    Tokens of a text vote for different labels, so that other attention gives another output. It
    knows boundary symbols.
    """
    classifier = model(encoder, projection=projection, vocab=vocabulary(boundary_symbols=True))
    with torch.no_grad():
        classifier.decoder.weight.mul_(10.0)
        texts = fixed(classifier)
        classifier.decoder.bias.sub_(texts.votes[texts.attendable].mean(dim=0).float())
    return classifier


def fixed(classifier: AttentionClassifier, **options: Any) -> FixedStates:
    """The usual four texts, boundary symbols around each."""
    made = instances(boundary_symbols=True, **options)
    return FixedStates.of(classifier, TextBatch.of(classifier, made))


def by_hand(
    votes: Sequence[Sequence[float]], attention: Sequence[float] | None = None
) -> FixedStates:
    """One text of as many tokens as there are votes; uniform attention by default."""
    tokens = len(votes)
    weights = attention or [1 / tokens] * tokens
    return FixedStates(
        ids=["by-hand"],
        words=[[f"word-{number}" for number in range(tokens)]],
        attendable=torch.ones(1, tokens, dtype=torch.bool),
        attention=torch.tensor([weights], dtype=torch.float64),
        votes=torch.tensor([votes], dtype=torch.float64),
        bias=torch.zeros(len(votes[0]), dtype=torch.float64),
    )
