"""Commands that may be killed: started, ended, and looked at."""

import hashlib
import json
import os
import re
import signal
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Dict, List, Optional, Sequence

from tests.commands_run import PROJECT

# Nothing here takes so long, on the slowest machine.
PATIENCE = 300.0


@dataclass(frozen=True)
class Ended:
    """A command that has ended, of itself or by a kill."""

    code: int
    out: str
    err: str
    seconds: float
    operations: List[str]

    @property
    def killed(self) -> bool:
        return self.code == -signal.SIGKILL

    @property
    def said(self) -> str:
        return f"exit code {self.code}\n{self.out[-2000:]}\n{self.err[-4000:]}"

    @property
    def errors(self) -> List[str]:
        """What begins with `error: `, to the end; from argparse, behind the name of the command."""
        starts = re.compile(r"^(?:(?:allennlp|python -m)[^:\n]*: )?error: ", re.MULTILINE)
        return [text.strip() for text in starts.split(self.err)[1:]]

    @property
    def sentence(self) -> str:
        """The last of them."""
        return self.errors[-1] if self.errors else ""


class Zygote:
    """A process from which commands are forked. What they print goes to files in `folder`."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        with open(folder / "zygote.err", "w") as errors:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "tests.faults.zygote"],
                cwd=PROJECT,
                env={**os.environ, "OMP_NUM_THREADS": "1", "PYTHONPATH": str(PROJECT)},
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=errors,
                text=True,
            )
        self._answer()

    def run(
        self,
        command: Sequence[str],
        folder: Path,
        seconds: float = PATIENCE,
        kill_before: Optional[int] = None,
        cut: bool = False,
    ) -> Ended:
        """
        In its folder, with a folder for temporary files in it; killed after that number of seconds, or before
        the n-th operation on what is in the folder, the file that was written last cut in half or not.
        """
        temporary = folder / "temporary"
        temporary.mkdir(exist_ok=True)
        files = {name: str(self.folder / name) for name in ("out", "err", "record")}
        Path(files["record"]).unlink(missing_ok=True)
        program, *arguments = command
        request = {
            "program": program,
            "arguments": arguments,
            "folder": str(folder),
            "temporary": str(temporary),
            "seconds": seconds,
            "kill_before": kill_before,
            "cut": cut,
            **files,
        }
        self._process.stdin.write(json.dumps(request) + "\n")
        self._process.stdin.flush()
        answer = self._answer()
        out, err = (Path(files[name]).read_text(errors="replace") for name in ("out", "err"))
        record = Path(files["record"])
        operations = json.loads(record.read_text()) if record.exists() else []
        return Ended(answer["code"], out, err, answer["seconds"], operations)

    def _answer(self):
        line = self._process.stdout.readline()
        assert line, (self.folder / "zygote.err").read_text()
        return json.loads(line)

    def close(self) -> None:
        self._process.stdin.close()
        self._process.wait()


def contents(folder: Path) -> Dict[str, str]:
    """The hash of every file below a folder; of folders and links, what they are."""
    found = {}
    for path in sorted(folder.rglob("*")):
        name = str(path.relative_to(folder))
        if path.is_symlink():
            found[name] = f"link to {os.readlink(path)}"
        elif path.is_file():
            found[name] = hashlib.sha256(path.read_bytes()).hexdigest()
        else:
            found[name] = "folder"
    return found


def leftovers(folder: Path) -> List[str]:
    """What a command that has ended must not leave: unfinished files, parts, unpacked archives."""
    ours = re.compile(r"\.unfinished$|\.parts$|^attention_explain-archive")
    return [str(path.relative_to(folder)) for path in folder.rglob("*") if ours.search(path.name)]
