"""What stands for "no word here": the embeddings that a text is compared with."""

import torch
from allennlp.common.checks import ConfigurationError
from allennlp.modules.token_embedders import Embedding

from attention_explain.interpret.text_batch import TextBatch
from attention_explain.models import AttentionClassifier

BASELINES = ("zero", "pad", "unk")


def check_baseline(kind: str) -> str:
    if kind not in BASELINES:
        raise ConfigurationError(f"baseline is {kind!r}, but must be one of {', '.join(BASELINES)}")
    return kind


def baseline_embeddings(
    model: AttentionClassifier, batch: TextBatch, embeddings: torch.Tensor, kind: str
) -> torch.Tensor:
    """
    The embeddings with every token that attention sees replaced: by zeros, by the embedding of the
    padding symbol, or by that of unknown words. Boundary symbols and padding stay.
    Shape: (batch, tokens, embedding_dim)
    """
    if check_baseline(kind) == "zero":
        replacement = embeddings.new_zeros(())
    else:
        replacement = _embedding_of_symbol(model, batch, kind)
    return torch.where(batch.attendable.unsqueeze(-1), replacement, embeddings.detach())


def _embedding_of_symbol(model: AttentionClassifier, batch: TextBatch, kind: str) -> torch.Tensor:
    """Shape: (1, 1, embedding_dim)"""
    ids = {}
    for indexer, tensors in batch.tokens.items():
        embedder = getattr(model.text_field_embedder, f"token_embedder_{indexer}", None)
        if not isinstance(embedder, Embedding) or set(tensors) != {"tokens"}:
            raise ConfigurationError(
                f"baseline '{kind}' is the embedding of a symbol, but the token indexer "
                f"'{indexer}' gives a word more than one number; use baseline 'zero'"
            )
        symbol = model.vocab._padding_token if kind == "pad" else model.vocab._oov_token
        index = model.vocab.get_token_index(symbol, embedder._vocab_namespace or "tokens")
        ids[indexer] = {"tokens": torch.full_like(tensors["tokens"][:1, :1], index)}
    with torch.no_grad():
        return model.embed(ids)
