"""Models: importing this registers them."""

from attention_explain.models.attention_classifier import (
    AttentionClassifier,
    AttentionPairClassifier,
)
from attention_explain.models.transformer_classifier import TransformerClassifier

__all__ = ["AttentionClassifier", "AttentionPairClassifier", "TransformerClassifier"]
