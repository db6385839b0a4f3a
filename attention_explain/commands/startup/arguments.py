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

PLUGIN = "attention_explain"
IMPORTERS = ("allennlp", PLUGIN)
# Where the parsers are.
COMMANDS = ("allennlp.commands", "attention_explain.commands")


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
    # Without the body of the plugin's package, which imports all of it.
    plugin = importlib.util.find_spec(PLUGIN)
    sys.modules[PLUGIN] = importlib.util.module_from_spec(plugin)
    importlib.import_module(f"{PLUGIN}.commands")
    from allennlp import commands
    from allennlp.common.plugins import DEFAULT_PLUGINS, discover_plugins

    installed = (name for name in DEFAULT_PLUGINS if importlib.util.find_spec(name) is not None)
    others = {*installed, *discover_plugins()} - {PLUGIN}

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
            if name.split(".")[0] in IMPORTERS:
                del sys.modules[name]


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
