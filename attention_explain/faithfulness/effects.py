"""
Measures that compare scores with the effects of removing tokens: infidelity, the rank correlation with
leave-one-out effects, and how often signs are wrong.
"""

import math
from collections.abc import Mapping, Sequence

import numpy
import torch

from attention_explain.errors import InputError
from attention_explain.faithfulness.faithfulness import (
    Detailed,
    Faithfulness,
    MeasureInputs,
    ScoreMeasure,
    TextScores,
    Undefined,
    Value,
    Values,
    mean_of,
)
from attention_explain.faithfulness.removal import RemovalMethod, RemovalOutputs
from attention_explain.files.faithfulness import RANDOM, SEARCH
from attention_explain.interpret.coalitions import random_coalitions
from attention_explain.named_components import check_choice
from attention_explain.passes import generator_for, ranked

REMOVALS = ("delete", "zero", "unk", "mask")


@Faithfulness.register("infidelity")
class Infidelity(ScoreMeasure):
    """
    E over I of (I . phi - (p(c|x) - p(c|x without I)))^2 (Yeh et al. 2019): lower is better. The
    perturbation I removes a set of tokens; its size is uniform between one and all, and all sets of
    one size are equally likely. I . phi is the sum of their signed scores, however scores are ranked
    elsewhere. The sets are the same for all methods.

    Registered as a `Faithfulness` with name "infidelity".

    # Parameters

    samples : `int`, optional (default = `64`)
        The number of sets per text.
    erasure : `str`, optional (default = `"zero"`)
        The removal method: `delete`, `zero`, `unk` or `mask`.
    scale : `bool`, optional (default = `True`)
        Whether the scores are multiplied by the factor, at least 0, that minimises the value, for each
        text and method: methods give scores in different units. (The paper's eq. 3, which also allows
        negative factors; scores with all signs wrong would then do as well as the right ones.)
    seed : `int`, optional (default = `0`)
        Determines the sets, together with the text's id.
    """

    name = "infidelity"
    higher_is_better = False
    equation = "E (I . scores - (p(c|x) - p(c|x without I)))^2, I a random set of tokens"

    def __init__(
        self, samples: int = 64, erasure: str = "zero", scale: bool = True, seed: int = 0
    ) -> None:
        if samples < 1:
            raise InputError(f"samples is {samples}, but must be 1 or more")
        self.samples = samples
        self.erasure = check_choice("erasure", erasure, REMOVALS)
        self.scale = scale
        self.seed = seed

    def measure(self, inputs: MeasureInputs) -> list[Values]:
        removal = RemovalMethod.by_name(self.erasure)()
        outputs = RemovalOutputs(inputs.model, inputs.batch, inputs.embeddings, removal)
        removed = [self._sets(text) for text in inputs.texts]
        probs = outputs([~sets for sets in removed])
        return [
            self._values(text, sets, full[text.target] - without[:, text.target])
            for text, sets, without, full in zip(
                inputs.texts, removed, probs, inputs.probs, strict=True
            )
        ]

    def _sets(self, text: TextScores) -> numpy.ndarray:
        generator = generator_for(self.seed, text.id, self.name)
        sizes = torch.randint(1, text.tokens + 1, (self.samples,), generator=generator)
        return random_coalitions(sizes, text.tokens, generator).numpy()

    def _values(self, text: TextScores, removed: numpy.ndarray, drops: numpy.ndarray) -> Values:
        def value(scores: numpy.ndarray) -> float:
            sums = removed @ scores
            if self.scale:
                square = sums @ sums
                # No negative factor: scores with all signs wrong are no better than none.
                factor = max(0.0, sums @ drops / square) if square > 0 else 0.0
                sums = sums * factor
            return float(numpy.mean((sums - drops) ** 2))

        chance = mean_of([value(scores) for scores in text.random_scores()])
        values = {method: {self.name: value(scores)} for method, scores in text.scores.items()}
        return {**values, RANDOM: {self.name: chance}}


