"""What the logits of a classifier mean: classes, labels with probabilities of their own, or numbers."""

from typing import Any

import torch

# Classes, of which one is chosen; labels, each with a probability of its own; or numbers, which explanations
# and measures take as they are.
SOFTMAX, SIGMOID, IDENTITY = HEADS = ("softmax", "sigmoid", "none")


def head_of(model: Any) -> str:
    """What turns the model's logits into its outputs: one of `HEADS`."""
    return getattr(model, "head", SOFTMAX)


def probabilities(model: Any, logits: torch.Tensor) -> torch.Tensor:
    """
    The model's outputs: probabilities of classes or of labels; of a regression head, the numbers
    themselves. Shape: (..., labels)
    """
    head = head_of(model)
    if head == IDENTITY:
        return logits
    return logits.sigmoid() if head == SIGMOID else logits.softmax(dim=-1)
