"""The vectors of words that stand in the place of others."""

from typing import Mapping

import torch

from attention_explain.interpret.text_batch import TextBatch
from attention_explain.models import AttentionClassifier


def symbol_embedding(
    model: AttentionClassifier, batch: TextBatch, ids: Mapping[str, int]
) -> torch.Tensor:
    """Of one word, given by its number for each token indexer. Shape: (1, 1, embedding_dim)"""
    one = {
        name: batch.mask.new_full((1, 1), number, dtype=torch.long) for name, number in ids.items()
    }
    return word_embeddings(model, one)


@torch.no_grad()
def word_embeddings(model: AttentionClassifier, ids: Mapping[str, torch.Tensor]) -> torch.Tensor:
    """Of any number of words. Shape: (batch, tokens) -> (batch, tokens, embedding_dim)"""
    return model.embed({indexer: {"tokens": numbers} for indexer, numbers in ids.items()})
