"""
`python -m attention_explain.workflow.warm SOCKET MODULE ...`: a process that has imported what commands need, and becomes one of them
as often as it is asked to. Imports take longer than many a step of a study, and are done once for all.

It forks for each command. A command so begun is one like any other: it has the arguments, environment,
folder, log and locks that it would have got as a process of its own, and outlives whoever asked. It is
for the CPU alone: what a GPU was told before does not survive a fork.
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
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Dict, Iterator, List, Mapping, Optional, Sequence

# For steps: where the process is asked. Without it, or if nobody answers, each starts its own.
VARIABLE = "ATTENTION_EXPLAIN_WARM"
# What most steps come to need; torch's compiler, which none does, is loaded by every optimizer of torch.
IMPORTED = (
    "attention_explain.plugin",
    "allennlp.commands",
    "pandas",
    "scipy.stats",
    "torch._dynamo",
)
# Of what is sent before a message: how long it is.
LENGTH = 8
MOST_DESCRIPTORS = 64


@contextmanager
def warm_process(
    environment: Mapping[str, str], imported: Sequence[str] = IMPORTED
) -> Iterator[Dict[str, str]]:
    """Within it there is one; gives what the environment of steps has to say for it."""
    # A name of a few letters: that of a socket may not be long.
    folder = tempfile.mkdtemp(prefix="warm-")
    try:
        path = str(Path(folder) / "socket")
        with socket.socket(socket.AF_UNIX) as listener:
            # Before anybody can ask; who asks while it imports waits for that.
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
                # Ctrl-C is for those that ask.
                start_new_session=True,
            )
        try:
            yield {VARIABLE: path}
        finally:
            # Its input ends with whoever started it, however that ends.
            process.stdin.close()
            process.wait()
    finally:
        shutil.rmtree(folder, ignore_errors=True)


class WarmCommand:
    """A command that the warm process became, as `subprocess.Popen` is one that was started."""

    def __init__(self, connection: socket.socket) -> None:
        self._connection = connection
        self._pid = int(_received(connection)["pid"])

    def send_signal(self, number: int) -> None:
        with suppress(ProcessLookupError):
            os.kill(self._pid, number)

    def wait(self) -> int:
        """Its exit code; of a signal, that one's negative."""
        with self._connection:
            try:
                return int(_received(self._connection)["code"])
            except EOFError:
                # Whoever was to tell it was killed.
                return -signal.SIGKILL


def begun_warm(
    arguments: Sequence[str], environment: Mapping[str, str], log: int, held: Sequence[int]
) -> Optional[WarmCommand]:
    """
    None if there is no warm process that answers.

    # Parameters

    arguments : `Sequence[str]`
        Of `python`: `-m`, a module, and the module's own.
    environment : `Mapping[str, str]`
    log : `int`
        The descriptor of what the command says.
    held : `Sequence[int]`
        Descriptors that it goes on holding.
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
    for name in imported:
        importlib.import_module(name)
    # Those that it becomes are waited for by others.
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
    """Begins the command that is asked for, and tells how it ends. Only the command itself returns."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    try:
        request, (log, *held) = _received_with_descriptors(connection)
    except EOFError:
        os._exit(0)
    pid = os.fork()
    if pid == 0:
        connection.close()
        return _become(request, log)
    for descriptor in (log, *held):
        os.close(descriptor)
    # Whoever asked may be gone; the command goes on.
    with suppress(OSError):
        _send(connection, {"pid": pid})
    _, status = os.waitpid(pid, 0)
    with suppress(OSError):
        _send(connection, {"code": os.waitstatus_to_exitcode(status)})
    os._exit(0)


def _become(request: Dict[str, Any], log: int) -> None:
    os.environ.clear()
    os.environ.update(request["environment"])
    os.chdir(request["folder"])
    nothing = os.open(os.devnull, os.O_RDONLY)
    for old, new in ((nothing, 0), (log, 1), (log, 2)):
        os.dup2(old, new)
    module, *sys.argv[1:] = request["arguments"]
    runpy.run_module(module, run_name="__main__", alter_sys=True)


def _send(
    connection: socket.socket, message: Dict[str, Any], descriptors: Sequence[int] = ()
) -> None:
    content = json.dumps(message).encode()
    length = len(content).to_bytes(LENGTH, "big")
    socket.send_fds(connection, [length], list(descriptors))
    connection.sendall(content)


def _received(connection: socket.socket) -> Dict[str, Any]:
    return _received_with_descriptors(connection)[0]


def _received_with_descriptors(connection: socket.socket) -> tuple[Dict[str, Any], List[int]]:
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
