"""Predictors: importing this registers them."""

from attention_explain.predictors.saliency import SaliencyPredictor

__all__ = ["SaliencyPredictor"]
