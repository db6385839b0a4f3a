"""Inversions of many permutations at once."""

import numpy
import pytest

from analysis.measures import kendall
from analysis.measures.kendall import larger_before


def counted_one_by_one(listed):
    return {
        number: sum(before > number for before in listed[:index])
        for index, number in enumerate(listed)
    }


@pytest.mark.parametrize("block_bits", [0, 1, 2, 7])
def test_counts_larger_numbers_listed_before(monkeypatch, block_bits):
    monkeypatch.setattr(kendall, "BLOCK_BITS", block_bits)
    generator = numpy.random.default_rng(block_bits)
    lengths = [1, 2, 3, 17, 64, 65, 300, 1, 8]
    starts = numpy.repeat(numpy.cumsum([0, *lengths[:-1]]), lengths)
    listed = numpy.concatenate(
        [start + generator.permutation(length) for start, length in zip(sorted({*starts}), lengths)]
    )
    counts = larger_before(listed, starts)
    for start, length in zip(sorted({*starts}), lengths):
        expected = counted_one_by_one(listed[start : start + length].tolist())
        assert counts[start : start + length].tolist() == [expected[n] for n in sorted(expected)]


def test_a_reversed_text_longer_than_a_byte_can_count():
    starts = numpy.zeros(70_000, dtype=int)
    counts = larger_before(numpy.arange(70_000)[::-1], starts)
    assert numpy.array_equal(counts, numpy.arange(70_000)[::-1])


def test_no_texts():
    assert larger_before(numpy.empty(0, dtype=int), numpy.empty(0, dtype=int)).tolist() == []
