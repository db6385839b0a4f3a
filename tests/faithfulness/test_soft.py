"""Soft comprehensiveness and sufficiency, with plain loops over what was drawn."""

import numpy
import pytest
import torch

from attention_explain.errors import InputError
from attention_explain.faithfulness.faithfulness import MEASURES
from attention_explain.passes import generator_for
from tests.builders import TEXTS
from tests.faithfulness.judging import LABEL, judged
from tests.faithfulness.test_outputs import classifier
from tests.interpret.slow_removal import one_text

SCORES = [
    numpy.random.default_rng(number).normal(size=len(text.split())).tolist()
    for number, text in enumerate(TEXTS)
]


@torch.no_grad()
def slow_soft(made, words, scores, text_id, draws, sufficiency):
    text = one_text(made, words, bounded=True)
    embeddings = made.embed(text.tokens)

    def probability(vectors):
        states = made.encode(vectors, text.inputs)
        return float(made.decode(states, made.attend(states, text.inputs)).softmax(-1)[0, LABEL])

    whole = probability(embeddings)
    generator = generator_for(0, text_id, "soft")
    drops, lowest, highest = [], min(scores), max(scores)
    for _ in range(draws):
        drawn = torch.rand(len(words), embeddings.size(-1), generator=generator)
        vectors = embeddings.clone()
        for i, score in enumerate(scores):
            chance = (score - lowest) / (highest - lowest)
            for d in range(embeddings.size(-1)):
                if drawn[i, d] >= (chance if sufficiency else 1 - chance):
                    vectors[0, 1 + i, d] = 0.0
        drops.append(max(0.0, whole - probability(vectors)))
    nothing = embeddings.clone()
    nothing[0, 1:-1] = 0.0
    null = max(0.0, whole - probability(nothing))
    if null < 1e-5:
        return None
    drop = sum(drops) / draws
    return 1 - drop / null if sufficiency else drop / null


@pytest.mark.parametrize("encoder", ["bilstm", "transformer"])
@pytest.mark.parametrize("name", ["soft_comprehensiveness", "soft_sufficiency"])
def test_it_is_the_mean_over_draws_of_each_number(encoder, name):
    defined = 0
    for seed in (1, 2):
        made = classifier(encoder, seed=seed)
        found = judged(made, {"mine": SCORES}, {"type": name, "draws": 4})
        for number, (text, rows) in enumerate(zip(TEXTS, found, strict=True)):
            words = text.split()
            if len(words) == 1:
                continue
            expected = slow_soft(
                made, words, SCORES[number], f"text-{number}", 4, name.endswith("sufficiency")
            )
            row = rows["mine", name]
            assert row.value == pytest.approx(expected, abs=1e-6) and row.erasure is None
            assert (row.undefined is None) == (expected is not None)
            assert ("random", name) in rows and row.normalised is None
            defined += expected is not None
    assert defined >= 2


def test_budgets_change_nothing_and_equal_scores_have_no_value():
    made = classifier("cnn")
    flat = [[0.5] * len(text.split()) for text in TEXTS]
    scores = {"mine": SCORES, "flat": flat}
    measure = {"type": "soft_sufficiency", "draws": 3}
    one, other = (judged(made, scores, measure, budget=budget) for budget in (4096, 20))
    for rows, same in zip(one, other, strict=True):
        for key in rows:
            assert rows[key].value == pytest.approx(same[key].value, abs=1e-9)
        assert rows["flat", "soft_sufficiency"].undefined is not None


def test_options_that_make_no_sense_are_rejected():
    with pytest.raises(InputError, match="draws is 0"):
        MEASURES.build([{"type": "soft_sufficiency", "draws": 0}])


def test_scores_of_one_size_say_nothing_by_size():
    name, texts = "soft_comprehensiveness", [text for text in TEXTS if len(text.split()) > 1]
    given = [[(-1.0) ** position for position in range(len(text.split()))] for text in texts]
    signed, sizes = (
        [
            rows["mine", name].undefined
            for seed in (1, 2)
            for rows in judged(classifier(seed=seed), {"mine": given}, name, texts=texts, by=by)
        ]
        for by in ("signed", "size")
    )
    assert None in signed and "all scores are the same" not in signed
    assert None not in sizes and "all scores are the same" in sizes
