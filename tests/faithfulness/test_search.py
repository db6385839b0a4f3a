"""The search: exact where it is to be, near the optimum elsewhere, never worse than what was seen."""

import numpy
import pytest

from attention_explain.errors import InputError
from attention_explain.faithfulness.ranking_measure import best_chain
from attention_explain.faithfulness.search import Search, runs_of_neighbours
from tests.builders import TEXTS
from tests.faithfulness import slow_faithfulness as slow
from tests.faithfulness.test_outputs import classifier, outputs_of
from tests.faithfulness.test_ranking_measures import ALL, BINS, LABEL, decision, measured

SHORT = ["a dull film", "fine", "not a good film at all", "the plot never drags"]


def enumerated(made, text, erasure, label):
    """The best value of each measure over all orders of the text."""
    words = text.split()
    p = slow.remembering(slow.slow_outputs(made, words, erasure, bounded=True))
    best = {}
    for order in slow.all_orders(len(words)):
        values = {
            **slow.comprehensiveness(p, order, label, BINS),
            **slow.sufficiency(p, order, label, BINS),
            ("deletion_curve", None): slow.area(slow.deletion_heights(p, order, label)),
            ("insertion_curve", None): slow.area(slow.insertion_heights(p, order, label)),
            **slow.decision_flip(p, order),
        }
        lower = {"sufficiency", "deletion_curve", "decision_flip", "decision_flip_never"}
        for (measure, k), value in values.items():
            if value is None:
                continue
            better = min if measure in lower else max
            best[measure, k] = better(best.get((measure, k), value), value)
    return best


@pytest.mark.parametrize("encoder, erasure", [("bilstm", "delete"), ("cnn", "zero")])
@pytest.mark.parametrize("exact", [10, 0])
def test_short_texts_have_the_best_of_all_orders(encoder, erasure, exact):
    made = classifier(encoder)
    labels = [decision(made, text) for text in SHORT]
    search = Search(exact=exact)
    tables, _ = measured(made, ALL, erasure, SHORT, labels, search=search)
    optimal = compared = 0
    for text, table, label in zip(SHORT, tables, labels, strict=True):
        for (measure, k), value in enumerated(made, text, erasure, label).items():
            found = table["search", measure, k].value
            same = found == pytest.approx(value, abs=1e-9)
            optimal, compared = optimal + same, compared + 1
            if exact:
                assert same
    assert compared > 25 and optimal >= 0.9 * compared


def test_beams_of_ten_tokens_find_nearly_all_that_enumeration_finds():
    text = " ".join(TEXTS[3].split()[:10])
    for encoder in ("bilstm", "transformer"):
        made = classifier(encoder)
        searches = [Search(exact=10), Search(exact=0)]
        best, beam = (
            measured(made, ALL, "delete", [text], search=search)[0][0] for search in searches
        )
        keys = [key for key in best if key[0] == "search" and best[key].value is not None]
        same = [abs(best[key].value - beam[key].value) < 1e-9 for key in keys]
        assert len(keys) > 10 and numpy.mean(same) >= 0.9


@pytest.mark.parametrize("erasure", ["delete", "unk"])
@pytest.mark.parametrize("search", [Search(width=1, candidates=1, exact=0), Search()])
def test_nothing_that_was_seen_is_better(erasure, search):
    """Also in a text that is long for the steps of the measures."""
    long = " ".join(TEXTS[1].split() * 5)
    configs = [*ALL[:2], *({"type": name, "points": 6} for name in ALL[2:])]
    tables, _ = measured(classifier(), configs, erasure, [*TEXTS, long], methods=4, search=search)
    higher = {"sufficiency": -1, "deletion_curve": -1, "decision_flip": -1}
    for table in tables:
        for (_, measure, k), row in table.items():
            best = table["search", measure, k].value
            if row.value is not None and not measure.endswith(("first", "never")):
                assert higher.get(measure, 1) * (best - row.value) >= -1e-9


def test_a_long_text_costs_no_more_than_is_said():
    made = classifier("affine")
    words = TEXTS[1].split()
    text = " ".join(words * 60)
    outputs = outputs_of(made, "zero", texts=[text])
    tokens = len(text.split())
    orders = numpy.stack([numpy.random.default_rng(n).permutation(tokens) for n in range(5)])
    sizes = [[7, 36, 72, 144, 360]]
    found = Search(width=3)(outputs, [LABEL], True, sizes, [orders], [3])
    # The effects of neighbours, the orders' own sets, and width x (3 + 2 + 1) a size.
    assert outputs.sets_run <= 256 + 5 * 5 + 5 * 3 * 6
    assert all(
        sets.first.sum(axis=1).tolist() == [size] * len(sets.first)
        for size, sets in found[0].items()
    )


def test_runs_of_neighbours_cover_the_text():
    assert runs_of_neighbours(5, 256).tolist() == [0, 1, 2, 3, 4]
    runs = runs_of_neighbours(1000, 256)
    assert len(set(runs.tolist())) <= 256 and (numpy.diff(runs) >= 0).all()


def test_chains_are_of_sets_within_each_other():
    ones = numpy.array([[1, 0, 0], [0, 1, 0]], dtype=bool)
    twos = numpy.array([[1, 0, 1], [0, 1, 1]], dtype=bool)
    # The best two sets do not fit together.
    assert best_chain([ones, twos], [numpy.array([5.0, 1.0]), numpy.array([0.0, 3.0])]) == 5.0
    assert best_chain([ones, twos], [numpy.array([1.0, 1.0]), numpy.array([0.0, 3.0])]) == 4.0


@pytest.mark.parametrize(
    "options", [{"width": 0}, {"candidates": 0}, {"exact": -1}, {"exact": 30}, {"singles": 0}]
)
def test_options_that_make_no_sense_are_rejected(options):
    with pytest.raises(InputError, match=next(iter(options))):
        Search(**options)
