"""
Forward passes: batch sizes, groups of texts of similar length, random numbers per text that do not depend on the
batch, and a context that leaves the model unchanged. Ranks of tokens by their scores; ties and random orders are
seeded by the id of the text.
"""

import hashlib
import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from typing import TypeVar

import numpy
import torch
from allennlp.data import Instance

Result = TypeVar("Result")

# The default number of tokens in a forward pass, padding included. On a CPU, larger passes are slower because they
# do not fit into the cache: at 16384, a BiLSTM of 128 takes a third more time for leave-one-out and for gradients,
# and five times as much for deeplift.
DEFAULT_BUDGET = 4096
# A GPU has no such cache, and small passes do not use all of it.
GPU_BUDGET = 32768

# The number of values that methods over all pairs of tokens hold at once: 40 MB, 256 MB on a GPU, and up to twenty
# times as much for intermediate results. A text of 3200 tokens is one piece. Smaller pieces take more memory: up to
# 32 MB, the C library keeps freed blocks, which become fragmented.
PAIRS = 10 * 2**20
GPU_PAIRS = 2**26


def default_budget(device: str) -> int:
    """The default number of tokens in a forward pass for this type of device."""
    return DEFAULT_BUDGET if device == "cpu" else GPU_BUDGET


def rows_at_once(numbers: int, device: str) -> int:
    """The number of rows of `numbers` values that methods over pairs of tokens hold at once."""
    return max(1, (PAIRS if device == "cpu" else GPU_PAIRS) // numbers)


def rows_by_length(
    lengths: Sequence[int], budget: int, longest_first: bool = False
) -> list[list[int]]:
    """
    Groups of rows of similar length, each within the budget with padding (or a single row). The group that is not
    full has the longest rows, or, with `longest_first`, the shortest.
    """
    order = sorted(range(len(lengths)), key=lambda row: lengths[row] * (-1 if longest_first else 1))
    groups: list[list[int]] = []
    for row in order:
        if groups and (len(groups[-1]) + 1) * max(lengths[groups[-1][0]], lengths[row]) <= budget:
            groups[-1].append(row)
        else:
            groups.append([row])
    return groups


def in_batches(
    instances: Sequence[Instance], budget: int, work: Callable[[list[Instance]], list[Result]]
) -> list[Result]:
    """
    Apply `work` to the instances in batches within the budget; the results are in the order of the instances.
    """
    results: dict[int, Result] = {}
    for rows in rows_by_length([len(instance["tokens"]) for instance in instances], budget):
        results.update(zip(rows, work([instances[row] for row in rows]), strict=True))
    return [results[row] for row in range(len(instances))]


def generator_for(seed: int, instance_id: str, purpose: str = "") -> torch.Generator:
    """
    A random generator for a seed, a text and a purpose (the method that draws): its numbers do not depend on the
    batch or on other texts. It is on the CPU, so that results on a GPU are the same.
    """
    key = "\0".join((str(seed), instance_id, purpose))
    digest = hashlib.sha256(key.encode("utf-8", "surrogatepass")).digest()
    # torch uses all bits of a signed 64-bit seed.
    return torch.Generator().manual_seed(int.from_bytes(digest[:8], "big", signed=True))


@contextmanager
def untouched(model: torch.nn.Module, goes_back: bool = True) -> Iterator[None]:
    """
    Evaluation mode; and with a backward pass, cuDNN off, because its RNNs do not support one in that mode.
    Afterwards the model's mode, its gradients and the random state are restored.
    """
    cudnn = torch.backends.cudnn.flags(enabled=False) if goes_back else nullcontext()
    training = {module: module.training for module in model.modules()}
    gradients = {parameter: parameter.grad for parameter in model.parameters()}
    devices = {parameter.device for parameter in gradients if parameter.is_cuda}
    # For a small model, setting the mode takes longer than a forward pass, so it is only set if it changes.
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


# How scores are ranked: toward the explained class, or by magnitude, ignoring sign.
RANKINGS = ("signed", "size")


def ranked(scores: Sequence[float] | numpy.ndarray, by: str) -> numpy.ndarray:
    """The values used for ranking. Shape: (tokens,)"""
    values = numpy.asarray(scores, dtype=numpy.float64)
    return numpy.abs(values) if by == "size" else values


def ranks(
    scores: Sequence[float] | numpy.ndarray, by: str, seed: int, instance_id: str
) -> numpy.ndarray:
    """
    The rank of each token, 0 for the largest score. Ties are broken at random, seeded by the id of the text: in the
    order of the text, the first words would look important. Equal lists of scores get equal ranks for all
    methods. Shape: (tokens,)
    """
    values = ranked(scores, by)
    noise = torch.rand(len(values), generator=generator_for(seed, instance_id, "ties")).numpy()
    order = numpy.lexsort((noise, -values))
    ranks = numpy.empty(len(values), dtype=numpy.int64)
    ranks[order] = numpy.arange(len(values))
    return ranks


def tied(scores: Sequence[float] | numpy.ndarray, by: str) -> float:
    """Fraction of tokens with tied scores."""
    _, which, times = numpy.unique(ranked(scores, by), return_inverse=True, return_counts=True)
    return float((times[which] > 1).mean())


def random_ranks(tokens: int, orders: int, seed: int, instance_id: str) -> numpy.ndarray:
    """
    Ranks of random orders; a larger number of orders begins with the same ones. Shape: (orders, tokens)
    """
    generator = generator_for(seed, instance_id, "random orders")
    drawn = [torch.randperm(tokens, generator=generator) for _ in range(orders)]
    return torch.stack(drawn).numpy()


def share_size(share: float, tokens: int) -> int:
    """The number of tokens in a fraction of the text, rounded half up; at least one."""
    return max(1, math.floor(share * tokens + 0.5))
