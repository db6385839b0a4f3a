"""Is attention stable? The same from seed to seed, and from a text to nearly the same text."""

from itertools import combinations
from typing import List, Mapping, Optional, Sequence, Tuple

import numpy

from analysis.faithfulness.scale import Measured
from analysis.measures.kendall import Kendall
from analysis.statistics.intervals import LEAST_SEEDS
from analysis.verdict.answers import (
    HALF,
    NOT_KNOWN,
    QUARTER,
    Answer,
    Decision,
    Evidence,
    Question,
    between,
    decide,
    told,
    worst,
)
from analysis.verdict.files import ATTENTION, Files
from analysis.verdict.means import Mean
from analysis.written import Interval, number

WORDS = "stable?"
OVER_SEEDS = "Kendall's tau-b of the scores of two seeds, mean over all pairs"
UNDER_NOISE = "largest relative change of the scores under a little noise"
SENSITIVITY = "sensitivity"
BOUND = (
    f"Yes if two trainings agree (tau above {HALF}; partly from {QUARTER}, no below), of at least "
    f"{LEAST_SEEDS} seeds, and a tenth of noise changes the scores by less than {QUARTER} of their size "
    f"(partly up to {HALF}, no above): the worse of the two."
)
CAVEAT = (
    "Two trainings may decide by different words, and then attention that differs is right to: read it "
    "beside the other methods."
)
PAPERS = ("Wiegreffe & Pinter 2019", "Zafar et al. 2021", "Yeh et al. 2019")


def of_seeds(intervals: Sequence[Interval]) -> Answer:
    """Of tau."""
    return between(intervals[0], QUARTER, HALF, Answer.NO, Answer.YES)


def of_noise(intervals: Sequence[Interval]) -> Answer:
    """Of the change."""
    return between(intervals[0], QUARTER, HALF, Answer.YES, Answer.NO)


def not_asked(why: str) -> Question:
    """Without its answer."""
    return Question(
        "stable", WORDS, Answer.UNKNOWN, OVER_SEEDS, NOT_KNOWN, BOUND, why, CAVEAT, PAPERS
    )


def is_stable(files: Files, method: str = ATTENTION) -> Question:
    noise = _sensitivity(files)
    changed = None if noise is None else Mean.of(noise.values[method])
    by_noise = Decision(Answer.UNKNOWN)
    said: List[str] = []
    if changed is not None:
        by_noise = decide([changed], of_noise)
        said.append(f"a little noise changes it by {number(changed.estimate.mean)} of its size")
    if files.seeds < LEAST_SEEDS:
        # Noise alone can show that it is not stable, and never that it is.
        answer = Answer.NO if by_noise.answer == Answer.NO else Answer.UNKNOWN
        seeds = "one seed" if files.seeds == 1 else f"{files.seeds} seeds"
        return Question(
            "stable",
            WORDS,
            answer,
            UNDER_NOISE if changed else OVER_SEEDS,
            changed.estimate if changed else NOT_KNOWN,
            BOUND,
            "; ".join([f"{seeds}, and it takes {LEAST_SEEDS}", *said]),
            CAVEAT,
            PAPERS,
            by_noise.texts_needed if by_noise.texts_missing else None,
            _noise_figure(noise),
            by_noise.texts_missing,
            by_noise.equal_values,
        )
    tau = between_seeds(files, method)
    means, rules = ([tau, changed], [of_seeds, of_noise]) if changed else ([tau], [of_seeds])

    def answered(intervals: Sequence[Interval]) -> Answer:
        return worst([rule([each]) for rule, each in zip(rules, intervals, strict=True)])

    decision = decide(means, answered)
    answer = decision.answer
    methods = [name for name in files.judged.files[0].methods if _in_all(files, name)]
    return Question(
        "stable",
        WORDS,
        answer,
        OVER_SEEDS,
        tau.estimate,
        BOUND,
        "; ".join([f"{files.seeds} seeds agree with tau {told(tau.estimate, answer)}", *said]),
        CAVEAT,
        PAPERS,
        decision.texts_needed,
        Evidence(
            [(name, between_seeds(files, name).estimate) for name in methods],
            [(0.0, QUARTER, "no"), (QUARTER, HALF, "partly"), (HALF, 1.0, "yes")],
            "tau of the scores of two seeds",
        ),
        decision.texts_missing,
        decision.equal_values,
    )


def between_seeds(files: Files, method: str) -> Mean:
    """The mean over pairs of seeds of their agreement, with an interval over texts and seeds."""
    columns = [file.scores(method) for file in files.explained.files]
    measure = Kendall()
    pairs = {
        (first, second): measure(columns[first], columns[second]).value
        for first, second in combinations(range(len(columns)), 2)
    }
    return Mean.of(jackknifed(pairs, len(columns)), limits=(-1.0, 1.0))


def jackknifed(pairs: Mapping[Tuple[int, int], numpy.ndarray], seeds: int) -> numpy.ndarray:
    """
    A seed is in several pairs, so that pairs vary together. The jackknife's pseudo-values of the seeds
    have the mean of the pairs, and the right spread (Arvesen 1969).
    Shape: (texts,) of each pair -> (seeds, texts)
    """
    whole = numpy.mean(list(pairs.values()), axis=0)
    without = [
        numpy.mean([value for pair, value in pairs.items() if seed not in pair], axis=0)
        for seed in range(seeds)
    ]
    return numpy.array([seeds * whole - (seeds - 1) * each for each in without])


def _in_all(files: Files, method: str) -> bool:
    return all(method in file.methods for file in files.explained.files)


def _sensitivity(files: Files) -> Optional[Measured]:
    for each in files.measured:
        if each.measure.name == SENSITIVITY and ATTENTION in each.methods:
            return each if Mean.of(each.values[ATTENTION]).texts else None
    return None


def _noise_figure(noise: Optional[Measured]) -> Evidence:
    if noise is None:
        return Evidence()
    rows = [(name, Mean.of(noise.values[name])) for name in noise.methods]
    estimates: List[tuple] = [(name, mean.estimate) for name, mean in rows if mean.texts]
    return Evidence(
        estimates,
        [(0.0, QUARTER, "yes"), (QUARTER, HALF, "partly"), (HALF, 1.0, "no")],
        "relative change of the scores under a little noise",
    )
