"""
`python -m tests.faults.zygote`: runs the project's commands, one after another, each in a process that
is forked from this one. The imports, which take longer than most of these commands, are done once.

Reads requests from standard input and answers on standard output, each a line of JSON.
"""

import importlib
import json
import os
import select
import signal
import sys
import tempfile
import time
from pathlib import Path
from typing import Any, Dict, List, Optional

# What changes a folder, as Python's audit hooks call it. A file that C++ opens is announced below.
OPERATIONS = ("os.rename", "os.remove", "os.mkdir", "os.rmdir", "os.link", "os.symlink")
WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC


class Operations:
    """
    Watches what this process does to a folder, and ends it right before its n-th operation there.
    Nothing happens to the folder between two of them but the content of files that are open: what was
    written last can be cut in half, as a kill in the middle leaves it.
    """

    def __init__(self, folder: str, kill_before: Optional[int], cut: bool, record: str) -> None:
        self.folder = os.path.join(os.path.realpath(folder), "")
        self.kill_before = kill_before
        self.cut = cut
        self.record = record
        self.done: List[str] = []
        self.written: Optional[str] = None
        sys.addaudithook(self._heard)

    def _heard(self, event: str, arguments: tuple) -> None:
        if event == "open":
            path, mode, flags = arguments
            writes = flags & WRITES if isinstance(flags, int) else set(mode or "") & set("wax+")
            if not writes or not isinstance(path, (str, bytes)):
                return
        elif event in OPERATIONS:
            path = arguments[0]
        else:
            return
        path = os.path.abspath(os.fsdecode(path))
        if os.path.join(os.path.dirname(os.path.realpath(path)), "").startswith(self.folder):
            self._counted(event, path)

    def _counted(self, event: str, path: str) -> None:
        self.done.append(f"{event} {os.path.relpath(path, self.folder)}")
        if len(self.done) == self.kill_before:
            if self.cut and self.written is not None and os.path.isfile(self.written):
                os.truncate(self.written, os.path.getsize(self.written) // 2)
            os.kill(os.getpid(), signal.SIGKILL)
        self.written = path if event == "open" else None

    def end(self) -> None:
        """Is the last."""
        self._counted("end", self.folder)

    def write(self) -> None:
        """What was done, in its order."""
        Path(self.record).write_text(json.dumps(self.done))


def announced(module: Any, name: str, place: int) -> None:
    """Makes a function that opens its file in C++ say so, before and after."""
    function = getattr(module, name)

    def telling(*arguments: Any, **options: Any) -> Any:
        path = arguments[place]
        known = isinstance(path, (str, os.PathLike))
        if known:
            sys.audit("open", os.fspath(path), "wb", os.O_WRONLY)
        result = function(*arguments, **options)
        if known:
            sys.audit("open", os.fspath(path), "ab", os.O_WRONLY)
        return result

    setattr(module, name, telling)


def run(program: str, arguments: List[str]) -> int:
    if program == "allennlp":
        from attention_explain.__main__ import main as allennlp

        sys.argv = ["allennlp", *arguments]
        allennlp()
        return 0
    if program == "analysis":
        from analysis.__main__ import main
    else:
        from attention_explain.workflow.__main__ import main

    sys.argv = [program, *arguments]
    return main(arguments)


def child(request: Dict[str, Any]) -> None:
    os.setsid()
    os.chdir(request["folder"])
    for descriptor, path in enumerate([os.devnull, request["out"], request["err"]]):
        flags = os.O_RDONLY if descriptor == 0 else os.O_WRONLY | os.O_CREAT | os.O_TRUNC
        os.dup2(os.open(path, flags), descriptor)
    tempfile.tempdir = None
    os.environ["TMPDIR"] = request["temporary"]
    watched = Operations(*(request[name] for name in ("folder", "kill_before", "cut", "record")))
    try:
        code = run(request["program"], request["arguments"])
        watched.end()
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else int(end.code is not None)
    except BaseException:
        import traceback

        traceback.print_exc()
        code = 1
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        watched.write()
    os._exit(code)


def answer(request: Dict[str, Any]) -> Dict[str, Any]:
    start = time.perf_counter()
    process = os.fork()
    if process == 0:
        child(request)
    ended = os.pidfd_open(process)
    if not select.select([ended], [], [], request["seconds"])[0]:
        try:
            os.killpg(process, signal.SIGKILL)
        except ProcessLookupError:
            # So early that it has no group of its own yet, and no children.
            os.kill(process, signal.SIGKILL)
    os.close(ended)
    _, status, used = os.wait4(process, 0)
    return {
        "code": os.waitstatus_to_exitcode(status),
        "seconds": time.perf_counter() - start,
        "peak": used.ru_maxrss * 1024,
    }


def main() -> None:
    for module in ("attention_explain.__main__", "allennlp.__main__", "analysis.commands"):
        importlib.import_module(module)
    import pyarrow.parquet
    import torch
    from allennlp.common.plugins import import_plugins

    import attention_explain.workflow.run  # noqa: F401

    torch.set_num_threads(1)
    import_plugins()
    announced(torch, "save", 1)
    announced(pyarrow.parquet, "write_table", 1)
    print(json.dumps("ready"), flush=True)
    for line in sys.stdin:
        print(json.dumps(answer(json.loads(line))), flush=True)


if __name__ == "__main__":
    main()
