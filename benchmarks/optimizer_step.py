"""A step of `fused_adam` against one of AllenNLP's `adam`, for the parameters of a BiLSTM on SST."""

import time
from collections.abc import Callable

import torch
from allennlp.training.optimizers import AdamOptimizer, Optimizer

from attention_explain.training.fused_adam import FusedAdam
from benchmarks.harness import Result, compare, one_thread

WORDS = 14000
STEPS = 20


def steps_of(optimizer: Callable[..., Optimizer]) -> Callable[[], None]:
    torch.manual_seed(0)
    model = torch.nn.ModuleList(
        [torch.nn.Embedding(WORDS, 100), torch.nn.LSTM(100, 128, bidirectional=True)]
    )
    for parameter in model.parameters():
        parameter.grad = torch.randn_like(parameter)
    made = optimizer(list(model.named_parameters()), amsgrad=True, weight_decay=1e-5)

    def steps() -> None:
        for _ in range(STEPS):
            made.step()

    return steps


@one_thread()
def main() -> list[Result]:
    result = compare(
        f"{STEPS} steps for {WORDS} word vectors and a BiLSTM: adam / fused_adam",
        steps_of(FusedAdam),
        steps_of(AdamOptimizer),
        at_least=2,
        clock=time.process_time,
    )
    return [result]


if __name__ == "__main__":
    print(*main(), sep="\n")
