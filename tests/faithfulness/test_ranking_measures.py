"""Measures of orders against their definitions, and against what must hold of them."""

import numpy
import pytest

from attention_explain.errors import InputError
from attention_explain.faithfulness.evaluator import RankedText, measure_rankings
from attention_explain.faithfulness.faithfulness import MEASURES
from attention_explain.faithfulness.search import Search
from attention_explain.passes import random_ranks
from tests.builders import TEXTS
from tests.faithfulness import slow_faithfulness as slow
from tests.faithfulness.test_outputs import classifier, outputs_of

ALL = ["comprehensiveness", "sufficiency", "deletion_curve", "insertion_curve", "decision_flip"]
BINS = [0.01, 0.05, 0.1, 0.2, 0.5]
LABEL = 1


def measured(made, configs=ALL, erasure="delete", texts=TEXTS, labels=None, methods=2, search=None):
    """Of each text the rows by method, measure and bin; with the orders of methods and chance."""
    outputs = outputs_of(made, erasure, texts=texts)
    ordered = []
    for number, text in enumerate(texts):
        drawn = random_ranks(len(text.split()), methods + 3, 7, str(number))
        ranks = {f"method-{position}": drawn[position] for position in range(methods)}
        target = LABEL if labels is None else labels[number]
        ordered.append(RankedText(target, ranks, drawn[methods:]))
    search = search or Search(width=2, exact=0)
    rows = measure_rankings(MEASURES.build(configs), outputs, erasure, ordered, search)
    tables = [{(row.method, row.measure, row.k): row for row in of_text} for of_text in rows]
    for of_text, table in zip(rows, tables, strict=True):
        assert len(table) == len(of_text)
    return tables, ordered


def order_of(ranks):
    return numpy.argsort(ranks).tolist()


def expected_values(p, order, label=LABEL):
    return {
        **slow.comprehensiveness(p, order, label, BINS),
        **slow.sufficiency(p, order, label, BINS),
        ("deletion_curve", None): slow.area(slow.deletion_heights(p, order, label)),
        ("insertion_curve", None): slow.area(slow.insertion_heights(p, order, label)),
    }


def decision(made, text):
    return int(numpy.argmax(slow.slow_outputs(made, text.split(), "zero", True)(range(99))))


@pytest.mark.parametrize("encoder", ["bilstm", "affine"])
@pytest.mark.parametrize("erasure", ["delete", "unk"])
def test_values_are_those_of_the_definitions(encoder, erasure):
    made = classifier(encoder)
    labels = [decision(made, text) for text in TEXTS]
    tables, ordered = measured(made, erasure=erasure, labels=labels)
    for text, table, orders, label in zip(TEXTS, tables, ordered, labels, strict=True):
        p = slow.remembering(slow.slow_outputs(made, text.split(), erasure, bounded=True))
        for method, ranks in orders.ranks.items():
            order = order_of(ranks)
            expected = expected_values(p, order, label)
            expected.update(slow.decision_flip(p, order))
            for (measure, k), value in expected.items():
                assert table[method, measure, k].value == pytest.approx(value, abs=1e-9)
            curve = table[method, "deletion_curve", None].curve
            assert curve == pytest.approx(slow.deletion_heights(p, order, label), abs=1e-9)
            curve = table[method, "insertion_curve", None].curve
            assert curve == pytest.approx(slow.insertion_heights(p, order, label), abs=1e-9)
            assert set(table) >= {(method, *key) for key in expected}


def test_random_is_the_mean_over_its_orders():
    made = classifier()
    tables, ordered = measured(made, erasure="zero")
    text, table, orders = TEXTS[1], tables[1], ordered[1]
    p = slow.remembering(slow.slow_outputs(made, text.split(), "zero", bounded=True))
    several = [expected_values(p, order_of(ranks)) for ranks in orders.chance]
    for key in [("comprehensiveness", 0.2), ("sufficiency", None), ("deletion_curve", None)]:
        mean = sum(each[key] for each in several) / len(several)
        assert table[("random", *key)].value == pytest.approx(mean, abs=1e-9)
        assert table[("random", *key)].normalised == 0.0
        assert table[("search", *key)].normalised == 1.0


def test_normalised_goes_from_random_to_search():
    tables, _ = measured(classifier())
    checked = 0
    for table in tables:
        for (_, measure, k), row in table.items():
            low, high = (table[end, measure, k].value for end in ("random", "search"))
            if row.value is None or abs(high - low) <= 1e-6:
                assert row.normalised is None
            else:
                assert row.normalised == pytest.approx((row.value - low) / (high - low))
                assert row.normalised <= 1 + 1e-9
                checked += 1
    assert checked > 100


