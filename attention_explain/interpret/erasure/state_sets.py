"""Token sets of texts whose states know of no other token: what is left of the states, read again."""

from typing import Optional

import torch

from attention_explain.interpret.erasure.logits import (
    attended_logits,
    attention_scores,
    label_votes,
)
from attention_explain.interpret.text_batch import TextBatch
from attention_explain.models import AttentionClassifier


class StateSets:
    """Tokens whose states know of no other: nothing is encoded twice."""

    def __init__(
        self,
        model: AttentionClassifier,
        batch: TextBatch,
        embeddings: torch.Tensor,
        replacements: Optional[torch.Tensor],
    ) -> None:
        self.model = model
        self.attendable = batch.attendable
        states = model.encode(embeddings, batch.reading)
        self.scores, self.votes = attention_scores(model, states), label_votes(model, states)
        self.others = None
        if replacements is not None:
            encoded = (model.encode(other, batch.reading) for other in replacements)
            self.others = [
                (attention_scores(model, states), label_votes(model, states)) for states in encoded
            ]

    def probabilities(self, texts: torch.Tensor, kept: torch.Tensor) -> torch.Tensor:
        """Shape: (sets,), (sets, tokens) -> (sets, labels)"""
        seen = self.attendable[texts]
        scores, votes = self.scores[texts], self.votes[texts]
        if self.others is None:
            return probabilities_of(self.model, scores, votes, seen & kept)
        drawn = [
            probabilities_of(
                self.model,
                torch.where(kept, scores, other_scores[texts]),
                torch.where(kept.unsqueeze(-1), votes, other_votes[texts]),
                seen,
            )
            for other_scores, other_votes in self.others
        ]
        return sum(drawn) / len(drawn)


def probabilities_of(
    model: AttentionClassifier, scores: torch.Tensor, votes: torch.Tensor, seen: torch.Tensor
) -> torch.Tensor:
    return attended_logits(model, scores, votes, seen).double().softmax(dim=-1)
