"""A command whose output goes to a program that reads only the first lines, as in `... | head`."""

import os
import select
import signal
import sys

# What shells say of a program that ended because nobody reads what it writes.
EXIT_CODE = 128 + signal.SIGPIPE


def is_closed() -> bool:
    """Whether standard output or the error output is a pipe that nobody reads any more."""
    return any(map(_has_no_reader, _descriptors()))


def write_no_more() -> None:
    """From now on what is still buffered, and all that follows, goes nowhere."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for descriptor in filter(_has_no_reader, _descriptors()):
        os.dup2(nowhere, descriptor)
    os.close(nowhere)


def _descriptors() -> list:
    descriptors = []
    for stream in (sys.stdout, sys.stderr):
        try:
            descriptors.append(stream.fileno())
        except (AttributeError, OSError, ValueError):
            # A stream of a test, or none at all.
            continue
    return descriptors


def _has_no_reader(descriptor: int) -> bool:
    poll = select.poll()
    # Errors are reported whether they are asked for or not.
    poll.register(descriptor, 0)
    return any(event & select.POLLERR for _, event in poll.poll(0))
