"""
CPU seconds until a command begins: help, which needs no torch, and importing the plugin, with what
is seldom used left for later, against AllenNLP's own imports.
"""

import resource
import subprocess
import sys
from collections.abc import Callable

from benchmarks.harness import Result, compare

HELP = ("-m", "attention_explain.commands.startup", "attribute", "--help")
PLUGIN = ("-c", "import attention_explain")
STOCK_HELP = ("-W", "ignore", "-m", "allennlp", "train", "--help")
STOCK = ("-W", "ignore", "-c", "from allennlp.common.plugins import import_plugins as i; i()")


def python(*arguments: str) -> Callable[[], None]:
    return lambda: subprocess.run([sys.executable, *arguments], capture_output=True, check=True)


def cpu_of_children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def main() -> list[Result]:
    return [
        compare(
            f"start-up, {name}: AllenNLP's own / ours",
            python(*ours),
            python(*other),
            repeats=3,
            at_least=at_least,
            clock=cpu_of_children,
        )
        for name, ours, other, at_least in (
            ("help", HELP, STOCK_HELP, 10),
            ("a command", PLUGIN, STOCK, 1.5),
        )
    ]


if __name__ == "__main__":
    print(*main(), sep="\n")
