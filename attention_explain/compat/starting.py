"""What is imported before a command begins, and what of that can be spared; plugins; signals."""

from contextlib import AbstractContextManager
from functools import wraps

from attention_explain.commands.startup.deferred import imports_deferred
from attention_explain.compat.todays_packages import replace_everywhere

# What AllenNLP imports at once, for parts of it that most commands never use.
SELDOM_USED = {
    "dill",
    "fairscale",
    "h5py",
    "huggingface_hub",
    "lmdb",
    "nltk",
    "scipy",
    "sklearn",
    "spacy",
    "tensorboardX",
    "torchvision",
    "transformers",
}


def quick_imports() -> AbstractContextManager:
    """
    Within it, AllenNLP's modules are imported without the packages that are seldom used, which took
    two thirds of the time before anything happened. Each is loaded when something of it is used.
    """

    def deferred(importer: str, name: str) -> bool:
        return importer.split(".")[0] == "allennlp" and name.split(".")[0] in SELDOM_USED

    return imports_deferred(deferred)


def fix_plugin_imports() -> None:
    """
    Before it looks for plugins AllenNLP imports all of itself; `quick_imports` holds there, too. It does
    so again for each predictor that is loaded, and takes a third of a second to find nothing new.
    """
    from allennlp.common import plugins

    original, walk = plugins.import_plugins, plugins.import_module_and_submodules
    walked = set()

    @wraps(walk)
    def walk_once(package_name: str, exclude: set[str] | None = None) -> None:
        if package_name not in walked:
            walk(package_name, exclude)
            walked.add(package_name)

    @wraps(original)
    def import_plugins() -> None:
        with quick_imports():
            original()

    plugins.import_module_and_submodules = walk_once
    replace_everywhere(original, import_plugins)


def fix_swallowed_sigterm() -> None:
    """
    A SIGTERM was an Exception: whatever code caught any error went on, or reported another one in its
    instead. It is now a kind of KeyboardInterrupt, which AllenNLP handles wherever it handles errors.
    """
    from allennlp.common import util

    from attention_explain.signals import Terminated

    replace_everywhere(util.SigTermReceived, Terminated)
