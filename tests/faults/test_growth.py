"""
Time and memory of the commands over 2,000, 20,000 and 200,000 texts, each in a process of its own. What
a text costs does not grow with their number, and memory grows at most with a bound a text. Time is that
of the processor, which does not depend on what else the machine has to do.
"""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Dict, Sequence, Tuple

import pytest

from tests.commands_run import PROJECT
from tests.small_archive import small_archive

pytestmark = pytest.mark.faults
SIZES = (2_000, 20_000, 200_000)
# A text at the most texts, against one at the fewest, where imports are left out.
SLOWER = 3.0
# Of any size, and so much more for each text: its tokens, scores and ids, several times over.
BASE_BYTES = 1e9
BYTES_A_TEXT = 10e3
METHODS = ("attention", "gradient")


def planted(texts: int) -> str:
    """Makes the model's reader give this number of texts."""
    return json.dumps({"dataset_reader.sizes.test": texts})


def commands(texts: int) -> Dict[str, Tuple[str, ...]]:
    """By name, in their order; each reads what the one before wrote."""
    scores = f"{texts}.parquet"
    return {
        "attribute": (
            *("attention_explain.commands.startup", "attribute", "run", "test", "-o", scores),
            *("--overrides", planted(texts), "--interpreters", *METHODS),
        ),
        "analysis agreement": ("analysis", "agreement", scores, "-o", str(texts)),
    }


def measured(command: Sequence[str], folder: Path) -> Tuple[float, int]:
    """Seconds of the processor, and the most memory at any time."""
    with open(folder / "said", "w+") as said:
        process = subprocess.Popen(
            [sys.executable, "-m", *command],
            cwd=folder,
            env={**os.environ, "OMP_NUM_THREADS": "1", "PYTHONPATH": str(PROJECT)},
            stdout=said,
            stderr=subprocess.STDOUT,
        )
        _, status, used = os.wait4(process.pid, 0)
        # It is waited for already.
        process.returncode = os.waitstatus_to_exitcode(status)
        said.seek(0)
        assert process.returncode == 0, said.read()[-4000:]
    return used.ru_utime + used.ru_stime, used.ru_maxrss * 1024


def test_what_a_text_costs_does_not_grow(tmp_path, figures):
    small_archive(tmp_path / "run")
    # So few that it takes its time for imports and the like.
    idle = {name: measured(command, tmp_path)[0] for name, command in commands(20).items()}
    a_text: Dict[str, Dict[int, float]] = {}
    rows = figures.setdefault("growth", [])
    for texts in SIZES:
        for name, command in commands(texts).items():
            seconds, memory = measured(command, tmp_path)
            a_text.setdefault(name, {})[texts] = (seconds - idle[name]) / texts
            rows.append(
                {
                    "command": name,
                    "texts": f"{texts:,}",
                    "seconds": f"{seconds:.1f}",
                    "milliseconds a text": f"{1000 * seconds / texts:.2f}",
                    "most memory, GB": f"{memory / 1e9:.2f}",
                }
            )
            assert memory < BASE_BYTES + BYTES_A_TEXT * texts, rows[-1]
    for name, costs in a_text.items():
        assert costs[SIZES[-1]] < SLOWER * max(costs[SIZES[0]], 1e-4), (name, costs)
