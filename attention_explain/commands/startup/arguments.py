"""
The arguments of `allennlp`, looked at without torch.

The parsers are AllenNLP's and the plugin's own: their modules are imported with promises of all that
is no command, and forgotten again.
"""

import importlib.abc
import importlib.util
import sys
from contextlib import contextmanager
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any, Iterator, Optional

from attention_explain.commands.startup.deferred import imports_deferred

# How a plugins file may name this project.
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
    """To answer takes more than the parsers."""


def answer_at_once() -> None:
    """Ends with help, the version, or what is wrong with the arguments, if that is all there is."""
    try:
        with _modules_forgotten(), _torch_refused(), imports_deferred(_can_wait):
            _parse()
    except Exception:
        # Torch is needed, or something here went wrong: the command itself answers, only later.
        return


def _parse() -> None:
    importlib.import_module("attention_explain.commands.registered")
    from allennlp import commands
    from allennlp.common.plugins import DEFAULT_PLUGINS, discover_plugins

    installed = (name for name in DEFAULT_PLUGINS if importlib.util.find_spec(name) is not None)
    others = {*installed, *discover_plugins()} - PLUGIN_NAMES

    def import_plugins() -> None:
        # They may have commands, and are called when all others are known.
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
def _modules_forgotten() -> Iterator[None]:
    """What is imported within it is imported again, and whole, after it."""
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


class _Refusal(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Finds torch, but does not load it."""

    def find_spec(self, fullname: str, path: Any, target: Any = None) -> Optional[ModuleSpec]:
        return ModuleSpec(fullname, self) if fullname == "torch" else None

    def exec_module(self, module: ModuleType) -> None:
        raise _TorchIsNeededError


@contextmanager
def _torch_refused() -> Iterator[None]:
    refusal = _Refusal()
    sys.meta_path.insert(0, refusal)
    try:
        yield
    finally:
        sys.meta_path.remove(refusal)
