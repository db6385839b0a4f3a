"""Ctrl-C ends a command with a word and the exit code that shells give it, whenever it comes."""

import os
import signal
import sys
import threading
from pathlib import Path
from typing import Optional


def end_at_once() -> None:
    """
    From now on Ctrl-C ends the process, which has nothing to lose yet: it still imports what a command
    needs. An exception would not do, because some packages catch any while they are imported.
    """
    # A process in the background may have been told to ignore it.
    usual = signal.getsignal(signal.SIGINT) is signal.default_int_handler
    if usual and threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGINT, _end)


def raise_again() -> None:
    """From now on Ctrl-C is a KeyboardInterrupt, as ever."""
    if signal.getsignal(signal.SIGINT) is _end:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def exit_code(error: Optional[BaseException]) -> Optional[int]:
    """Of an error that came of a signal: it is that, or was raised while that was dealt with."""
    from allennlp.common.util import SigTermReceived

    while error is not None:
        if isinstance(error, KeyboardInterrupt):
            return 128 + signal.SIGINT
        if isinstance(error, SigTermReceived):
            return 128 + signal.SIGTERM
        error = error.__context__
    return None


def starts_a_command() -> bool:
    """Whether this process is a command, and no program that imports the project for its own ends."""
    # While `python -m` imports a package, this stands for the module that it is to run.
    return Path(sys.argv[0]).name in ("allennlp", "-m")


def _end(*signal_and_frame: object) -> None:
    os.write(sys.stderr.fileno(), b"\nstopped\n")
    os._exit(128 + signal.SIGINT)
