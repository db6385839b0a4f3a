"""Encoders beside AllenNLP's own `lstm`: importing this registers them."""

from attention_explain.modules.encoders.affine import AffineEncoder
from attention_explain.modules.encoders.cnn import CnnEncoder
from attention_explain.modules.encoders.transformer import TransformerEncoder

__all__ = ["AffineEncoder", "CnnEncoder", "TransformerEncoder"]
