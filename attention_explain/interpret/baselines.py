"""What stands for "no word here": the embeddings that a text is compared with."""

import torch

from attention_explain.interpret.text_batch import TextBatch
from attention_explain.models import AttentionClassifier
from attention_explain.models.symbols import symbol_ids

BASELINES = ("zero", "pad", "unk")


def baseline_embeddings(
    model: AttentionClassifier, batch: TextBatch, embeddings: torch.Tensor, kind: str
) -> torch.Tensor:
    """
    The embeddings with every token that attention sees replaced: by zeros, by the embedding of the
    padding symbol, or by that of unknown words. Boundary symbols and padding stay.
    Shape: (batch, tokens, embedding_dim)
    """
    if kind == "zero":
        replacement = embeddings.new_zeros(())
    else:
        replacement = _embedding_of_symbol(model, batch, kind)
    return torch.where(batch.attendable.unsqueeze(-1), replacement, embeddings.detach())


def _embedding_of_symbol(model: AttentionClassifier, batch: TextBatch, kind: str) -> torch.Tensor:
    """Shape: (1, 1, embedding_dim)"""
    symbol = model.vocab._padding_token if kind == "pad" else model.vocab._oov_token
    purpose = f"baseline '{kind}' (unlike 'zero') is the embedding of a symbol"
    ids = {
        indexer: {"tokens": torch.full_like(batch.tokens[indexer]["tokens"][:1, :1], number)}
        for indexer, number in symbol_ids(model, symbol, purpose).items()
    }
    with torch.no_grad():
        return model.embed(ids)
