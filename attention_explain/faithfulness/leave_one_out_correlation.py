"""Do the scores order the tokens as leaving each out does?"""

import math
from typing import Dict, List, Sequence

import numpy

from attention_explain.errors import InputError
from attention_explain.faithfulness.faithfulness import Faithfulness
from attention_explain.faithfulness.score_measure import JudgedText, ScoreMeasure, Setting
from attention_explain.faithfulness.values import NoValue, Value, Values, mean_of
from attention_explain.files.faithfulness import RANDOM, SEARCH
from attention_explain.orders import ranked

NAME = "leave_one_out_correlation"


@Faithfulness.register(NAME)
class LeaveOneOutCorrelation(ScoreMeasure):
    """
    Kendall's tau-b of the scores and of p(c|x) - p(c|x without token i), over the tokens i (Jain &
    Wallace 2019, for signed scores Atanasova et al. 2020 and ferret): the higher, the better. Where
    scores are ranked by size, it is the size of both. The best is leave-one-out itself, 1. Undefined
    where either is the same for all tokens.

    Registered as a `Faithfulness` with name "leave_one_out_correlation".

    # Parameters

    max_tokens : `int`, optional (default = `512`)
        A text of more tokens is not measured: as many sets would have to be run.
    """

    equation = "tau_b(scores, p(c|x) - p(c|x without i))"
    erasures = True

    def __init__(self, max_tokens: int = 512) -> None:
        if max_tokens < 1:
            raise InputError(f"max_tokens is {max_tokens}, but must be 1 or more")
        self.max_tokens = max_tokens

    def forms(self) -> Dict[str, bool]:
        return {NAME: True}

    def measure(self, setting: Setting) -> List[Values]:
        none = [numpy.zeros((0, text.tokens), dtype=bool) for text in setting.texts]
        short = [text.tokens <= self.max_tokens for text in setting.texts]
        if all(short):
            setting.outputs.remember_leave_one_out()
        sets = [
            ~numpy.eye(text.tokens, dtype=bool) if fits else empty
            for text, fits, empty in zip(setting.texts, short, none)
        ]
        results = []
        for text, probs, whole in zip(setting.texts, setting.outputs(sets), setting.probs):
            drops = ranked(whole[text.target] - probs[:, text.target], setting.by)
            results.append(self._values(text, drops, setting.by))
        return results

    def _values(self, text: JudgedText, drops: numpy.ndarray, by: str) -> Values:
        if text.tokens > self.max_tokens:
            reason = NoValue(f"more than {self.max_tokens} tokens (its option 'max_tokens')")
            return {method: {NAME: reason} for method in (*text.scores, RANDOM, SEARCH)}
        known = {method: ranked(scores, by) for method, scores in text.scores.items()}
        drawn = text.chance_scores()
        taus = tau([*known.values(), *drawn, drops], drops)
        values = {method: {NAME: value} for method, value in zip(known, taus)}
        chance = mean_of(taus[len(known) : -1])
        return {**values, RANDOM: {NAME: chance}, SEARCH: {NAME: taus[-1]}}


def tau(lists: Sequence[numpy.ndarray], drops: numpy.ndarray) -> List[Value]:
    """
    Of each list of scores with the drops, pair by pair of tokens: a text has many lists, and no more
    than some hundred tokens.

    Shape: (tokens,) each
    """
    if drops.max() == drops.min():
        return [NoValue("leaving out any token changes the same")] * len(lists)
    first, second = numpy.triu_indices(len(drops), 1)
    down = numpy.sign(drops[first] - drops[second])
    untied = numpy.count_nonzero(down)
    values: List[Value] = []
    for scores in lists:
        order = numpy.sign(scores[first] - scores[second])
        pairs = numpy.count_nonzero(order)
        values.append(
            float(order @ down / math.sqrt(pairs * untied))
            if pairs
            else NoValue("all scores are the same")
        )
    return values
