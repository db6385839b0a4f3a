"""
The measures from their definitions, one text at a time: of one order without ties, and their means
over every order in which tied tokens may be.
"""

from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise, permutations
from typing import Any

import numpy


def orders(scores: Sequence[float]) -> Iterator[tuple[int, ...]]:
    """Every order of the tokens from the highest score to the lowest."""
    for order in permutations(range(len(scores))):
        if all(scores[one] >= scores[two] for one, two in pairwise(order)):
            yield order


def expected(scores: Sequence[float], definition: Callable[..., float], *given: Any) -> float:
    return float(numpy.mean([definition(order, *given) for order in orders(scores)]))


def average_precision(order: Sequence[int], marked: Sequence[int]) -> float:
    found = [
        sum(marked[token] for token in order[: position + 1]) / (position + 1)
        for position, token in enumerate(order)
        if marked[token]
    ]
    return sum(found) / len(found)


def auprc(order: Sequence[int], marked: Sequence[int]) -> float:
    recall, precision = [0.0], [1.0]
    for position in range(1, len(order) + 1):
        right = sum(marked[token] for token in order[:position])
        recall.append(right / sum(marked))
        precision.append(right / position)
    return float(numpy.trapezoid(precision, recall))


def first_marked(order: Sequence[int], marked: Sequence[int]) -> float:
    return next(position for position, token in enumerate(order, start=1) if marked[token])


def last_marked(order: Sequence[int], marked: Sequence[int]) -> float:
    return max(position for position, token in enumerate(order, start=1) if marked[token])


def precision_at(order: Sequence[int], marked: Sequence[int], k: int) -> float:
    return sum(marked[token] for token in order[:k]) / k


def token_f1(order: Sequence[int], marked: Sequence[int], k: int) -> float:
    guess, truth = set(order[:k]), {position for position, mark in enumerate(marked) if mark}
    precision, recall = len(guess & truth) / len(guess), len(guess & truth) / len(truth)
    return 2 * precision * recall / (precision + recall) if guess & truth else 0.0


def iou_f1(order: Sequence[int], marked: Sequence[int], k: int) -> float:
    guess = runs(set(order[:k]))
    truth = runs({position for position, mark in enumerate(marked) if mark})
    precision = sum(any(alike(one, other) for other in truth) for one in guess) / len(guess)
    recall = sum(any(alike(one, other) for one in guess) for other in truth) / len(truth)
    return 2 * precision * recall / (precision + recall) if precision + recall else 0.0


def alike(one: set[int], other: set[int]) -> bool:
    return len(one & other) / len(one | other) >= 0.5


def runs(positions: set[int]) -> list[set[int]]:
    found: list[set[int]] = []
    for position in sorted(positions):
        if found and position - 1 in found[-1]:
            found[-1].add(position)
        else:
            found.append({position})
    return found


def marked_first(scores, marks):
    """Of the tokens with the highest score, the share that is marked."""
    first = [mark for score, mark in zip(scores, marks, strict=True) if score == max(scores)]
    return sum(first) / len(first)
