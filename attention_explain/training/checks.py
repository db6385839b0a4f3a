"""
Options of a config that are numbers, and the values they can have. AllenNLP takes whatever is a number,
`true` among them, and a training or a method then fails late or does something that nobody wants.
"""

import inspect
import logging
from collections.abc import Hashable
from typing import Any

from allennlp.common.checks import ConfigurationError
from allennlp.data import DataLoader, Instance
from allennlp.data.fields import TextField
from allennlp.training import GradientDescentTrainer

from attention_explain.errors import InputError

# No model has layers that large, and no method needs that many steps.
MOST = 10**6
SIZES_AND_COUNTS = {
    "channels",
    "draws",
    "embedding_dim",
    "feedforward_dim",
    "hidden_dim",
    "hidden_size",
    "input_dim",
    "input_size",
    "num_epochs",
    "num_gradient_accumulation_steps",
    "num_heads",
    "num_layers",
    "patience",
    "permutations",
    "points",
    "random_orders",
    "samples",
    "sets",
    "steps",
}
ABOVE_ZERO = {"grad_clipping", "grad_norm"}
NOT_BELOW_ZERO = {"padding_noise"}
# torch takes no larger whole number, and a larger learning rate or weight cannot be meant.
LARGEST_FLOAT = 1e18


def number_problem(name: str, value: Any, annotation: Any) -> str | None:
    """What is wrong with the value of an option; None if nothing is, or if it is no number."""
    if isinstance(value, bool):
        wrong = annotation in (int, float)
        return f"is {str(value).lower()}, but must be a number" if wrong else None
    if not isinstance(value, (int, float)):
        return None
    if name in SIZES_AND_COUNTS and value > MOST:
        return f"is {value}, but must be {MOST} or less"
    if name in ABOVE_ZERO and not value > 0:
        return f"is {value}, but must be larger than 0"
    if name in NOT_BELOW_ZERO and not value >= 0:
        return f"is {value}, but must be 0 or more"
    if annotation is float and abs(value) > LARGEST_FLOAT:
        return f"is {value}, but must be between -{LARGEST_FLOAT:g} and {LARGEST_FLOAT:g}"
    return None


def is_a_number(parameter: inspect.Parameter) -> bool:
    """Whether an option must be a number by its annotation."""
    return parameter.annotation in (int, float)


# Undefined where all texts have one label; such a one stays the same in every epoch, and the first is kept.
OF_TWO_LABELS = "auc"


def check_selection(trainer: GradientDescentTrainer) -> None:
    """Raises where the epoch is to be chosen by a curve that the validation data has not."""
    loader = trainer._validation_data_loader
    metrics = [name for _, name in trainer._metric_tracker.tracked_metrics]
    # A process of several sees a part of the texts.
    if loader is None or OF_TWO_LABELS not in metrics or trainer._distributed:
        return
    labels = set()
    for instance in loader.iter_instances():
        if "label" in instance.fields:
            labels.add(str(instance["label"].label))
        if len(labels) > 1:
            return
    if labels:
        raise InputError(
            f"{getattr(loader, 'data_path', 'the validation data')}: all texts have the label {labels.pop()!r}, so that the "
            f"epoch cannot be chosen by '{OF_TWO_LABELS}'; give texts of other labels, or another validation_metric"
        )


logger = logging.getLogger(__name__)


def warn_of_shared_texts(trainer: GradientDescentTrainer) -> None:
    """Counts the validation texts whose words are those of a training text."""
    training, validation = trainer.data_loader, trainer._validation_data_loader
    # In distributed training each process sees only some of the texts.
    if validation is None or trainer._distributed:
        return
    keys = [_key(instance) for instance in validation.iter_instances()]
    trained = {_key(instance) for instance in training.iter_instances()} - {None}
    shared = sum(key in trained for key in keys)
    if shared:
        logger.warning(
            "%s: %d of %d validation texts are also in the training data (%s), which makes the "
            "validation metrics too good; remove them from one of the files",
            _path(validation),
            shared,
            len(keys),
            _path(training),
        )


def _key(instance: Instance) -> Hashable | None:
    """What two instances with the same text share; None for an instance without text."""
    texts = [
        (name, tuple(token.text for token in field.tokens))
        for name, field in sorted(instance.fields.items())
        if isinstance(field, TextField)
    ]
    return hash(tuple(texts)) if texts else None


def _path(loader: DataLoader) -> str:
    return str(getattr(loader, "data_path", "the data"))


class OptionError(InputError, ConfigurationError):
    """AllenNLP catches it where an option may have several types, and tries the next type."""
