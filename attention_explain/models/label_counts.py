"""How many texts of the training data have each label: a mistyped one would be a class of its own."""

import logging
from typing import Dict, List

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
