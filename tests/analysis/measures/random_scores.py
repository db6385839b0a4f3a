"""Columns of random scores in which ties of all sizes are common."""

import numpy


def random_pairs(
    count: int, lengths: tuple[int, int], seed: int = 0
) -> tuple[list[numpy.ndarray], list[numpy.ndarray]]:
    """Scores of `count` texts by two methods; the shortest and the longest text can have."""
    generator = numpy.random.default_rng(seed)
    pairs = [_random_pair(generator, *lengths) for _ in range(count)]
    return [first for first, _ in pairs], [second for _, second in pairs]


def _random_pair(
    generator: numpy.random.Generator, shortest: int, longest: int
) -> tuple[numpy.ndarray, numpy.ndarray]:
    length = generator.integers(shortest, longest + 1)
    # Few different scores make ties; 1 makes a constant.
    first, second = (
        generator.integers(
            0, generator.choice([1, 2, 3, 8, 10**9], p=[0.04, 0.16, 0.2, 0.2, 0.4]), length
        )
        for _ in range(2)
    )
    # From independent to the same order, or its opposite.
    mixed = second + first * generator.choice([0, 0, 0, 1, -1, 10**10, -(10**10)])
    return first / 7, mixed / 3