def test_rising_deletion_is_falling_insertion_backwards():
    configs = [
        "insertion_curve",
        {"type": "deletion_curve", "order": "rising", "name": "rising"},
    ]
    made = classifier()
    tables, ordered = measured(made, configs)
    for text, table, orders in zip(TEXTS, tables, ordered):
        p = slow.slow_outputs(made, text.split(), "delete", bounded=True)
        rising = order_of(orders.ranks["method-0"])[::-1]
        heights = slow.deletion_heights(p, rising, LABEL)
        row = table["method-0", "rising", None]
        assert row.curve == pytest.approx(heights, abs=1e-9)
        assert row.value == pytest.approx(slow.area(heights), abs=1e-9)
        assert row.curve[::-1] == table["method-0", "insertion_curve", None].curve
        assert table["search", "rising", None].value >= row.value


def test_a_text_of_one_token_has_values_but_no_scale():
    tables, _ = measured(classifier(), texts=["fine"])
    table = tables[0]
    row = table["method-0", "comprehensiveness", 0.5]
    curve = table["method-0", "deletion_curve", None].curve
    assert row.value == pytest.approx(curve[0] - curve[1]) and row.normalised is None
    assert all(row.normalised is None for row in table.values())


def test_long_texts_are_measured_in_steps():
    words = " ".join(TEXTS[1].split() * 3)
    configs = [
        {"type": "deletion_curve", "points": 8},
        {"type": "decision_flip", "points": 8},
        "comprehensiveness",
    ]
    tables, ordered = measured(classifier(), configs, texts=[words], search=Search(exact=0))
    p = slow.slow_outputs(classifier(), words.split(), "delete", bounded=True)
    order = order_of(ordered[0].ranks["method-0"])
    tokens = len(order)
    sizes = [0] + [-(-step * tokens // 8) for step in range(1, 9)]
    heights = [p(slow.others(order, size))[LABEL] for size in sizes]
    row = tables[0]["method-0", "deletion_curve", None]
    assert row.curve == pytest.approx(heights, abs=1e-9)
    shares = numpy.array(sizes) / tokens
    assert row.value == pytest.approx(numpy.trapezoid(heights, shares), abs=1e-9)


def test_without_a_drop_to_divide_by_the_normalised_form_is_undefined_and_says_why():
    made = classifier()
    # The class that the empty text makes more probable.
    text = TEXTS[1]
    p = slow.slow_outputs(made, text.split(), "zero", True)
    whole, empty = p(range(99)), p([])
    label = int(empty[1] > whole[1])
    tables, _ = measured(made, ["sufficiency"], "zero", [text], [label])
    row = tables[0]["method-0", "normalised_sufficiency", None]
    assert row.value is None and row.normalised is None and "no drop to divide by" in row.undefined
    assert tables[0]["method-0", "sufficiency", None].value is not None


def test_flips_are_undefined_for_a_class_that_is_not_the_decision():
    made = classifier()
    text = TEXTS[1]
    tables, _ = measured(made, ["decision_flip"], texts=[text], labels=[1 - decision(made, text)])
    row = tables[0]["method-0", "decision_flip", None]
    assert row.value is None and "not the predicted one" in row.undefined


def test_a_measure_with_a_name_of_its_own_gives_it_to_all_its_forms():
    configs = [
        "comprehensiveness",
        {"type": "comprehensiveness", "bins": [0.3], "name": "third"},
        {"type": "decision_flip", "name": "flip"},
    ]
    tables, _ = measured(classifier(), configs, texts=TEXTS[:1])
    names = {measure for _, measure, _ in tables[0]}
    assert names == {
        "comprehensiveness",
        "normalised_comprehensiveness",
        "third",
        "normalised_third",
        "flip",
        "flip_first",
        "flip_never",
    }


@pytest.mark.parametrize(
    "config, reason",
    [
        ({"type": "comprehensiveness", "bins": []}, "bins must be"),
        ({"type": "sufficiency", "bins": [0.5, 1.5]}, "bins must be"),
        ({"type": "sufficiency", "bins": [0.5, 0.5]}, "must be distinct"),
        ({"type": "deletion_curve", "order": "down"}, "falling, rising"),
        ({"type": "insertion_curve", "points": 0}, "1 or more"),
        ({"type": "decision_flip", "points": 0}, "1 or more"),
        ("fidelity", "there is no measure 'fidelity'"),
        ({"type": "comprehensiveness", "name": "tied"}, "cannot be called 'tied'"),
    ],
)
def test_options_that_make_no_sense_are_rejected(config, reason):
    with pytest.raises(InputError, match=reason):
        MEASURES.build([config])
