"""What stands for "no word here": the embeddings that a text is compared with."""

import torch

from attention_explain.interpret.text_batch import TextBatch
from attention_explain.models import AttentionClassifier

BASELINES = ("zero", "pad", "unk", "mask")


def baseline_embeddings(
    model: AttentionClassifier, batch: TextBatch, embeddings: torch.Tensor, kind: str
) -> torch.Tensor:
    """
    The embeddings with every token that attention sees replaced: by zeros, or by the embedding of the
    symbol of padding, of unknown words, or of masked ones. Boundary symbols and padding stay.
    Shape: (batch, positions, embedding_dim)
    """
    scored = batch.inputs.at_positions(batch.attendable).unsqueeze(-1)
    return torch.where(scored, baseline_vector(model, embeddings, kind), embeddings.detach())


def baseline_vector(
    model: AttentionClassifier, embeddings: torch.Tensor, kind: str
) -> torch.Tensor:
    """What stands at the positions of a token that is not there. Shape: (embedding_dim,) or ()"""
    if kind == "zero":
        return embeddings.new_zeros(())
    purpose = f"baseline '{kind}' (unlike 'zero') is the embedding of a symbol"
    return model.symbol_embedding(kind, purpose)
