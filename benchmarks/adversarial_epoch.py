"""
An epoch of an adversary against one of the same model on its own loss; the base's outputs are
there already. Texts as long as IMDb's.
"""

import tempfile
import time
from pathlib import Path

import torch

from benchmarks.harness import Result, compare, one_thread
from benchmarks.training_step import MEAN_LENGTH, TEXTS, build, start


@one_thread()
def main() -> list[Result]:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        plain = build(folder)
        # A base of random weights has outputs as any other has.
        torch.save(plain.model.state_dict(), folder / "run" / "best.th")
        base = (folder / "run").rename(folder / "base")
        callback = {"type": "adversarial_attention", "base": str(base), "lambda_": 0.001}
        adversary = start(build(folder, **{"trainer.callbacks": [callback]}))
        plain = start(plain)
    # Ours is the slower one here: what is asked for is at most 1.3 times the plain epoch.
    result = compare(
        f"adversarial epoch, {TEXTS} texts of {MEAN_LENGTH} tokens: plain epoch / adversarial",
        lambda: adversary._train_epoch(0),
        lambda: plain._train_epoch(0),
        repeats=3,
        at_least=1 / 1.3,
        clock=time.process_time,
    )
    return [result]


if __name__ == "__main__":
    print(*main(), sep="\n")
