"""Projections, attention scorers, encoders, embeddings: importing this registers them."""

from attention_explain.modules import encoders, projections, scorers, word_vectors

__all__ = ["encoders", "projections", "scorers", "word_vectors"]
