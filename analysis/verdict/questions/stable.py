"""Is attention stable? The same for every training seed, and for a text with a little noise."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import combinations

import numpy

from analysis.faithfulness.scale import Measured
from analysis.measures.kendall import Kendall
from analysis.statistics.intervals import LEAST_SEEDS
from analysis.verdict.inputs import ATTENTION, VerdictInputs
from analysis.verdict.means import Mean
from analysis.verdict.question import (
    HALF,
    NOT_KNOWN,
    QUARTER,
    Answer,
    Case,
    Decision,
    Evidence,
    Finding,
    Question,
    Requirements,
    compare,
    decide,
    with_doubt,
    worst,
)
from analysis.written import Interval, number

SENSITIVITY = "sensitivity"


class Stable(Question):
    name = "stable"
    title = "stable?"
    column = "stable"
    measure = "Kendall's tau-b of the scores of two seeds, mean over all pairs"
    noise_measure = "largest relative change of the scores under a little noise"
    bound = (
        f"Yes if two training seeds agree (tau above {HALF}; partly from {QUARTER}, no below), with at least "
        f"{LEAST_SEEDS} seeds, and 10 % noise changes the scores by less than {QUARTER} of their magnitude "
        f"(partly up to {HALF}, no above): the worse of the two."
    )
    caveat = (
        "Two trained models may use different words, and then attention is right to differ: compare it with "
        "the other methods."
    )
    papers = ("Wiegreffe & Pinter 2019", "Zafar et al. 2021", "Yeh et al. 2019")
    requires = Requirements(slow_measures=(SENSITIVITY,))
    objection = "its weights change with the seed or a little noise"

    def answer(self, case: Case) -> Finding:
        inputs = case.inputs
        noise = _sensitivity(inputs)
        changed = None if noise is None else Mean.of(noise.values[ATTENTION])
        by_noise = Decision(Answer.INCONCLUSIVE)
        reasons: list[str] = []
        if changed is not None:
            by_noise = decide([changed], rule_of_noise)
            reasons.append(
                f"a little noise changes it by {number(changed.estimate.mean)} of its magnitude"
            )
        if inputs.seeds < LEAST_SEEDS:
            seeds = "one seed" if inputs.seeds == 1 else f"{inputs.seeds} seeds"
            # Noise alone can show that it is not stable, and never that it is.
            answer = Answer.NO if by_noise.answer == Answer.NO else Answer.INCONCLUSIVE
            needed = by_noise.texts_needed if by_noise.texts_missing else None
            return Finding(
                self,
                replace(by_noise, answer=answer, texts_needed=needed),
                changed.estimate if changed else NOT_KNOWN,
                "; ".join([f"{seeds}, and an answer needs {LEAST_SEEDS}", *reasons]),
                _noise_figure(noise),
                measure=self.noise_measure if changed else "",
            )
        tau = between_seeds(inputs, ATTENTION)
        means, rules = [tau], [rule_of_seeds]
        if changed is not None:
            means, rules = [tau, changed], [rule_of_seeds, rule_of_noise]

        def rule(intervals: Sequence[Interval]) -> Answer:
            return worst([apply([each]) for apply, each in zip(rules, intervals, strict=True)])

        decision = decide(means, rule)
        agreement = with_doubt(tau.estimate, decision.answer)
        methods = [name for name in inputs.judged.files[0].methods if _in_all(inputs, name)]
        return Finding(
            self,
            decision,
            tau.estimate,
            "; ".join([f"{inputs.seeds} seeds agree with tau {agreement}", *reasons]),
            Evidence(
                [(name, between_seeds(inputs, name).estimate) for name in methods],
                [(0.0, QUARTER, "no"), (QUARTER, HALF, "partly"), (HALF, 1.0, "yes")],
                "tau of the scores of two seeds",
            ),
        )


def rule_of_seeds(intervals: Sequence[Interval]) -> Answer:
    """From tau."""
    return compare(intervals[0], QUARTER, HALF, Answer.NO, Answer.YES)


def rule_of_noise(intervals: Sequence[Interval]) -> Answer:
    """From the relative change."""
    return compare(intervals[0], QUARTER, HALF, Answer.YES, Answer.NO)


def between_seeds(inputs: VerdictInputs, method: str) -> Mean:
    """The mean agreement of two seeds over all pairs, with an interval over texts and seeds."""
    columns = [file.scores(method) for file in inputs.attributions.files]
    measure = Kendall()
    pairs = {
        (first, second): measure(columns[first], columns[second]).value
        for first, second in combinations(range(len(columns)), 2)
    }
    return Mean.of(jackknife(pairs, len(columns)), limits=(-1.0, 1.0))


def jackknife(pairs: Mapping[tuple[int, int], numpy.ndarray], seeds: int) -> numpy.ndarray:
    """
    The jackknife's pseudo-values of the seeds. A seed is in several pairs, so that pairs vary together;
    the pseudo-values have the mean of the pairs and the right spread (Arvesen 1969).
    Shape: (texts,) of each pair -> (seeds, texts)
    """
    overall = numpy.mean(list(pairs.values()), axis=0)
    without = [
        numpy.mean([value for pair, value in pairs.items() if seed not in pair], axis=0)
        for seed in range(seeds)
    ]
    return numpy.array([seeds * overall - (seeds - 1) * each for each in without])


def _in_all(inputs: VerdictInputs, method: str) -> bool:
    return all(method in file.methods for file in inputs.attributions.files)


def _sensitivity(inputs: VerdictInputs) -> Measured | None:
    for each in inputs.measured:
        if each.measure.name == SENSITIVITY and ATTENTION in each.methods:
            return each if Mean.of(each.values[ATTENTION]).texts else None
    return None


def _noise_figure(noise: Measured | None) -> Evidence:
    if noise is None:
        return Evidence()
    means = [(name, Mean.of(noise.values[name])) for name in noise.methods]
    return Evidence(
        [(name, mean.estimate) for name, mean in means if mean.texts],
        [(0.0, QUARTER, "yes"), (QUARTER, HALF, "partly"), (HALF, 1.0, "no")],
        "relative change of the scores under a little noise",
    )
