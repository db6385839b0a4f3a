"""Everything of a trained model but its attention, held fast."""

from typing import List, Optional

import torch
from allennlp.data import Vocabulary
from allennlp.models import Model

from attention_explain.data.example import ORIGIN_NAMESPACE
from attention_explain.errors import InputError
from attention_explain.training.base_model import BaseModel

ATTENTION = "attention."


def copy_parameters(base: BaseModel, model: Model, with_attention: bool = True) -> None:
    """Those of the base, which must have the model's architecture and vocabulary."""
    namespace = _other_namespace(base.model.vocab, model.vocab)
    if namespace is not None:
        raise InputError(
            f"{base.path}: frozen training needs the base's vocabulary, but namespace "
            f"'{namespace}' of the model's differs from it; read the same training data with the "
            "same settings"
        )
    theirs, ours = base.model.state_dict(), model.state_dict()
    names = sorted(set(theirs) ^ set(ours))
    names += [name for name in theirs if name in ours and theirs[name].shape != ours[name].shape]
    if names:
        raise InputError(
            f"{base.path}: frozen training needs the base's architecture, but '{names[0]}' differs"
        )
    kept = {} if with_attention else {name: ours[name] for name in ours if _of_attention(name)}
    model.load_state_dict({**theirs, **kept})


def other_than_attention(model: Model) -> List[torch.nn.Parameter]:
    """The parameters that stay as they are."""
    names = [name for name, _ in model.named_parameters()]
    if not any(map(_of_attention, names)):
        raise InputError(
            "frozen training would train nothing, because this attention has no parameters"
        )
    return [parameter for name, parameter in model.named_parameters() if not _of_attention(name)]


def _of_attention(name: str) -> bool:
    return name.startswith(ATTENTION)


def _other_namespace(first: Vocabulary, second: Vocabulary) -> Optional[str]:
    # How the training texts were split changes nothing in a model that knows the same words.
    namespaces = sorted((first.get_namespaces() | second.get_namespaces()) - {ORIGIN_NAMESPACE})
    for namespace in namespaces:
        theirs, ours = (one.get_token_to_index_vocabulary(namespace) for one in (first, second))
        if theirs != ours:
            return namespace
    return None
