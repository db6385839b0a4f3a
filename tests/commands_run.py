"""Runs commands as a user does, in a process and a folder of their own."""

import multiprocessing
import os
import subprocess
import sys
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Dict, List, Optional, Sequence

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
    return run(
        [sys.executable, "-m", "attention_explain.commands.startup", *arguments], folder, **options
    )


def forked_allennlp(*arguments: str, folder: Path) -> BaseProcess:
    """
    This project's `allennlp` command, begun in a process that is forked from this one: what takes the
    longest, the imports, is done. What it says is in `said.txt` in the folder.
    """
    fork = multiprocessing.get_context("fork")
    process = fork.Process(target=_main, args=(arguments, folder), daemon=True)
    process.start()
    return process


def _main(arguments: Sequence[str], folder: Path) -> None:
    from attention_explain.__main__ import main

    os.chdir(folder)
    with open("said.txt", "wb") as said:
        for stream in (1, 2):
            os.dup2(said.fileno(), stream)
    sys.stdout, sys.stderr = (os.fdopen(stream, "w", closefd=False) for stream in (1, 2))
    sys.argv = ["allennlp", *arguments]
    main()
