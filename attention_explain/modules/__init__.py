"""Projections, attention scorers, encoders, embeddings: importing this registers them."""

from attention_explain.modules import encoders, projections, token_attention, word_vectors

__all__ = ["encoders", "projections", "token_attention", "word_vectors"]
