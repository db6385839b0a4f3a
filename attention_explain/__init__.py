"""
Can attention, or any saliency method, be trusted as the explanation of a text model's predictions?

Importing this package is light: it loads neither torch nor AllenNLP. The public names are loaded on
first use, and `attention_explain.plugin` registers all components with AllenNLP.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any, List

if TYPE_CHECKING:
    from attention_explain.api import explain

__version__ = "0.2.0"
__all__ = ["explain"]

# The module that defines each public name.
_MODULES = {"explain": "attention_explain.api"}


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    import_module("attention_explain.plugin")
    value = getattr(import_module(_MODULES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> List[str]:
    return sorted([*globals(), *_MODULES])
