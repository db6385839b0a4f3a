"""The violation ratio by its definition, and the removal of states from attention."""

import itertools

import numpy
import pytest

from attention_explain.errors import InputError
from attention_explain.faithfulness.effects import chances_of_top
from attention_explain.faithfulness.faithfulness import MEASURES
from attention_explain.faithfulness.removal import ERASURES
from tests.builders import ENCODERS, TEXTS, model
from tests.faithfulness.judging import LABEL, judged, scores_of
from tests.faithfulness.slow_faithfulness import slow_outputs
from tests.faithfulness.test_outputs import classifier, outputs_of


def some_scores():
    generator = numpy.random.default_rng(4)
    return [generator.integers(-3, 4, len(text.split())).astype(float).tolist() for text in TEXTS]


def rows_of(made, scores, options, erasure="delete"):
    found = judged(made, {"mine": scores}, {"type": "violation", **options}, erasure)
    return [
        {method: row for (method, of), row in rows.items() if of == "violation"} for rows in found
    ]


def slow_drops(made, words, erasure):
    p = slow_outputs(made, words, erasure, bounded=True)
    positions = range(len(words))
    without = [p([i for i in positions if i != gone])[LABEL] for gone in positions]
    return [p(positions)[LABEL] - each for each in without]


@pytest.mark.parametrize("top", [1, 3])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("encoder, erasure", [("bilstm", "delete"), ("transformer", "zero")])
def test_it_is_the_share_of_top_tokens_with_the_wrong_sign(encoder, erasure, top, weighted):
    made = classifier(encoder)
    scores = some_scores()
    found = rows_of(made, scores, {"top": top, "weighted": weighted}, erasure)
    for text, given, rows in zip(TEXTS, scores, found, strict=True):
        drops = slow_drops(made, text.split(), erasure)
        weight = [abs(drop) if weighted else 1.0 for drop in drops]
        number = min(top, len(given))
        least = sorted(map(abs, given))[-number]
        certain = [i for i, score in enumerate(given) if abs(score) > least]
        tied = [i for i, score in enumerate(given) if abs(score) == least]
        ways = list(itertools.combinations(tied, number - len(certain)))
        chosen = numpy.zeros(len(given))
        for way in ways:
            chosen[[*certain, *way]] += 1 / len(ways)
        assert chances_of_top(numpy.abs(given), top) == pytest.approx(chosen)
        wrong = sum(c * w * (s * d < 0) for c, w, s, d in zip(chosen, weight, given, drops))
        if any(given):
            assert rows["mine"].value == pytest.approx(wrong / (chosen @ weight))
        chance = sum(w * (d < 0) for w, d in zip(weight, drops)) / sum(weight)
        assert rows["random"].value == pytest.approx(chance)
        assert rows["search"].value == 0 and rows["search"].curve == pytest.approx(drops)
        if chance > 0 and any(given):
            expected = (chance - rows["mine"].value) / chance
            assert rows["mine"].normalised == pytest.approx(expected)


def test_unsigned_scores_claim_that_the_top_token_speaks_for_the_class():
    made = classifier()
    scores = [[abs(score) + 0.1 for score in of_text] for of_text in some_scores()]
    for text, given, rows in zip(TEXTS, scores, rows_of(made, scores, {}), strict=True):
        drops = numpy.array(slow_drops(made, text.split(), "delete"))
        top = numpy.array(given) == max(given)
        assert rows["mine"].value == pytest.approx((drops[top] < 0).mean())


def test_without_signs_or_effects_it_is_undefined():
    made = classifier()
    none = [[0.0] * len(text.split()) for text in TEXTS]
    for rows in rows_of(made, none, {}):
        assert rows["mine"].undefined == "all scores are 0"
    made.decoder.weight.data.zero_()
    for rows in rows_of(made, [[1.0] * len(text.split()) for text in TEXTS], {}):
        assert "does not change the probability" in rows["mine"].undefined
        assert rows["random"].value is None and rows["search"].value is None
    with pytest.raises(InputError, match="top is 0"):
        MEASURES.build([{"type": "violation", "top": 0}])


@pytest.mark.parametrize("encoder", ENCODERS)
def test_removal_from_attention_drops_the_state_and_keeps_the_others(encoder):
    made = classifier(encoder)
    outputs = outputs_of(made, "attention-mask")
    sets = [~numpy.eye(len(text.split()), dtype=bool) for text in TEXTS]
    whole = outputs([numpy.ones((1, len(text.split())), dtype=bool) for text in TEXTS])
    options = {"at": "hidden", "measure": "signed", "of": "probability"}
    expected = scores_of(made, type="leave-one-out", **options)
    for full, found, drops in zip(whole, outputs(sets), expected, strict=True):
        assert full[0, LABEL] - found[:, LABEL] == pytest.approx(drops, abs=1e-9)
    again = outputs_of(made, "attention-mask")
    again.remember_leave_one_out()
    for one, other in zip(outputs(sets), again(sets), strict=True):
        assert one == pytest.approx(other, abs=1e-12)


def test_removal_from_attention_needs_states():
    (removal,) = ERASURES.build(["attention-mask"]).values()
    removal.check(model())
    other = model()
    other.lacks = lambda need: f"it has no {need}"
    with pytest.raises(InputError, match="it has no stages"):
        removal.check(other)
