"""
Ctrl-C and SIGTERM end a command with a word and the exit code that shells give them, whenever they come.
"""

import os
import signal
import sys
import threading
from pathlib import Path
from typing import Optional

# What each signal does in a process that changes nothing about it.
USUAL = {signal.SIGINT: signal.default_int_handler, signal.SIGTERM: signal.SIG_DFL}


class Terminated(KeyboardInterrupt):
    """
    A SIGTERM. Code that handles Ctrl-C handles it in the same way, and `except Exception`, which many
    packages have, does not catch it.
    """


def end_at_once() -> None:
    """
    From now on the signals end the process, which has nothing to lose yet: it still imports what a
    command needs. An exception would not do, because some packages catch any while they are imported.
    """
    if threading.current_thread() is not threading.main_thread():
        return
    for number, handler in USUAL.items():
        # A process in the background may have been told to ignore Ctrl-C.
        if signal.getsignal(number) is handler:
            signal.signal(number, _end)


def raise_again() -> None:
    """From now on the signals do what they usually do: Ctrl-C is a KeyboardInterrupt."""
    for number, handler in USUAL.items():
        if signal.getsignal(number) is _end:
            signal.signal(number, handler)


def raise_on_sigterm() -> None:
    """From now on SIGTERM raises `Terminated`, so that a command can clean up behind itself."""
    if signal.getsignal(signal.SIGTERM) is signal.SIG_DFL:
        signal.signal(signal.SIGTERM, _raise_terminated)


def exit_code(error: Optional[BaseException]) -> Optional[int]:
    """The exit code for a signal, if the error is one or was raised while one was handled."""
    while error is not None:
        if isinstance(error, KeyboardInterrupt):
            terminated = isinstance(error, Terminated)
            return 128 + (signal.SIGTERM if terminated else signal.SIGINT)
        error = error.__context__
    return None


def starts_a_command() -> bool:
    """Whether this process is a command, and no program that imports the project for its own ends."""
    # While `python -m` imports a package, this stands for the module that it is to run.
    return Path(sys.argv[0]).name in ("allennlp", "-m")


def _end(number: int, _: object) -> None:
    os.write(sys.stderr.fileno(), b"\nstopped\n")
    os._exit(128 + number)


def _raise_terminated(*signal_and_frame: object) -> None:
    raise Terminated
