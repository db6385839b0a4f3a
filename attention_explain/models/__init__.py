"""Models: importing this registers them."""

from attention_explain.models.attention_classifier import AttentionClassifier
from attention_explain.models.attention_pair_classifier import AttentionPairClassifier

__all__ = ["AttentionClassifier", "AttentionPairClassifier"]
