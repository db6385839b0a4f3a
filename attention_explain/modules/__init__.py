"""Projections, attention scorers, encoders, embeddings: importing this registers them."""

from attention_explain.modules import (
    projections,
    token_attention,
    transformer,
    window_encoders,
    word_vectors,
)

__all__ = ["projections", "token_attention", "transformer", "window_encoders", "word_vectors"]
