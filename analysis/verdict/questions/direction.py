"""Do scores say which way a word moves the output: for or against the class?"""

import math
from collections.abc import Iterable, Sequence

import numpy

from analysis.verdict.decision import load_bounds
from analysis.verdict.inputs import ATTENTION, VerdictInputs
from analysis.verdict.means import Mean
from analysis.verdict.question import (
    NOT_KNOWN,
    Answer,
    Case,
    Decision,
    Evidence,
    Finding,
    Question,
    Requirements,
    compare,
    decide,
    percent,
)
from analysis.written import Interval, number

DIRECTION = "direction"
SIGNED = "signed-attention"
YES, PARTLY = (load_bounds()["direction"][name] for name in ("yes", "partly"))


class Direction(Question):
    name = "direction"
    title = "says for or against?"
    column = "gives a direction"
    measure = (
        "agreement of signs with the words' effects, weighted by effect (0 = coin, 1 = always)"
    )
    bound = (
        f"Yes if the agreement of signs is above {YES}; partly from {PARTLY}; no below, and for unsigned "
        "methods."
    )
    caveat = "Attention weights are unsigned. That they give no direction is a fact about the method and no failure."
    papers = ("Liu et al. 2022",)
    requires = Requirements(measures=(DIRECTION,))

    def answer(self, case: Case) -> Finding:
        agreements = agreement_of_signs(case.inputs)
        if agreements is None:
            return self.not_asked(
                "no agreement of signs was measured (no faithfulness file has `direction`)"
            )
        best = max(agreements, key=lambda name: agreements[name].estimate.mean, default=None)
        other = (
            f"; the signs of {best} agree with the words' effects (score {number(agreements[best].estimate.mean)}; "
            "0 = coin, 1 = always)"
            if best is not None and best != ATTENTION
            else ""
        )
        rows = [(name, mean.estimate) for name, mean in agreements.items()]
        evidence = Evidence(
            sorted(rows, key=lambda row: -row[1].mean),
            [(0.0, PARTLY, "no"), (PARTLY, YES, "partly"), (YES, 1.0, "yes")],
            "agreement of signs: 0 = coin, 1 = always",
        )
        if ATTENTION not in agreements:
            sentence = f"attention is unsigned and gives no direction{other}{_with_sign(case)}"
            return Finding(self, Decision(Answer.NO), NOT_KNOWN, sentence, evidence)
        own = agreements[ATTENTION]
        return Finding(
            self,
            decide([own], rule),
            own.estimate,
            f"the agreement of its signs with the words' effects scores {own.estimate}{other}",
            evidence,
        )


def _with_sign(case: Case) -> str:
    """What attention would be worth with the sign of each token's effect; empty if that was not measured."""
    decision = case.decision
    if decision is None or any(SIGNED not in each.methods for each in decision.values.values()):
        return ""
    files = case.inputs.attributions.files
    known = [sign_of_attention(file.table[ATTENTION], file.table[SIGNED]) for file in files]
    against, correlation = (float(numpy.mean(each)) for each in zip(*known, strict=True))
    return (
        f". With its exact sign ({SIGNED}), it scores {decision.score_of(SIGNED)} for the words that matter; "
        f"{percent(against)} of tokens speak against the class, and weights correlate {number(correlation)} with "
        "the size of their effects"
    )


def sign_of_attention(
    weights: Iterable[Sequence[float] | None], signed: Iterable[Sequence[float] | None]
) -> tuple[float, float]:
    """
    From the scores of `attention` and `signed-attention` of each text: the share of tokens with a negative effect,
    and the correlation of weights a with the size of effects, |a / (1 - a) w.(h - c)|. Both are means over texts; NaN
    if no text has them.
    """
    shares, correlations = [], []
    for of_text, products in zip(weights, signed, strict=True):
        if of_text is None or products is None:
            continue
        a, product = numpy.array(of_text, dtype=float), numpy.array(products, dtype=float)
        shares.append(float((product < 0).mean()))
        # Removing the only word that is attended to leaves nothing.
        some = a < 1
        effects = numpy.abs(product[some] / (1 - a[some]))
        if len(effects) > 2 and numpy.ptp(a[some]) > 0 and numpy.ptp(effects) > 0:
            correlations.append(float(numpy.corrcoef(a[some], effects)[0, 1]))
    means = [float(numpy.mean(each)) if each else math.nan for each in (shares, correlations)]
    return means[0], means[1]


def rule(intervals: Sequence[Interval]) -> Answer:
    """From the agreement of signs."""
    return compare(intervals[0], PARTLY, YES, Answer.NO, Answer.YES)


def agreement_of_signs(inputs: VerdictInputs) -> dict[str, Mean] | None:
    """By signed method, the mean over removal methods; None if it was not measured."""
    several = [each for each in inputs.measured if each.measure.name == DIRECTION]
    if not several:
        return None
    values = {
        method: numpy.mean([2 * each.values[method] - 1 for each in several], axis=0)
        for method in several[0].methods
        if all(method in each.methods for each in several)
    }
    means = {
        method: Mean.of(each, limits=(-1.0, 1.0))
        for method, each in values.items()
        if not numpy.isnan(each).all()
    }
    return {method: mean for method, mean in means.items() if mean.texts}


def gives_direction(inputs: VerdictInputs) -> dict[str, Mean]:
    """The methods whose answer is yes."""
    agreements = agreement_of_signs(inputs) or {}
    return {
        method: mean
        for method, mean in agreements.items()
        if decide([mean], rule).answer == Answer.YES
    }
