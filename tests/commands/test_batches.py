"""How much of a job is saved at once: the less, the more there is to do to a text."""

import pytest
import torch
from allennlp.data import Vocabulary
from allennlp.modules.token_embedders import Embedding

from attention_explain import costs, defaults
from attention_explain.commands import batches as module
from attention_explain.commands.batches import fingerprint, multiplications, plan_chunks
from attention_explain.costs import passes_of_components, passes_of_measures
from attention_explain.faithfulness.ranking_measure import BINS, POINTS
from attention_explain.faithfulness.search import SMALL

LENGTHS = [5, 9, 7, 20, 6, 8, 5, 7]
STEPS = ["delete", "mask"]


def divided(a_token, by_step=False, budget=1000):
    """Where each text takes that number of multiplications per token, of a chunk's thousand."""
    return plan_chunks(LENGTHS, budget, STEPS, lambda tokens: a_token * tokens, by_step)


@pytest.fixture(autouse=True)
def small_chunks(monkeypatch):
    monkeypatch.setattr(module, "CHUNK_COST", 1000.0)


def test_every_text_is_done_once_with_all_steps_and_no_part_is_too_much():
    for a_token in (0, 1, 20, 45, 70, 1e9):
        for by_step in (False, True):
            chunks = [chunk for group in divided(a_token, by_step) for chunk in group]
            done = [(row, step) for chunk in chunks for row in chunk.rows for step in chunk.steps]
            assert sorted(done) == sorted((row, step) for row in range(8) for step in STEPS)
            for chunk in chunks:
                cost = sum(a_token * LENGTHS[row] for row in chunk.rows)
                assert len(chunk.rows) == 1 or cost <= module.CHUNK_COST
            shares = sum(chunk.share * len(chunk.rows) for chunk in chunks)
            assert shares == pytest.approx(len(LENGTHS))


def test_what_is_cheap_is_divided_by_the_budget_alone():
    assert [chunk.rows for (chunk,) in divided(1)] == [list(range(8))]
    found = [chunk.rows for (chunk,) in divided(1, budget=20)]
    assert found == [[3], [1, 5], [2, 7], [0, 4, 6]]


def test_the_more_a_text_takes_the_more_parts_there_are():
    numbers = [sum(map(len, divided(a_token, by_step=True))) for a_token in (1, 20, 60, 1000)]
    assert numbers == [1, 2, 6, 16]
    assert [chunk.steps for chunk in divided(1000, by_step=True)[0]] == [["delete"], ["mask"]]
    # Where a text is one row of the file, it is done at once.
    assert len(divided(1000)) == 8 and all(len(group) == 1 for group in divided(1000))


def test_the_longest_texts_come_first():
    for a_token in (1, 20, 60, 1000):
        longest = [max(LENGTHS[row] for row in group[0].rows) for group in divided(a_token)]
        assert longest == sorted(longest, reverse=True)


def test_another_division_has_another_fingerprint():
    found = [fingerprint(divided(a_token, True)) for a_token in (1, 2, 20, 60, 1000)]
    assert found[0] == found[1] and len(set(found)) == 4


def test_a_table_to_look_up_in_costs_nothing():
    layers = torch.nn.Sequential(
        torch.nn.Embedding(100, 4),
        Embedding(embedding_dim=4, num_embeddings=50, vocab=Vocabulary()),
        torch.nn.Linear(4, 6),
        torch.nn.LSTM(6, 2),
    )
    assert multiplications(layers) == (4 * 6 + 6) + 4 * (2 * 6 + 2 * 2 + 2 + 2)


def test_passes_grow_with_methods_measures_erasures_and_length():
    lime, gradient = {"type": "lime", "samples": 64}, {"type": "gradient"}
    # A pass backward takes four thirds of one forward.
    assert passes_of_components("interpreters", [lime], 9) == pytest.approx(64)
    assert passes_of_components("interpreters", [lime, gradient], 9) == pytest.approx(
        64 + 1 + 4 / 3
    )
    one = ["comprehensiveness"]
    again = [*one, {"type": "sensitivity", "samples": 3}]

    def judged(measures=one, erasures=1, methods=1, apart=False, tokens=10):
        return passes_of_measures(measures, erasures, [lime] * methods, tokens, apart)

    assert judged(erasures=3) == pytest.approx(3 * judged())
    assert judged(tokens=30) == pytest.approx(3 * judged())
    assert judged(again) == pytest.approx(judged() + (1 + 3) * 64)
    assert judged(methods=2) > judged()
    assert judged(apart=True) > judged()


def test_what_is_declared_of_measures_is_what_they_look_at():
    """Plans are made without loading the classes, and so say these numbers again."""
    assert costs.ONE_BY_ONE == SMALL
    declared = {name: costs.declaration("faithfulness", name) for name in defaults.MEASURES}
    points = ("deletion_curve", "insertion_curve", "decision_flip")
    assert {declared[name]["points"] for name in points} == {POINTS}
    bins = ("comprehensiveness", "sufficiency")
    assert {declared[name]["bins"] for name in bins} == {len(BINS)}
    assert {*points, *bins} == {name for name in declared if declared[name] is not costs.UNKNOWN}
