"""Null in a config, which AllenNLP hands on as None to whoever asked for something."""

import inspect
import typing
from functools import wraps
from typing import Any, Callable, Dict

from attention_explain.compat.replacing import replace_everywhere


def mend_null_components() -> None:
    """A model without an encoder, because its config says null, failed where it asked the encoder."""
    from allennlp.common import from_params
    from allennlp.common.checks import ConfigurationError

    original = from_params.create_kwargs

    @wraps(original)
    def create_kwargs(
        constructor: Callable, cls: type, params: Any, **extras: Any
    ) -> Dict[str, Any]:
        for name, parameter in inspect.signature(constructor).parameters.items():
            is_null = name in params.params and params.params[name] is None
            if is_null and _is_component(parameter.annotation) and not may_be_null(parameter):
                raise ConfigurationError(
                    f"{cls.__name__}: {name} is null, but must be an object with its options, or the "
                    "name of its type"
                )
        return original(constructor, cls, params, **extras)

    replace_everywhere(original, create_kwargs)


def may_be_null(parameter: inspect.Parameter) -> bool:
    """By its default, or by its type."""
    return parameter.default is None or type(None) in typing.get_args(parameter.annotation)


def _is_component(annotation: Any) -> bool:
    """What AllenNLP makes from an object in the config, now or later."""
    from allennlp.common import Lazy

    return hasattr(annotation, "from_params") or typing.get_origin(annotation) is Lazy
