"""
Spans instead of tokens: are the runs of chosen tokens the runs of marked ones? (IOU F1 of ERASER,
DeYoung et al. 2020.) A chosen span is right if it has at least half in common with a marked one:
tokens of both / tokens of either >= 1/2.

Spans are runs, as long as they can be. Two of them then cannot both be right about the same marked
span, nor one about two, because the token between them would have to be in both halves. ERASER takes
spans as they are given: two that touch, each half of a marked one, are both right there, and recall
is 2.
"""

from collections.abc import Iterator

import numpy

from analysis.measures.scores import Scores
from analysis.statistics.samples import uniform

# Of the orders of tied tokens, where tokens with the same score are chosen in part.
DRAWS = 100


def iou_f1(
    scores: Scores, marked: numpy.ndarray, k: numpy.ndarray, keys: numpy.ndarray
) -> numpy.ndarray:
    """
    F1 of the spans that the k first tokens of each text make. Where there is a choice among tied
    tokens, its mean over draws that belong to the text (`keys`, as `text_keys` makes them).
    Shape: (texts,), as are those of k and keys
    """
    of_k = scores.spread(k)
    split = (scores.higher < of_k) & (of_k < scores.higher + scores.ties)
    tied = scores.sums(split) > 0
    f1 = spans_f1(scores.higher < of_k, marked, scores)
    if tied.any():
        some, of_some = scores.only(tied), marked[scores.spread(tied)]
        values = [
            spans_f1(positions < some.spread(k[tied]), of_some, some)
            for positions in random_positions(some, keys[tied])
        ]
        f1[tied] = numpy.mean(values, axis=0)
    return f1


def random_positions(scores: Scores, keys: numpy.ndarray) -> Iterator[numpy.ndarray]:
    """The position of each token in its text, from 0, by orders that break ties at random."""
    for draw in range(DRAWS):
        chance = uniform(scores, keys, "spans", draw)
        order = numpy.lexsort((chance, scores.starts + scores.higher))
        positions = numpy.empty(len(order), dtype=numpy.int64)
        positions[order] = numpy.arange(len(order))
        yield positions - scores.starts


def spans_f1(chosen: numpy.ndarray, marked: numpy.ndarray, texts: Scores) -> numpy.ndarray:
    """2 x right spans / (chosen + marked spans). Shape of chosen, marked: (tokens of all texts,)"""
    starts, ends = _runs(chosen > 0, texts)
    true_starts, true_ends = _runs(marked > 0, texts)
    right = _right(starts, ends, true_starts, true_ends, marked > 0)
    right, number, true_number = (
        numpy.bincount(texts.texts[positions], weights, minlength=len(texts))
        for positions, weights in ((starts, right), (starts, None), (true_starts, None))
    )
    return 2 * right / (number + true_number)


def _runs(inside: numpy.ndarray, texts: Scores) -> tuple[numpy.ndarray, numpy.ndarray]:
    """Where each run of True begins, and where it has ended; no run goes beyond its text."""
    first = numpy.zeros(len(inside) + 1, dtype=bool)
    first[texts.offsets] = True
    before = numpy.concatenate([[False], inside[:-1]]) & ~first[:-1]
    after = numpy.concatenate([inside[1:], [False]]) & ~first[1:]
    return numpy.flatnonzero(inside & ~before), numpy.flatnonzero(inside & ~after) + 1


def _right(
    starts: numpy.ndarray,
    ends: numpy.ndarray,
    true_starts: numpy.ndarray,
    true_ends: numpy.ndarray,
    marked: numpy.ndarray,
) -> numpy.ndarray:
    """Whether each span has at least half in common with a marked one."""
    right = numpy.zeros(len(starts), dtype=bool)
    # What covers half of a span has one of its middle tokens, of which an even one has two.
    for middle in ((starts + ends - 1) // 2, (starts + ends) // 2):
        position = numpy.maximum(numpy.searchsorted(true_starts, middle, side="right") - 1, 0)
        other_start, other_end = true_starts[position], true_ends[position]
        common = numpy.minimum(ends, other_end) - numpy.maximum(starts, other_start)
        either = numpy.maximum(ends, other_end) - numpy.minimum(starts, other_start)
        right |= marked[middle] & (2 * common >= either)
    return right
