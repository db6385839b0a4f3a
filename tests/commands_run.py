"""Runs commands as a user does, in a process and a folder of their own."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Dict, List, Optional

PROJECT = Path(__file__).resolve().parents[1]


def run(
    command: List[str], folder: Path, environment: Optional[Dict[str, str]] = None
) -> subprocess.CompletedProcess:
    """The finished process, with its output as text."""
    return subprocess.run(
        command,
        cwd=folder,
        env={**os.environ, "OMP_NUM_THREADS": "1", **(environment or {})},
        capture_output=True,
        text=True,
        timeout=300,
    )


def allennlp(*arguments: str, folder: Path, **options) -> subprocess.CompletedProcess:
    """This project's `allennlp` command."""
    return run([sys.executable, "-m", "command_line", *arguments], folder, **options)


def plain_allennlp(*arguments: str, folder: Path, **options) -> subprocess.CompletedProcess:
    """AllenNLP's own command, which knows nothing of this project until it is told."""
    return run([sys.executable, "-m", "allennlp", *arguments], folder, **options)
