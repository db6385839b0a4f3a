"""Infidelity: by its definition, and 0 for what it is made to find."""

import numpy
import pytest

from attention_explain.errors import InputError
from attention_explain.faithfulness.faithfulness import MEASURES, TextScores
from tests.builders import TEXTS
from tests.faithfulness.judging import LABEL, judged
from tests.faithfulness.slow_faithfulness import slow_outputs
from tests.faithfulness.test_outputs import classifier

SCORES = [
    numpy.random.default_rng(number).normal(size=len(text.split())).tolist()
    for number, text in enumerate(TEXTS)
]


@pytest.mark.parametrize("erasure", ["zero", "delete"])
@pytest.mark.parametrize("scale", [True, False])
def test_it_is_the_mean_square_over_random_sets(erasure, scale):
    made = classifier()
    config = {"type": "infidelity", "samples": 12, "erasure": erasure, "scale": scale}
    (measure,) = MEASURES.build([config]).values()
    found = judged(made, {"mine": SCORES}, config)
    for number, (text, rows) in enumerate(zip(TEXTS, found, strict=True)):
        words, scores = text.split(), SCORES[number]
        p = slow_outputs(made, words, erasure, bounded=True)
        sets = measure._sets(TextScores(f"text-{number}", 0, {}, numpy.zeros((1, len(words)))))
        assert len(sets) == 12 and sets.any(axis=1).all()
        pairs = []
        for erased in sets.tolist():
            kept = [i for i, gone in enumerate(erased) if not gone]
            drop = p(range(len(words)))[LABEL] - p(kept)[LABEL]
            pairs.append((sum(score for score, gone in zip(scores, erased) if gone), drop))
        factor = 1.0
        if scale:
            factor = max(0.0, sum(a * b for a, b in pairs) / sum(a * a for a, _ in pairs))
        expected = sum((factor * a - b) ** 2 for a, b in pairs) / len(pairs)
        assert rows["mine", "infidelity"].value == pytest.approx(expected, abs=1e-9)
        assert rows["random", "infidelity"].value >= 0


def test_scores_that_add_up_to_the_drops_have_none_and_those_of_the_other_sign_all():
    """A text of one token: the drop is the score, whatever its unit."""
    made = classifier()
    p = slow_outputs(made, ["fine"], "zero", bounded=True)
    drop = p([0])[LABEL] - p([])[LABEL]
    sign = float(numpy.sign(drop))
    given = {"mine": [[3.0 * sign]], "turned": [[-3.0 * sign]]}
    (found,) = judged(made, given, "infidelity", texts=["fine"])
    assert found["mine", "infidelity"].value == pytest.approx(0.0, abs=1e-12)
    assert found["turned", "infidelity"].value == pytest.approx(drop**2, abs=1e-12)


@pytest.mark.parametrize("option", [{"samples": 0}, {"erasure": "blank"}])
def test_options_that_make_no_sense_are_rejected(option):
    with pytest.raises(InputError, match=next(iter(option))):
        MEASURES.build([{"type": "infidelity", **option}])
