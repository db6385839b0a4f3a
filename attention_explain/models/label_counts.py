"""
How many texts of the training data have each label: a mistyped one would be a class of its own, and
an error on a rare one may count for more in the loss.
"""

import logging
from typing import Dict, List, Optional, Union

import torch
from allennlp.common.checks import ConfigurationError
from allennlp.data import Vocabulary

logger = logging.getLogger(__name__)

# A label with fewer texts than this share of the commonest one's is said to be rare.
RARE = 1 / 20
# So many other labels are told beside it.
TOLD = 5


def label_counts(vocab: Vocabulary) -> Dict[str, int]:
    """Of the data that the vocabulary was made from; empty for one that was read from files."""
    return (getattr(vocab, "_retained_counter", None) or {}).get("labels", {})


def check_label_counts(vocab: Vocabulary, min_label_count: int) -> None:
    """Refuses labels with fewer texts than that, and warns of rare ones."""
    if min_label_count < 1:
        raise ConfigurationError(f"min_label_count is {min_label_count}, but must be 1 or more")
    counts = label_counts(vocab)
    few = [label for label in counts if counts[label] < min_label_count]
    if few:
        raise ConfigurationError(
            f"fewer than {min_label_count} texts of the training data have the label "
            f"{_told(few, counts)}; {_others(few, counts)}mend the file, rename or drop the label "
            "with the reader's option `labels`, or allow it with the model's `min_label_count`"
        )
    commonest = max(counts.values(), default=0)
    rare = [label for label in counts if counts[label] < RARE * commonest]
    if rare:
        logger.warning(
            "few texts of the training data have the label %s; %sif it is a typo, mend it",
            _told(rare, counts),
            _others(rare, counts),
        )


def _others(labels: List[str], counts: Dict[str, int]) -> str:
    others = [label for label in counts if label not in labels]
    return f"the others are {_told(others, counts)}; " if others else ""


def _told(labels: List[str], counts: Dict[str, int]) -> str:
    labels = sorted(labels, key=lambda label: (-counts[label], label))
    told = [f"{label!r} ({counts[label]})" for label in labels[:TOLD]]
    return ", ".join(told) + (f" and {len(labels) - TOLD} more" if len(labels) > TOLD else "")


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
