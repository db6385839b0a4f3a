"""Agreements of several models, with a line on the terminal that says how far they are."""

import sys
from typing import List, Sequence

from analysis.agreement.agreements import Agreement, agreements
from analysis.agreement.pairs import Pair
from analysis.agreement.signs import Signs
from analysis.measures.measure import Measure
from analysis.seeds import Model


def with_progress(
    models: Sequence[Model],
    pairs: Sequence[Pair],
    measures: Sequence[Measure],
    draws: int,
    seed: int,
    signs: Signs,
) -> List[Agreement]:
    """The line is for people: it is not written into a file or a pipe."""
    files = sum(len(model.files) for model in models)
    steps = files * len(measures) * (1 + draws)
    done = 0

    def step() -> None:
        nonlocal done
        done += 1
        if sys.stderr.isatty():
            end = "\n" if done == steps else ""
            print(f"\rcomparing: {100 * done // steps:3d} %", end=end, file=sys.stderr, flush=True)

    return [
        agreement
        for model in models
        for agreement in agreements(model, pairs, measures, draws, seed, signs, step)
    ]
