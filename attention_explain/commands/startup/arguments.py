"""
Parses the arguments of `allennlp` without torch. The modules of AllenNLP's and the plugin's parsers are imported
with promises of everything else, and removed again afterwards.
"""

import importlib.abc
import importlib.util
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

import attention_explain
from attention_explain.commands.startup.deferred import imports_deferred

# Names of this project in a plugins file.
PLUGIN_NAMES = {"attention_explain", "attention_explain.plugin"}
IMPORTERS = ("allennlp", "attention_explain")
# The packages that contain the parsers.
COMMANDS = ("allennlp.commands", "attention_explain.commands", "attention_explain.workflow")
# Modules that are loaded before any parser and hold no promises.
KEPT = (
    "attention_explain",
    "attention_explain.signals",
    "attention_explain.commands",
    "attention_explain.commands.startup",
)


class _TorchIsNeededError(Exception):
    """The parsers alone are not enough."""


def answer_at_once() -> None:
    """Exit with help, the version, or an error message about the arguments, if no more is needed."""
    try:
        with _temporary_modules(), _torch_blocked(), imports_deferred(_can_wait):
            _parse()
    except Exception:
        # Torch is needed, or something went wrong here: the command itself answers later.
        return


def _parse() -> None:
    importlib.import_module("attention_explain.commands.registered")
    from allennlp import commands
    from allennlp.common.plugins import DEFAULT_PLUGINS, discover_plugins

    installed = (name for name in DEFAULT_PLUGINS if importlib.util.find_spec(name) is not None)
    others = {*installed, *discover_plugins()} - PLUGIN_NAMES

    def import_plugins() -> None:
        # Other plugins may add commands.
        if others:
            raise _TorchIsNeededError

    commands.import_plugins = import_plugins
    parser, arguments = commands.parse_args(prog="allennlp")
    if "func" not in arguments:
        parser.print_help()
        sys.exit()


def _can_wait(importer: str, name: str) -> bool:
    return (
        importer.startswith(IMPORTERS)
        and name.split(".")[0] not in sys.stdlib_module_names
        and not name.startswith(COMMANDS)
    )


@contextmanager
def _temporary_modules() -> Iterator[None]:
    """Remove the modules that are imported within this context, so that they are imported again later."""
    try:
        yield
    finally:
        for name in list(sys.modules):
            if name.split(".")[0] in IMPORTERS and not _is_kept(name):
                del sys.modules[name]
                parent, _, child = name.rpartition(".")
                if parent in KEPT and hasattr(sys.modules[parent], child):
                    delattr(sys.modules[parent], child)


def _is_kept(name: str) -> bool:
    return name in KEPT or name.startswith(KEPT[-1] + ".")


class _TorchBlocker(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Finds torch, but raises when it is loaded."""

    def find_spec(self, fullname: str, path: Any, target: Any = None) -> ModuleSpec | None:
        return ModuleSpec(fullname, self) if fullname == "torch" else None

    def exec_module(self, module: ModuleType) -> None:
        raise _TorchIsNeededError


@contextmanager
def _torch_blocked() -> Iterator[None]:
    blocker = _TorchBlocker()
    sys.meta_path.insert(0, blocker)
    attention_explain._BeforeAllenNLP.active = False
    try:
        yield
    finally:
        sys.meta_path.remove(blocker)
        attention_explain._BeforeAllenNLP.active = True