@Faithfulness.register("leave_one_out_correlation")
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

    name = "leave_one_out_correlation"
    higher_is_better = True
    equation = "tau_b(scores, p(c|x) - p(c|x without i))"
    erasures = True

    def __init__(self, max_tokens: int = 512) -> None:
        if max_tokens < 1:
            raise InputError(f"max_tokens is {max_tokens}, but must be 1 or more")
        self.max_tokens = max_tokens

    def measure(self, inputs: MeasureInputs) -> list[Values]:
        none = [numpy.zeros((0, text.tokens), dtype=bool) for text in inputs.texts]
        short = [text.tokens <= self.max_tokens for text in inputs.texts]
        if all(short):
            inputs.removal_outputs.remember_leave_one_out()
        sets = [
            ~numpy.eye(text.tokens, dtype=bool) if fits else empty
            for text, fits, empty in zip(inputs.texts, short, none)
        ]
        results = []
        for text, probs, full in zip(inputs.texts, inputs.removal_outputs(sets), inputs.probs):
            drops = ranked(full[text.target] - probs[:, text.target], inputs.by)
            results.append(self._values(text, drops, inputs.by))
        return results

    def _values(self, text: TextScores, drops: numpy.ndarray, by: str) -> Values:
        if text.tokens > self.max_tokens:
            reason = Undefined(f"more than {self.max_tokens} tokens (option 'max_tokens')")
            return {method: {self.name: reason} for method in (*text.scores, RANDOM, SEARCH)}
        known = {method: ranked(scores, by) for method, scores in text.scores.items()}
        drawn = text.random_scores()
        taus = tau([*known.values(), *drawn, drops], drops)
        values = {method: {self.name: value} for method, value in zip(known, taus)}
        chance = mean_of(taus[len(known) : -1])
        return {**values, RANDOM: {self.name: chance}, SEARCH: {self.name: taus[-1]}}


# Smaller changes of a probability count as none.
NO_CHANGE = 1e-6


@Faithfulness.register("violation")
class Violation(ScoreMeasure):
    """
    The violation ratio (Liu et al. 2022): how often the score with the largest magnitude has the wrong
    sign; lower is better. With i = argmax |score| and d_i = p(c|x) - p(c|x without token i), a text
    violates if score_i d_i < 0. Scores without sign claim that the token speaks for the class.

    Tokens with |d| <= 1e-6 are left out; a text of nothing else is undefined. Of tied tokens, the expected
    value. `random` is the share of tokens with d < 0, `search` is 0, with d in its curve.

    Registered as a `Faithfulness` with name "violation".

    # Parameters

    top : `int`, optional (default = `1`)
        The number of tokens with the largest magnitudes that are looked at.
    weighted : `bool`, optional (default = `False`)
        Whether tokens are weighted by |d|.
    """

    name = "violation"
    higher_is_better = False
    equation = "score_i (p(c|x) - p(c|x without i)) < 0, i = argmax |score|"
    erasures = True

    def __init__(self, top: int = 1, weighted: bool = False) -> None:
        if top < 1:
            raise InputError(f"top is {top}, but must be 1 or more")
        self.top = top
        self.weighted = weighted

    def measure(self, inputs: MeasureInputs) -> list[Values]:
        inputs.removal_outputs.remember_leave_one_out()
        found = inputs.removal_outputs(
            [~numpy.eye(text.tokens, dtype=bool) for text in inputs.texts]
        )
        return [
            self._values(text.scores, full[text.target] - probs[:, text.target])
            for text, probs, full in zip(inputs.texts, found, inputs.probs, strict=True)
        ]

    def _values(self, scores: Mapping[str, numpy.ndarray], drops: numpy.ndarray) -> Values:
        sizes = numpy.abs(drops)
        weights = numpy.where(sizes > NO_CHANGE, sizes if self.weighted else 1.0, 0.0)

        def share(chosen: numpy.ndarray, signs: numpy.ndarray) -> Value:
            total = chosen @ weights
            if not total > 0:
                return Undefined("removing the top tokens does not change the probability")
            return float((chosen * weights) @ (signs * drops < 0) / total)

        def value(of_tokens: numpy.ndarray) -> Value:
            if not of_tokens.any():
                return Undefined("all scores are 0")
            return share(chances_of_top(numpy.abs(of_tokens), self.top), numpy.sign(of_tokens))

        everywhere = numpy.ones(len(drops))
        chance = share(everywhere, everywhere)
        best = chance if isinstance(chance, Undefined) else 0.0
        return {
            **{method: {self.name: value(each)} for method, each in scores.items()},
            RANDOM: {self.name: chance},
            SEARCH: {self.name: Detailed(best, drops)},
        }


def chances_of_top(importance: numpy.ndarray, top: int) -> numpy.ndarray:
    """The probability of each token to be among the top ones, if ties are broken at random."""
    ordered = numpy.sort(importance)[::-1]
    least = ordered[min(top, len(ordered)) - 1]
    tied = importance == least
    left = min(top, len(ordered)) - numpy.count_nonzero(importance > least)
    return numpy.where(importance > least, 1.0, tied * (left / tied.sum()))


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
