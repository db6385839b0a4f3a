"""
Passes through a model, whose numbers do not depend on what goes together: how much goes at once, in
which groups, what chance draws for a text wherever it stands, and how no pass leaves a trace.
"""

import hashlib
from contextlib import contextmanager, nullcontext
from typing import Callable, Dict, Iterator, List, Sequence, TypeVar

import torch
from allennlp.data import Instance

Result = TypeVar("Result")

# How many tokens, padding included, one pass through the model may hold, where nobody says otherwise. On a CPU larger
# passes are slower, because they leave the cache: for a BiLSTM of 128, leave-one-out takes a third
# more time at 16384, gradients a third, deeplift five times as much.
DEFAULT_BUDGET = 4096
# A GPU has no such cache, and stands idle in small passes.
GPU_BUDGET = 32768

# What looks at all pairs of tokens holds so many numbers at once: 40 MB, 256 on a GPU, and up to
# twenty times as much in between. A text of 3200 tokens is a single piece. Smaller pieces take more
# memory: up to 32 MB the C library keeps what is freed, with holes between what is not.
PAIRS = 10 * 2**20
GPU_PAIRS = 2**26


def default_budget(device: str) -> int:
    """For a device of that type."""
    return DEFAULT_BUDGET if device == "cpu" else GPU_BUDGET


def rows_at_once(numbers: int, device: str) -> int:
    """How many rows, each of so many numbers, are held at once by what looks at pairs of tokens."""
    return max(1, (PAIRS if device == "cpu" else GPU_PAIRS) // numbers)


def rows_by_length(
    lengths: Sequence[int], budget: int, longest_first: bool = False
) -> List[List[int]]:
    """
    Groups rows of like length, each group within the budget once padded (or a single row). The group
    that does not get full is that of the longest, or, with `longest_first`, of the shortest rows.
    """
    order = sorted(range(len(lengths)), key=lambda row: lengths[row] * (-1 if longest_first else 1))
    groups: List[List[int]] = []
    for row in order:
        if groups and (len(groups[-1]) + 1) * max(lengths[groups[-1][0]], lengths[row]) <= budget:
            groups[-1].append(row)
        else:
            groups.append([row])
    return groups


def in_batches(
    instances: Sequence[Instance], budget: int, work: Callable[[List[Instance]], List[Result]]
) -> List[Result]:
    """
    What `work` makes of the instances, batch by batch within the budget, in their own order.
    """
    results: Dict[int, Result] = {}
    for rows in rows_by_length([len(instance["tokens"]) for instance in instances], budget):
        results.update(zip(rows, work([instances[row] for row in rows]), strict=True))
    return [results[row] for row in range(len(instances))]


def generator_for(seed: int, instance_id: str, purpose: str = "") -> torch.Generator:
    """
    Random numbers that belong to a text, and not to its place in a batch or in a run: a generator of
    its own for each seed, instance and purpose (the method that draws). It lives on the CPU, so that
    a GPU draws the same numbers.
    """
    key = "\0".join((str(seed), instance_id, purpose))
    digest = hashlib.sha256(key.encode("utf-8", "surrogatepass")).digest()
    # torch takes a signed 64-bit seed, of which all bits count.
    return torch.Generator().manual_seed(int.from_bytes(digest[:8], "big", signed=True))


@contextmanager
def untouched(model: torch.nn.Module, goes_back: bool = True) -> Iterator[None]:
    """
    Evaluation mode; and where there is a backward pass, cuDNN off, whose RNNs refuse one in that
    mode. Afterwards the model's mode, its parameters' gradients and the random state are as they
    were.
    """
    cudnn = torch.backends.cudnn.flags(enabled=False) if goes_back else nullcontext()
    training = {module: module.training for module in model.modules()}
    gradients = {parameter: parameter.grad for parameter in model.parameters()}
    devices = {parameter.device for parameter in gradients if parameter.is_cuda}
    # A small model takes longer to be told its mode than to go through, so it is told what is new.
    if any(training.values()):
        model.eval()
    try:
        with (
            torch.random.fork_rng(devices=list(devices)),
            cudnn,
        ):
            yield
    finally:
        for module, mode in training.items():
            if module.training != mode:
                module.training = mode
        for parameter, gradient in gradients.items():
            parameter.grad = gradient
