"""Ragged columns and the ranks in them."""

import numpy

from analysis.measures import Scores, scores
from tests.analysis.measures.random_scores import random_pairs

ROWS = [[3.0, 1.0, 3.0], None, [2.0], [-0.0, 0.0, -1.0, 5.0], []]


def test_rows_come_back_as_they_were_given():
    column = Scores.of(ROWS)
    assert column.known.tolist() == [True, False, True, True, True]
    assert [row.tolist() for row in column] == [[3, 1, 3], [], [2], [0, 0, -1, 5], []]
    assert column.texts.tolist() == [0, 0, 0, 2, 3, 3, 3, 3]


def test_a_missing_row_may_be_a_nan_as_pandas_has_it():
    assert Scores.of([[1.0], float("nan")]).known.tolist() == [True, False]


def test_ranks_and_ties_are_counts_of_lower_and_of_same_scores():
    rows, _ = random_pairs(300, (0, 40))
    column = Scores.of(rows)
    expected_ranks = [[sum(row < score) for score in row] for row in rows]
    expected_ties = [[sum(row == score) for score in row] for row in rows]
    expected_higher = [[sum(row > score) for score in row] for row in rows]
    assert column.ranks.tolist() == [count for row in expected_ranks for count in row]
    assert column.ties.tolist() == [count for row in expected_ties for count in row]
    assert column.higher.tolist() == [count for row in expected_higher for count in row]


def test_zero_and_minus_zero_are_tied():
    assert Scores.of(ROWS).ties.tolist() == [2, 1, 2, 1, 2, 2, 1, 1]


def test_parts_are_whole_texts_that_cover_all_tokens(monkeypatch):
    monkeypatch.setattr(scores, "PART", 4)
    column = Scores.of([[1, 2, 3], [], [1], [1, 2, 3, 4, 5, 6], [], [1, 2], []])
    assert [(part.start, part.stop) for part in column.parts()] == [(0, 4), (4, 10), (10, 12)]
    whole = Scores.of([*random_pairs(50, (0, 9))[0]])
    monkeypatch.setattr(scores, "PART", 1 << 15)
    at_once = Scores(whole.values, whole.offsets, whole.known)
    monkeypatch.setattr(scores, "PART", 4)
    assert numpy.array_equal(whole.ranks, at_once.ranks)


def test_some_texts_of_a_column_rank_as_they_do_in_the_whole():
    rows, _ = random_pairs(50, (0, 20))
    kept = numpy.arange(50) % 3 != 0
    some = Scores.of(rows).only(kept)
    alone = Scores.of([row for row, keep in zip(rows, kept) if keep])
    for name in ("values", "offsets", "known", "ranks", "ties", "constant", "tied_pairs"):
        assert numpy.array_equal(getattr(some, name), getattr(alone, name)), name


def test_ranks_are_sorted_out_once_for_a_column_compared_many_times(monkeypatch):
    calls = []
    real = scores.ranks_and_ties
    monkeypatch.setattr(
        scores, "ranks_and_ties", lambda *arguments: calls.append(1) or real(*arguments)
    )
    column = Scores.of([[1, 2], [3, 1, 2], [5, 5]])
    for kept in ([True, True, True], [True, False, True], [False, True, True]):
        column.only(numpy.array(kept)).ranks  # noqa: B018
    assert len(calls) == 1


def test_some_tokens_of_all_texts():
    column = Scores.of([[1, 2, 3], [4], [5, 6]])
    some = column.only_tokens(numpy.array([True, False, True, False, True, True]))
    assert [row.tolist() for row in some] == [[1, 3], [], [5, 6]]


def test_sums_of_texts_without_tokens_are_zero():
    column = Scores.of(ROWS)
    assert column.sums(column.values).tolist() == [7, 0, 2, 4, 0]
    assert column.largest(column.values).tolist() == [3, 0, 2, 5, 0]
