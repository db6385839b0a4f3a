"""Validation texts that the model is also trained on, which make its validation metrics too good."""

import logging
from typing import Hashable, Optional

from allennlp.data import DataLoader, Instance
from allennlp.data.fields import TextField
from allennlp.training import GradientDescentTrainer

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


def _key(instance: Instance) -> Optional[Hashable]:
    """What two instances with the same text share; None for an instance without text."""
    texts = [
        (name, tuple(token.text for token in field.tokens))
        for name, field in sorted(instance.fields.items())
        if isinstance(field, TextField)
    ]
    return hash(tuple(texts)) if texts else None


def _path(loader: DataLoader) -> str:
    return str(getattr(loader, "data_path", "the data"))
