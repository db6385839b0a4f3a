"""
Are these the only weights that give the prediction? A search for others, text by text; and models
that were trained to attend otherwise, where there are any.
"""

from dataclasses import dataclass
from typing import Optional, Sequence

import numpy

from analysis.claims.parts import FAR
from analysis.models import Model
from analysis.papers.shared.divergence import divergence
from analysis.papers.shared.families import base_of
from analysis.text_files import place_of
from analysis.verdict.answers import (
    FEW,
    HALF,
    NOT_KNOWN,
    Answer,
    Evidence,
    Question,
    decide,
    percent,
)
from analysis.verdict.files import Files
from analysis.verdict.means import Mean
from analysis.written import Interval, number

WORDS = "the only such weights?"
MEASURE = f"share of texts with other weights, more than {FAR} away (JSD), and the same output"
BOUND = (
    f"No if other weights, more than {FAR} away (Jensen-Shannon divergence, half of what is possible), "
    f"give the same output (total variation up to {FEW}) for more than {percent(HALF)} of texts, by the "
    f"search or by a trained adversary; partly for {percent(FEW)} to {percent(HALF)}; yes for fewer, by "
    "each of them."
)
CAVEAT = (
    "That other weights would do as well does not make the model's own wrong (Wiegreffe & Pinter 2019), "
    "and a search that finds none does not prove that there are none."
)
PAPERS = ("Jain & Wallace 2019", "Wiegreffe & Pinter 2019")
ADVERSARY = "instance-adversary"
# Outputs are kept as float32: a search up to the bound may end a rounding beyond it.
ROUNDING = 1e-6


@dataclass(frozen=True)
class Others:
    """
    Other weights, wherever they are from; NaN where there is nothing to choose.

    jsd : how far away they are; 0 where none were found. Shape: (seeds, texts)
    tvd : how far the output moved. Shape: (seeds, texts)
    trained : whether they are those of a trained adversary, and which.
    """

    jsd: numpy.ndarray
    tvd: numpy.ndarray
    trained: str = ""

    def share(self, far: float = FAR) -> Mean:
        """Of texts with weights that are further away, and the same output."""
        far_and_alike = (self.jsd > far) & (self.tvd <= FEW)
        return Mean.of(numpy.where(numpy.isnan(self.jsd), numpy.nan, far_and_alike), share=True)

    def __str__(self) -> str:
        share = percent(self.share().estimate.mean)
        if self.trained:
            jsd, tvd = (number(float(numpy.nanmean(each))) for each in (self.jsd, self.tvd))
            return f"{self.trained} has them for {share} (JSD {jsd}, output moved by {tvd})"
        there = self.jsd[self.jsd > FAR]
        away = f" (JSD {number(float(there.mean()))})" if len(there) else ""
        return f"for {share} of texts other weights, far away{away}, give the same output"


def answered(intervals: Sequence[Interval]) -> Answer:
    """Of the shares of texts: what one adversary has found is there, whatever others find."""
    if any(each.low > HALF for each in intervals):
        return Answer.NO
    if all(each.high < FEW for each in intervals):
        return Answer.YES
    if any(each.low > FEW for each in intervals) and all(each.high < HALF for each in intervals):
        return Answer.PARTLY
    return Answer.UNKNOWN


def not_asked(why: str) -> Question:
    """Without its answer."""
    return Question("only", WORDS, Answer.UNKNOWN, MEASURE, NOT_KNOWN, BOUND, why, CAVEAT, PAPERS)


def only_one(files: Files) -> Question:
    search = searched(files)
    several = [*([search] if search else []), *(trained(files, one) for one in files.adversaries)]
    if not several:
        return not_asked(
            f"nobody searched for others (there is no perturbation file with `{ADVERSARY}`; a model with "
            "self-attention alone has none to find)"
        )
    shares = [each.share() for each in several]
    decision = decide(shares, answered)
    rows = [(each.trained, share.estimate) for each, share in zip(several, shares) if each.trained]
    if search:
        for far in (3 * FAR / 2, FAR, FAR / 2):
            rows.insert(0, (f"JSD above {number(far)}", search.share(far).estimate))
    return Question(
        "only",
        WORDS,
        decision.answer,
        MEASURE,
        max(shares, key=lambda share: share.estimate.mean).estimate,
        BOUND,
        "; ".join(map(str, several)),
        CAVEAT,
        PAPERS,
        decision.texts_needed,
        Evidence(
            rows,
            [(0.0, FEW, "yes"), (FEW, HALF, "partly"), (HALF, 1.0, "no")],
            "share of texts with other weights and the same output",
        ),
        decision.texts_missing,
        decision.equal_values,
    )


def searched(files: Files) -> Optional[Others]:
    """Text by text; the search may have allowed more than the same output."""
    jsd, tvd = (files.perturbed_by(ADVERSARY, check) for check in ("max_jsd", "tvd"))
    if jsd is None or tvd is None:
        return None
    return Others(_of_more_than_one(files, jsd), tvd - ROUNDING)


def trained(files: Files, adversary: Model) -> Others:
    """Each of its seeds against the base that it names."""
    bases = {place_of(file.metadata["archive"]): file for file in files.explained.files}
    moved = divergence([(bases[base_of(file)], file) for file in adversary.files])
    lambda_ = f"lambda {adversary.config.adversary.lambda_:g}"
    frozen = ", frozen" if adversary.config.adversary.frozen else ""
    jsd = _of_more_than_one(files, moved.jsd.value)
    return Others(jsd, moved.tvd.value, f"an adversary ({lambda_}{frozen})")


def _of_more_than_one(files: Files, values: numpy.ndarray) -> numpy.ndarray:
    """With one token there is nothing to choose."""
    lengths = files.explained.files[0].table["tokens"].map(len).to_numpy()
    return numpy.where(lengths > 1, values, numpy.nan)
