"""Models: importing this registers them."""

from attention_explain.models.attention_classifier import AttentionClassifier

__all__ = ["AttentionClassifier"]
