"""
A training step of a BiLSTM whose attention is nearly all on one token, as that of an adversary becomes:
with denormal numbers taken for 0, which the plugin sees to, against the processor's own way.
"""

import time
from collections.abc import Callable

import torch

from benchmarks.harness import Result, compare, one_thread

STEPS = 5
# Of a batch of SST.
TEXTS, TOKENS = 32, 20


def steps(flush: bool) -> Callable[[], None]:
    torch.manual_seed(0)
    lstm = torch.nn.LSTM(100, 128, batch_first=True, bidirectional=True)
    texts = torch.randn(TEXTS, TOKENS, 100)
    weights = torch.softmax(40 * torch.randn(TEXTS, TOKENS, 1), dim=1)

    def run() -> None:
        torch.set_flush_denormal(flush)
        for _ in range(STEPS):
            (weights * lstm(texts)[0]).sum().backward()
        torch.set_flush_denormal(True)

    return run


@one_thread()
def main() -> list[Result]:
    result = compare(
        f"{STEPS} backward passes under saturated attention: denormal numbers / none",
        steps(flush=True),
        steps(flush=False),
        at_least=2,
        clock=time.process_time,
    )
    return [result]


if __name__ == "__main__":
    print(*main(), sep="\n")
