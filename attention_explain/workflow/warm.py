"""
`python -m attention_explain.workflow.warm SOCKET MODULE ...`: a process that imports the modules once and forks
for each command that a step requests. Imports take longer than many steps of a study.

Such a command behaves like a process of its own: it has its own arguments, environment, folder, log and locks,
and it outlives the process that requested it. For the CPU only: the state of a GPU does not survive a fork.
"""

import importlib
import json
import os
import runpy
import select
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

# The path of the socket, in the environment of steps. Steps start their own process if nothing answers.
VARIABLE = "ATTENTION_EXPLAIN_WARM"
# What most steps import. Every optimizer of torch loads its compiler, though no step uses it.
IMPORTED = (
    "attention_explain.plugin",
    "allennlp.commands",
    "pandas",
    "scipy.stats",
    "torch._dynamo",
)
# Bytes before each message that contain its length.
LENGTH = 8
MOST_DESCRIPTORS = 64


@contextmanager
def warm_process(
    environment: Mapping[str, str], imported: Sequence[str] = IMPORTED
) -> Iterator[dict[str, str]]:
    """Run a warm process; yields the environment variables for steps."""
    # The path of a socket must be short.
    folder = tempfile.mkdtemp(prefix="warm-")
    try:
        path = str(Path(folder) / "socket")
        with socket.socket(socket.AF_UNIX) as listener:
            # Requests during the imports wait.
            listener.bind(path)
            listener.listen(128)
            process = subprocess.Popen(
                [
                    sys.executable,
                    "-m",
                    "attention_explain.workflow.warm",
                    str(listener.fileno()),
                    *imported,
                ],
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                env=dict(environment),
                pass_fds=[listener.fileno()],
                # Ctrl-C is for the processes that request commands.
                start_new_session=True,
            )
        assert process.stdin is not None
        try:
            yield {VARIABLE: path}
        finally:
            # The process ends when its standard input is closed, also if this process is killed.
            process.stdin.close()
            process.wait()
    finally:
        shutil.rmtree(folder, ignore_errors=True)


class WarmCommand:
    """A command in a fork of the warm process, with the methods of `subprocess.Popen` that steps use."""

    def __init__(self, connection: socket.socket) -> None:
        self._connection = connection
        self._pid = int(_receive(connection)["pid"])

    def send_signal(self, number: int) -> None:
        """Send a signal to the command if it still runs."""
        with suppress(ProcessLookupError):
            os.kill(self._pid, number)

    def wait(self) -> int:
        """The exit code, or the negative number of the signal that ended the command."""
        with self._connection:
            try:
                return int(_receive(self._connection)["code"])
            except EOFError:
                # The process that reports the exit code was killed.
                return -signal.SIGKILL


def start_warm(
    arguments: Sequence[str], environment: Mapping[str, str], log: int, held: Sequence[int]
) -> WarmCommand | None:
    """
    Start a command in a fork of the warm process; None if no warm process answers.

    # Parameters

    arguments : `Sequence[str]`
        Arguments of `python`: `-m`, a module, and the arguments of the module.
    environment : `Mapping[str, str]`
    log : `int`
        The descriptor for the output of the command.
    held : `Sequence[int]`
        Descriptors of locks that the command keeps.
    """
    path = environment.get(VARIABLE)
    if not path or arguments[0] != "-m":
        return None
    connection = socket.socket(socket.AF_UNIX)
    try:
        connection.connect(path)
        request = {
            "arguments": list(arguments[1:]),
            "environment": dict(environment),
            "folder": os.getcwd(),
        }
        _send(connection, request, [log, *held])
        return WarmCommand(connection)
    except (OSError, EOFError):
        connection.close()
        return None


def main(listener: socket.socket, imported: Sequence[str]) -> None:
    """Import the modules, then fork for each request until standard input is closed."""
    for name in imported:
        importlib.import_module(name)
    # Other processes wait for the commands.
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    while True:
        ready, _, _ = select.select([listener, sys.stdin], [], [])
        if sys.stdin in ready:
            return
        connection, _ = listener.accept()
        if os.fork() == 0:
            listener.close()
            return _answer(connection)
        connection.close()


def _answer(connection: socket.socket) -> None:
    """Start the requested command and report its exit code. Only the command itself returns."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    try:
        request, (log, *held) = _receive_with_descriptors(connection)
    except EOFError:
        os._exit(0)
    pid = os.fork()
    if pid == 0:
        connection.close()
        return _become(request, log)
    for descriptor in (log, *held):
        os.close(descriptor)
    # The command continues even if the process that requested it has ended.
    with suppress(OSError):
        _send(connection, {"pid": pid})
    _, status = os.waitpid(pid, 0)
    with suppress(OSError):
        _send(connection, {"code": os.waitstatus_to_exitcode(status)})
    os._exit(0)


def _become(request: dict[str, Any], log: int) -> None:
    os.environ.clear()
    os.environ.update(request["environment"])
    os.chdir(request["folder"])
    null = os.open(os.devnull, os.O_RDONLY)
    for old, new in ((null, 0), (log, 1), (log, 2)):
        os.dup2(old, new)
    module, *sys.argv[1:] = request["arguments"]
    runpy.run_module(module, run_name="__main__", alter_sys=True)


def _send(
    connection: socket.socket, message: dict[str, Any], descriptors: Sequence[int] = ()
) -> None:
    content = json.dumps(message).encode()
    length = len(content).to_bytes(LENGTH, "big")
    socket.send_fds(connection, [length], list(descriptors))
    connection.sendall(content)


def _receive(connection: socket.socket) -> dict[str, Any]:
    return _receive_with_descriptors(connection)[0]


def _receive_with_descriptors(connection: socket.socket) -> tuple[dict[str, Any], list[int]]:
    length, descriptors, _, _ = socket.recv_fds(connection, LENGTH, MOST_DESCRIPTORS)
    content = _read(connection, int.from_bytes(length, "big")) if length else b""
    if not content:
        raise EOFError
    return json.loads(content), descriptors


def _read(connection: socket.socket, length: int) -> bytes:
    content = b""
    while len(content) < length:
        more = connection.recv(length - len(content))
        if not more:
            raise EOFError
        content += more
    return content


if __name__ == "__main__":
    main(socket.socket(fileno=int(sys.argv[1])), sys.argv[2:])
