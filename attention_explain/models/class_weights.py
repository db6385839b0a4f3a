"""How much an error on each class counts in the loss."""

from typing import Dict, List, Optional, Union

import torch
from allennlp.common.checks import ConfigurationError
from allennlp.data import Vocabulary

from attention_explain.models.label_counts import label_counts


def class_weight_vector(
    vocab: Vocabulary, labels: List[str], weights: Optional[Union[str, Dict[str, float]]]
) -> torch.Tensor:
    """
    The weight of each of `labels`, in their order. `balanced` takes the counts that the vocabulary
    has from the training data. An archive has lost them: then the weights are NaN until the saved
    ones take their place, and the model refuses to train with them.
    """
    if weights is None:
        return torch.ones(len(labels))
    if weights == "balanced":
        counts = label_counts(vocab)
        if not all(counts.get(label) for label in labels):
            return torch.full((len(labels),), torch.nan)
        first, *_ = sorted(labels)
        return torch.tensor([counts[first] / counts[label] for label in labels])
    if not isinstance(weights, dict):
        raise ConfigurationError(
            f"class_weights is {weights!r}, but must be 'balanced' or a weight for each label"
        )
    if set(weights) != set(labels):
        raise ConfigurationError(
            f"class_weights names {', '.join(sorted(weights))}, but the labels are "
            f"{', '.join(sorted(labels))}"
        )
    return torch.tensor([float(weights[label]) for label in labels])


def check_known(weights: torch.Tensor) -> None:
    """Refuses weights that were never filled in."""
    if weights.isnan().any():
        raise ConfigurationError(
            "class_weights 'balanced' needs a vocabulary built from the training data, but this "
            "one was read from files (as in distributed training) and has no label counts; "
            "give the weight of each label instead"
        )
