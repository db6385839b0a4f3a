"""How a command ends when it is stopped from outside: Ctrl-C, SIGTERM, and a closed output pipe."""

import os
import select
import signal
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

# The default handler of each signal.
DEFAULT_HANDLERS: dict[int, Callable[[int, FrameType | None], Any] | signal.Handlers] = {
    signal.SIGINT: signal.default_int_handler,
    signal.SIGTERM: signal.SIG_DFL,
}
# The exit code that shells report for a program whose output nobody reads.
CLOSED_PIPE_CODE = 128 + signal.SIGPIPE


class Terminated(KeyboardInterrupt):
    """
    Raised by SIGTERM. Code that handles Ctrl-C handles it in the same way, and `except Exception`, which
    many packages use, does not catch it.
    """


def exit_immediately() -> None:
    """
    Let the signals end the process without an exception. For the time of imports: there is nothing to clean
    up yet, and some packages catch every exception while they are imported.
    """
    if threading.current_thread() is not threading.main_thread():
        return
    for number, handler in DEFAULT_HANDLERS.items():
        # A process in the background may have been told to ignore Ctrl-C.
        if signal.getsignal(number) is handler:
            signal.signal(number, _exit)


def restore_handlers() -> None:
    """Undo `exit_immediately`: Ctrl-C raises KeyboardInterrupt again."""
    for number, handler in DEFAULT_HANDLERS.items():
        if signal.getsignal(number) is _exit:
            signal.signal(number, handler)


def raise_on_sigterm() -> None:
    """Let SIGTERM raise `Terminated`, so that a command can clean up."""
    if signal.getsignal(signal.SIGTERM) is signal.SIG_DFL:
        signal.signal(signal.SIGTERM, _raise_terminated)


def exit_code(error: BaseException | None) -> int | None:
    """The exit code for a signal, if the error is one or was raised while one was handled."""
    while error is not None:
        if isinstance(error, KeyboardInterrupt):
            terminated = isinstance(error, Terminated)
            return 128 + (signal.SIGTERM if terminated else signal.SIGINT)
        error = error.__context__
    return None


def starts_a_command() -> bool:
    """Whether this process runs a command, rather than a program that imports the project."""
    # While `python -m` imports a package, argv[0] is "-m".
    return Path(sys.argv[0]).name in ("allennlp", "-m")


def output_is_closed() -> bool:
    """Whether stdout or stderr is a pipe without a reader, as in `... | head`."""
    return any(map(_has_no_reader, _descriptors()))


def discard_output() -> None:
    """Send everything that is still written to a closed pipe, buffered text included, to /dev/null."""
    null = os.open(os.devnull, os.O_WRONLY)
    for descriptor in filter(_has_no_reader, _descriptors()):
        os.dup2(null, descriptor)
    os.close(null)


def _descriptors() -> list[int]:
    descriptors = []
    for stream in (sys.stdout, sys.stderr):
        try:
            descriptors.append(stream.fileno())
        except (AttributeError, OSError, ValueError):
            # The stream of a test, or none.
            continue
    return descriptors


def _has_no_reader(descriptor: int) -> bool:
    poll = select.poll()
    # Errors are always reported, without being requested.
    poll.register(descriptor, 0)
    return any(event & select.POLLERR for _, event in poll.poll(0))


def _exit(number: int, _: FrameType | None) -> None:
    os.write(sys.stderr.fileno(), b"\nstopped\n")
    os._exit(128 + number)


def _raise_terminated(*signal_and_frame: object) -> None:
    raise Terminated
