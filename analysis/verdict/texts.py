"""
Six texts to look at: two typical ones, two on which methods disagree most, and two on which attention
misleads most; each with the recommended method on top.
"""

from dataclasses import dataclass, replace
from itertools import combinations
from typing import Dict, List, Sequence

import numpy
import pyarrow

from analysis.agreement.agreements import BY_SIZE, Pair, compared
from analysis.attributions import Attributions
from analysis.measures.kendall import Kendall
from analysis.report.elements import paragraph
from analysis.report.texts import token_counts, usual_lengths
from analysis.statistics.intervals import mean_of_known
from analysis.verdict.files import ATTENTION, Files
from analysis.verdict.places import Places
from analysis.written import number
from attention_explain.heatmaps.explanation import explanations
from attention_explain.heatmaps.html_page import card, legend

OF_EACH = 2
# Rows of a card; more would be looked at by nobody.
MOST_METHODS = 4
# Of all cards together, so that the page can be sent.
MOST_CHARACTERS = 200_000


@dataclass(frozen=True)
class Shown:
    """
    row : of the table of attributions.
    why : it is shown, with the number.
    """

    row: int
    kind: str
    why: str


def shown_texts(files: Files, places: Places, top: str) -> List[Shown]:
    """Of the first seed, among texts of usual length, if there are enough of them."""
    file = files.explained.files[0]
    other = _other(places, top)
    ahead = (places.gained[other] - places.gained[ATTENTION])[0]
    agreed = _agreement(file, [each for each in places.methods if each in file.methods])
    lengths = token_counts(file)
    shortest, longest = usual_lengths(lengths)
    usual = (lengths >= shortest) & (lengths <= longest) & ~numpy.isnan(ahead)
    left = numpy.flatnonzero(usual if usual.sum() >= 3 * OF_EACH else ~numpy.isnan(ahead))
    if not len(left):
        return []
    middle = float(numpy.median(ahead[left]))
    kinds: Dict[str, numpy.ndarray] = {
        "Typical": numpy.abs(ahead - middle),
        "Methods disagree most": agreed,
        "Attention misleads most": -ahead,
    }
    chosen: List[Shown] = []
    for kind, distance in kinds.items():
        order = left[numpy.argsort(distance[left], kind="stable")][:OF_EACH]
        for row in order:
            why = (
                f"mean tau of every two methods {number(float(agreed[row]))}"
                if kind == "Methods disagree most"
                else f"erasing and keeping words in the order of {other} moves the probability by "
                f"{number(float(ahead[row]))} more than in that of attention"
            )
            chosen.append(Shown(int(row), kind, why))
        left = numpy.setdiff1d(left, order)
    return chosen


def cards(files: Files, places: Places, top: str) -> str:
    """As HTML; of long texts as many as can be sent."""
    file = files.explained.files[0]
    texts = shown_texts(files, places, top)
    others = [each for each in places.methods if each not in (top, ATTENTION)]
    rows = list(dict.fromkeys([top, ATTENTION, *others]))[:MOST_METHODS]
    made, kind, left_out = "", "", 0
    for one in texts:
        html = _card(file, one, [name for name in rows if name in file.methods])
        if len(made) + len(html) > MOST_CHARACTERS:
            left_out += 1
            continue
        heading = "" if one.kind == kind else f"<h3>{one.kind}</h3>\n"
        made, kind = made + heading + html, one.kind
    if left_out:
        made += paragraph(f"{left_out} more are too long to be shown here.", "note")
    return f"<div class=ae>\n{made}{legend()}</div>\n"


def _other(places: Places, top: str) -> str:
    """What attention is held against: the recommended method, if that is another one."""
    return next((each for each in (top, *places.methods) if each != ATTENTION), ATTENTION)


def _card(file: Attributions, one: Shown, methods: Sequence[str]) -> str:
    # Through Arrow, so that what is absent is None here as in the file itself.
    rows = pyarrow.Table.from_pandas(file.table.iloc[[one.row]], preserve_index=False).to_pylist()
    (text,) = explanations(rows, file.metadata)
    text = replace(text, scores={name: text.scores[name] for name in methods}, checks={})
    return f"<p class=agreement>{one.why[0].upper()}{one.why[1:]}.</p>\n{card(text, heading='h4')}"


def _agreement(file: Attributions, methods: Sequence[str]) -> numpy.ndarray:
    """The mean over every two methods, like with like. Shape: (texts,)"""
    measure = Kendall()
    values = []
    for first, second in combinations(methods, 2):
        by_size = compared(file, Pair(first, second)) == BY_SIZE
        values.append(measure(file.scores(first, by_size), file.scores(second, by_size)).value)
    if not values:
        return numpy.full(len(file.table), numpy.nan)
    return mean_of_known(numpy.array(values), 0)
