"""
How an order of tokens by their scores meets what is marked, all texts at once. Tokens with the same
score are in every order with the same probability, and each number here is its expectation over
these orders, exactly: never the order in which the tokens happen to stand in the text. Scores that
are all the same therefore give what chance gives.

Notation: a token has h tokens with higher scores above it, c of them marked; it is one of t tokens
with the same score, u of them marked. `marked` is 0 or 1 per token; every text has a marked token.
Shape of `marked`: (tokens of all texts,)
"""

from typing import NamedTuple

import numpy

from analysis.measures.scores import Scores


class _Groups(NamedTuple):
    """Of each token, by the notation above. Shape: (tokens of all texts,)"""

    h: numpy.ndarray
    t: numpy.ndarray
    c: numpy.ndarray
    u: numpy.ndarray


def average_precision(scores: Scores, marked: numpy.ndarray) -> numpy.ndarray:
    """The mean precision at the positions of the marked tokens. Shape: (texts,)"""
    return _mean_over_marked(scores, marked, _precision_at(_groups(scores, marked)))


def auprc(scores: Scores, marked: numpy.ndarray) -> numpy.ndarray:
    """
    The area under the curve of precision over recall, by trapezoids between one token and the next,
    from precision 1 at recall 0: what ERASER reports. There tied tokens are taken in one step, so
    that scores which say nothing get much (.55 where 1 of 10 tokens is marked). Shape: (texts,)
    """
    groups = _groups(scores, marked)
    heights = (_precision_at(groups) + _precision_before(groups)) / 2
    return _mean_over_marked(scores, marked, heights)


def first_marked(scores: Scores, marked: numpy.ndarray) -> numpy.ndarray:
    """The position of the first marked token, from 1. Shape: (texts,)"""
    groups = _groups(scores, marked)
    # Among t tokens the first of u is on average at position (t + 1) / (u + 1).
    positions = groups.h + (groups.t + 1) / (groups.u + 1)
    return -scores.largest(numpy.where(marked > 0, -positions, -numpy.inf))


def last_marked(scores: Scores, marked: numpy.ndarray) -> numpy.ndarray:
    """The position of the last marked token, from 1. Shape: (texts,)"""
    groups = _groups(scores, marked)
    # Among t tokens the last of u is on average at position u (t + 1) / (u + 1).
    positions = groups.h + groups.u * (groups.t + 1) / (groups.u + 1)
    return scores.largest(numpy.where(marked > 0, positions, 0.0))


def precision_at(scores: Scores, marked: numpy.ndarray, k: numpy.ndarray) -> numpy.ndarray:
    """The fraction of the k first tokens of each text that is marked. Shape: (texts,)"""
    return scores.sums(_among_first(scores, k) * marked) / k


def token_f1(scores: Scores, marked: numpy.ndarray, k: numpy.ndarray) -> numpy.ndarray:
    """F1 of the k first tokens of each text: 2 x right / (k + marked). Shape: (texts,)"""
    return 2 * scores.sums(_among_first(scores, k) * marked) / (k + scores.sums(marked))


def top_share(lengths: numpy.ndarray, share: float) -> numpy.ndarray:
    """How many tokens that share of each text is, rounded half up, and one at least."""
    return numpy.maximum(1, numpy.floor(lengths * share + 0.5).astype(numpy.int64))


def _among_first(scores: Scores, k: numpy.ndarray) -> numpy.ndarray:
    """The probability that a token is among the k first of its text. Shape: (tokens of all texts,)"""
    return numpy.clip((scores.spread(k) - scores.higher) / scores.ties, 0, 1)


def _groups(scores: Scores, marked: numpy.ndarray) -> _Groups:
    # The tokens of a text with the same score share this number, and no others have it.
    group = scores.starts + scores.ranks
    marked_in = numpy.bincount(group, weights=marked, minlength=len(group))
    up_to = numpy.cumsum(marked_in)
    of_text_and_before = up_to[scores.spread(scores.offsets[1:]) - 1]
    return _Groups(
        h=scores.higher, t=scores.ties, c=of_text_and_before - up_to[group], u=marked_in[group]
    )


def _precision_at(groups: _Groups) -> numpy.ndarray:
    """
    Of a marked token, over its positions q = 1 .. t in its group: the mean of
    (c + 1 + (q - 1) s) / (h + q), where s = (u - 1) / (t - 1) are marked of each token before it.
    """
    h, t, c, _ = groups
    inverse = _harmonic(h + t) - _harmonic(h)
    return ((c + 1) * inverse + _slope(groups) * (t - (h + 1) * inverse)) / t


def _precision_before(groups: _Groups) -> numpy.ndarray:
    """The same one position above: the mean of (c + (q - 1) s) / (h + q - 1), and 1 above the first."""
    h, t, c, u = groups
    inverse = _harmonic(h + t - 1) - _harmonic(numpy.maximum(h - 1, 0))
    return numpy.where(h > 0, (c * inverse + _slope(groups) * (t - h * inverse)) / t, u / t)


def _slope(groups: _Groups) -> numpy.ndarray:
    return (groups.u - 1) / numpy.maximum(groups.t - 1, 1)


def _harmonic(numbers: numpy.ndarray) -> numpy.ndarray:
    """1 + 1/2 + ... + 1/n."""
    most = int(numbers.max(initial=0))
    sums = numpy.concatenate([[0.0], numpy.cumsum(1 / numpy.arange(1, most + 1))])
    return sums[numbers]


def _mean_over_marked(
    scores: Scores, marked: numpy.ndarray, of_tokens: numpy.ndarray
) -> numpy.ndarray:
    return scores.sums(of_tokens * marked) / scores.sums(marked)


def mass(scores: Scores, marked: numpy.ndarray) -> numpy.ndarray:
    """
    The share of the scores' size that is on marked tokens; of scores that are all 0, and so say
    nothing, the share of the tokens. Shape: (texts,)
    """
    sizes = numpy.abs(scores.values)
    total = scores.sums(sizes)
    some = total > 0
    of_tokens = scores.sums(marked) / scores.lengths
    return numpy.where(some, scores.sums(sizes * marked) / numpy.where(some, total, 1), of_tokens)
