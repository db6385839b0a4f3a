"""Token sets of texts whose states know of no other token: what is left of the states, read again."""

from typing import Optional, Tuple

import torch

from attention_explain.interpret.erasure.logits import (
    attended_logits,
    attention_scores,
    unbiased_votes,
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
        self.query = batch.reading.query

        def read(vectors: torch.Tensor) -> Tuple[torch.Tensor, torch.Tensor]:
            states = model.encode(vectors, batch.reading)
            return attention_scores(model, states, self.query), unbiased_votes(model, states)

        self.scores, self.votes = read(embeddings)
        self.others = None if replacements is None else [read(other) for other in replacements]

    def tokens_at_once(self, budget: int) -> int:
        """The number of tokens that fit into one forward pass."""
        return budget

    def probabilities(self, texts: torch.Tensor, kept: torch.Tensor) -> torch.Tensor:
        """Shape: (sets,), (sets, tokens) -> (sets, labels)"""
        seen = self.attendable[texts]
        scores, votes = self.scores[texts], self.votes[texts]
        if self.others is None:
            return self._probabilities(texts, scores, votes, seen & kept)
        drawn = [
            self._probabilities(
                texts,
                torch.where(kept, scores, other_scores[texts]),
                torch.where(kept.unsqueeze(-1), votes, other_votes[texts]),
                seen,
            )
            for other_scores, other_votes in self.others
        ]
        return sum(drawn) / len(drawn)

    def _probabilities(
        self, texts: torch.Tensor, scores: torch.Tensor, votes: torch.Tensor, seen: torch.Tensor
    ) -> torch.Tensor:
        asked = None if self.query is None else self.query[texts]
        return attended_logits(self.model, scores, votes, seen, asked).double().softmax(dim=-1)
