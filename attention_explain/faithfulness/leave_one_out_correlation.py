"""Rank correlation of scores with leave-one-out effects."""

import math
from collections.abc import Sequence

import numpy

from attention_explain.errors import InputError
from attention_explain.faithfulness.faithfulness import (
    Faithfulness,
    Undefined,
    Value,
    Values,
    mean_of,
)
from attention_explain.faithfulness.score_measure import MeasureInputs, ScoreMeasure, TextScores
from attention_explain.files.faithfulness import RANDOM, SEARCH
from attention_explain.orders import ranked

NAME = "leave_one_out_correlation"


@Faithfulness.register(NAME)
class LeaveOneOutCorrelation(ScoreMeasure):
    """
    Kendall's tau-b between the scores and p(c|x) - p(c|x without token i), over the tokens i (Jain &
    Wallace 2019, for signed scores Atanasova et al. 2020 and ferret): higher is better. If scores are
    ranked by magnitude, both are compared by magnitude. The best is leave-one-out itself, 1. Undefined
    if either is constant.

    Registered as a `Faithfulness` with name "leave_one_out_correlation".

    # Parameters

    max_tokens : `int`, optional (default = `512`)
        Longer texts are skipped: each token costs one evaluated set.
    """

    equation = "tau_b(scores, p(c|x) - p(c|x without i))"
    erasures = True

    def __init__(self, max_tokens: int = 512) -> None:
        if max_tokens < 1:
            raise InputError(f"max_tokens is {max_tokens}, but must be 1 or more")
        self.max_tokens = max_tokens

    def forms(self) -> dict[str, bool]:
        return {NAME: True}

    def measure(self, inputs: MeasureInputs) -> list[Values]:
        none = [numpy.zeros((0, text.tokens), dtype=bool) for text in inputs.texts]
        short = [text.tokens <= self.max_tokens for text in inputs.texts]
        if all(short):
            inputs.outputs.remember_leave_one_out()
        sets = [
            ~numpy.eye(text.tokens, dtype=bool) if fits else empty
            for text, fits, empty in zip(inputs.texts, short, none)
        ]
        results = []
        for text, probs, full in zip(inputs.texts, inputs.outputs(sets), inputs.probs):
            drops = ranked(full[text.target] - probs[:, text.target], inputs.by)
            results.append(self._values(text, drops, inputs.by))
        return results

    def _values(self, text: TextScores, drops: numpy.ndarray, by: str) -> Values:
        if text.tokens > self.max_tokens:
            reason = Undefined(f"more than {self.max_tokens} tokens (option 'max_tokens')")
            return {method: {NAME: reason} for method in (*text.scores, RANDOM, SEARCH)}
        known = {method: ranked(scores, by) for method, scores in text.scores.items()}
        drawn = text.random_scores()
        taus = tau([*known.values(), *drawn, drops], drops)
        values = {method: {NAME: value} for method, value in zip(known, taus)}
        chance = mean_of(taus[len(known) : -1])
        return {**values, RANDOM: {NAME: chance}, SEARCH: {NAME: taus[-1]}}


def tau(lists: Sequence[numpy.ndarray], drops: numpy.ndarray) -> list[Value]:
    """
    Kendall's tau-b of each list of scores with the drops, over all pairs of tokens. Shape: (tokens,)
    each
    """
    if drops.max() == drops.min():
        return [Undefined("removing any token has the same effect")] * len(lists)
    first, second = numpy.triu_indices(len(drops), 1)
    down = numpy.sign(drops[first] - drops[second])
    untied = numpy.count_nonzero(down)
    values: list[Value] = []
    for scores in lists:
        order = numpy.sign(scores[first] - scores[second])
        pairs = numpy.count_nonzero(order)
        values.append(
            float(order @ down / math.sqrt(pairs * untied))
            if pairs
            else Undefined("all scores are the same")
        )
    return values
