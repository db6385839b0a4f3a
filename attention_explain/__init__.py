"""
Can attention, or any saliency method, be trusted as the explanation of a text model's predictions?

Importing this package is light: it loads neither torch nor AllenNLP. The public names are loaded on
first use, and `attention_explain.plugin` registers all components with AllenNLP.
"""

import sys
import warnings
from importlib import import_module
from importlib.abc import MetaPathFinder
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from attention_explain.api import LoadedModel, explain, load, read
    from attention_explain.errors import InputError
    from attention_explain.heatmaps.explanation import Explanation
    from attention_explain.in_memory import TextClassifier
    from attention_explain.plots import plot
    from attention_explain.results import AttentionVerdict, Evaluations, Explanations

__version__ = "0.2.0"
__all__ = [
    "AttentionVerdict",
    "Evaluations",
    "Explanation",
    "Explanations",
    "InputError",
    "LoadedModel",
    "TextClassifier",
    "explain",
    "load",
    "plot",
    "read",
]

# The module that defines each public name.
_MODULES = {
    **dict.fromkeys(("LoadedModel", "explain", "load", "read"), "attention_explain.api"),
    **dict.fromkeys(
        ("AttentionVerdict", "Evaluations", "Explanations"), "attention_explain.results"
    ),
    "Explanation": "attention_explain.heatmaps.explanation",
    "InputError": "attention_explain.errors",
    "TextClassifier": "attention_explain.in_memory",
    "plot": "attention_explain.plots",
}


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    import_module("attention_explain.plugin")
    value = getattr(import_module(_MODULES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*globals(), *_MODULES])


def _silence_third_party_warnings() -> None:
    """Silences, by text and origin, warnings that old companions of AllenNLP give about themselves."""
    # torchvision 0.15.2 was built for another torch; its image reader, unused here, cannot load.
    warnings.filterwarnings(
        "ignore", message="Failed to load image Python extension", module=r"torchvision\.io\.image"
    )
    # transformers 5 imports its new namespaces.
    warnings.filterwarnings(
        "ignore", message=r"The torchvision\.datapoints and torchvision\.transforms\.v2 namespaces"
    )
    # fairscale 0.4.6 and the trainer use torch.cuda.amp, which moved to torch.amp.
    warnings.filterwarnings(
        "ignore",
        message=r"`torch\.cuda\.amp\.",
        category=FutureWarning,
        module=r"(fairscale|allennlp)\.",
    )


_silence_third_party_warnings()


class _BeforeAllenNLP(MetaPathFinder):
    """
    Finds nothing, but notices an import of AllenNLP, which needs names that transformers 5 lacks. A process that
    AllenNLP starts imports it before the plugin.
    """

    # Set to False while arguments are parsed, which happens without torch.
    active = True

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> None:
        # The modules of transformers may have been dropped and imported again in between.
        if self.active and name in ("allennlp", "allennlp.training.optimizers"):
            import_module("attention_explain.compat.todays_transformers").supply_imports()


sys.meta_path.insert(0, _BeforeAllenNLP())
