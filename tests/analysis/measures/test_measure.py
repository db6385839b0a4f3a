"""What holds for every measure, and how measures are found."""

import numpy
import pytest

from analysis.measures import Measure, Property, Scores, UndefinedValueError, scores
from attention_explain.errors import InputError
from tests.analysis.measures.random_scores import random_pairs

NAMES = [
    "as-published",
    "fagin",
    "jsd",
    "kendall",
    "pearson",
    "rbo",
    "spearman",
    "top-k-overlap",
    "tvd",
    "weighted-tau",
]


def same(found, expected):
    numpy.testing.assert_allclose(found.value, expected.value, rtol=0, atol=1e-13)
    assert found.undefined.tolist() == expected.undefined.tolist()
    assert (found.p_value is None) == (expected.p_value is None)
    if found.p_value is not None:
        numpy.testing.assert_allclose(found.p_value, expected.p_value, rtol=1e-9)


def test_measures_have_the_names_that_users_type():
    assert Measure.names() == NAMES
    assert Property.names() == ["entropy", "gini", "max", "non-zeros"]


@pytest.mark.parametrize("name", NAMES)
def test_a_text_has_the_value_it_has_alone_whatever_stands_next_to_it(monkeypatch, name):
    monkeypatch.setattr(scores, "PART", 64)
    first, second = random_pairs(60, (0, 30))
    first = [None if index % 7 == 3 else row for index, row in enumerate(first)]
    second = [None if index % 5 == 2 else numpy.abs(row) for index, row in enumerate(second)]
    measure = Measure.named(name)
    together = measure(Scores.of(first), Scores.of(second))
    assert "no scores" in together.undefined
    assert "" in together.undefined
    assert numpy.array_equal(numpy.isnan(together.value), together.undefined != "")
    for index, pair in enumerate(zip(first, second)):
        alone = measure(*(Scores.of([row]) for row in pair))
        same(
            alone,
            together.__class__(
                *(
                    None if field is None else field[index : index + 1]
                    for field in (together.value, together.undefined, together.p_value)
                )
            ),
        )


@pytest.mark.parametrize("name", NAMES)
def test_order_of_columns_does_not_matter(name):
    first, second = map(Scores.of, random_pairs(60, (2, 30)))
    same(Measure.named(name)(first, second), Measure.named(name)(second, first))


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("rows", [[], [None, None], [[1.0, float("nan")]]])
def test_where_no_text_can_be_compared_all_are_undefined(name, rows):
    found = Measure.named(name)(Scores.of(rows), Scores.of(rows))
    assert len(found.value) == len(found.undefined) == len(rows)
    assert all(found.undefined)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.filterwarnings("error")
def test_awkward_texts_raise_no_warning(name):
    rows = [[0, 0, 0], [1, 1], [-1, 1], [1e-300, 0], [5], [0, 1, 2], [1e30, -1e30, 0]]
    for other in (
        rows,
        rows[:1] + [row[::-1] for row in rows[1:]],
        [[0] * len(row) for row in rows],
    ):
        Measure.named(name)(Scores.of(rows), Scores.of(other))


def test_columns_that_do_not_fit_are_rejected():
    measure = Measure.named("kendall")
    with pytest.raises(InputError, match="different lengths"):
        measure(Scores.of([[1, 2], [1, 2, 3]]), Scores.of([[1, 2], [1, 2]]))
    with pytest.raises(InputError, match="different numbers of texts, 1 and 2"):
        measure(Scores.of([[1, 2]]), Scores.of([[1, 2], [1, 2]]))


def test_lengths_may_differ_where_one_column_has_no_scores():
    found = Measure.named("kendall")(Scores.of([None, [1, 2]]), Scores.of([[1, 2, 3], [1, 2]]))
    assert found.undefined.tolist() == ["no scores", ""]


def test_a_measure_of_one_text_is_all_it_takes(monkeypatch):
    monkeypatch.setattr(Measure, "_registry", dict(Measure._registry))

    @Measure.register("same-top-token")
    class SameTopToken(Measure):
        def one(self, first, second):
            if first.max() <= 0:
                raise UndefinedValueError("no score above 0")
            return float(first.argmax() == second.argmax())

    found = Measure.named("same-top-token")(
        Scores.of([[1, 2], [0, 0], [2, 1], None]), Scores.of([[1, 2], [1, 2], [1, 2], [1, 2]])
    )
    assert found.value[[0, 2]].tolist() == [1, 0]
    assert found.undefined.tolist() == ["", "no score above 0", "", "no scores"]


def test_a_measure_keeps_the_name_it_was_asked_by():
    measure = Measure.named("fagin:k=3,penalty=0.25")
    assert measure.name == "fagin:k=3,penalty=0.25"
    assert (measure.top_k.k, measure.penalty) == (3, 0.25)
    assert Measure.named("fagin").name == "fagin"


@pytest.mark.parametrize(
    "text, message",
    [
        ("tau", "there is no measure 'tau'; there are as-published, fagin"),
        ("kendall:k=3", "measure 'kendall' has no option 'k=3'; it has none"),
        ("fagin:k", "measure 'fagin' has no option 'k'; it has k, penalty"),
        ("fagin:depth=3", "measure 'fagin' has no option 'depth=3'; it has k, penalty"),
        ("rbo:p=1", "'rbo:p=1': p has to be a number between 0 and 1, not '1'"),
        ("rbo:p=high", "'rbo:p=high': p has to be a number between 0 and 1, not 'high'"),
        ("fagin:penalty=2", "'fagin:penalty=2': penalty has to be a number from 0 to 1, not '2'"),
        ("as-published:penalty=nan", "penalty has to be a number from 0 to 1, not 'nan'"),
    ],
)
def test_what_cannot_be_meant_is_rejected(text, message):
    with pytest.raises(InputError, match=message):
        Measure.named(text)
