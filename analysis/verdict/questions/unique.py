"""
Are these the only weights that give the prediction? Other weights come from a search in every text, and
from adversaries: models that were trained to attend elsewhere.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy

from analysis.claims.claim import FAR
from analysis.models import Model
from analysis.papers.shared.divergence import divergence
from analysis.papers.shared.families import base_of
from analysis.text_files import run_folder
from analysis.verdict.inputs import VerdictInputs
from analysis.verdict.means import Mean
from analysis.verdict.question import (
    FEW,
    HALF,
    Answer,
    Case,
    Evidence,
    Finding,
    Question,
    Requirements,
    decide,
    percent,
)
from analysis.written import Interval, number

SEARCH = "instance-adversary"
# Outputs are stored as float32: a search up to the bound may end slightly beyond it.
ROUNDING = 1e-6


class Unique(Question):
    name = "unique"
    title = "the only such weights?"
    column = "unique"
    measure = f"share of texts with other weights, more than {FAR} away (JSD), and the same output"
    bound = (
        f"No if other weights, more than {FAR} away (Jensen-Shannon divergence, half of the maximum), give "
        f"the same output (total variation up to {FEW}) for more than {percent(HALF)} of texts, found by the "
        f"search or by a trained adversary; partly for {percent(FEW)} to {percent(HALF)}; yes if neither "
        "finds as many."
    )
    caveat = (
        "That other weights would do as well does not make the model's own weights wrong (Wiegreffe & "
        "Pinter 2019), and a search that finds none does not prove that there are none."
    )
    papers = ("Jain & Wallace 2019", "Wiegreffe & Pinter 2019")
    requires = Requirements(perturbations=(SEARCH,))

    def answer(self, case: Case) -> Finding:
        inputs = case.inputs
        search = from_search(inputs)
        several = [
            *([search] if search else []),
            *(from_adversary(inputs, each) for each in inputs.adversaries),
        ]
        if not several:
            return self.not_asked(
                f"no other weights were searched for (no perturbation file with `{SEARCH}`; a transformer has "
                "maps in every layer and head, and no single distribution to search)"
            )
        shares = [each.share() for each in several]
        rows = [
            (each.adversary, share.estimate)
            for each, share in zip(several, shares, strict=True)
            if each.adversary
        ]
        if search:
            for far in (3 * FAR / 2, FAR, FAR / 2):
                rows.insert(0, (f"JSD above {number(far)}", search.share(far).estimate))
        return Finding(
            self,
            decide(shares, rule),
            max(shares, key=lambda share: share.estimate.mean).estimate,
            "; ".join(map(str, several)),
            Evidence(
                rows,
                [(0.0, FEW, "yes"), (FEW, HALF, "partly"), (HALF, 1.0, "no")],
                "share of texts with other weights and the same output",
            ),
        )


@dataclass(frozen=True)
class OtherWeights:
    """
    Other weights for the same texts; NaN for texts of one token.

    jsd : how far away they are; 0 if none were found. Shape: (seeds, texts)
    tvd : how far the output moved. Shape: (seeds, texts)
    adversary : the trained adversary that they are from; empty for the search.
    """

    jsd: numpy.ndarray
    tvd: numpy.ndarray
    adversary: str = ""

    def share(self, far: float = FAR) -> Mean:
        """The share of texts whose other weights are further away than `far` and give the same output."""
        far_and_alike = (self.jsd > far) & (self.tvd <= FEW)
        return Mean.of(numpy.where(numpy.isnan(self.jsd), numpy.nan, far_and_alike), share=True)

    def __str__(self) -> str:
        share = percent(self.share().estimate.mean)
        if self.adversary:
            jsd, tvd = (number(float(numpy.nanmean(each))) for each in (self.jsd, self.tvd))
            return (
                f"{self.adversary} has such weights for {share} (JSD {jsd}, output moved by {tvd})"
            )
        distances = self.jsd[self.jsd > FAR]
        distance = f" (JSD {number(float(distances.mean()))})" if len(distances) else ""
        return f"for {share} of texts, other weights far away{distance} give the same output"


def rule(intervals: Sequence[Interval]) -> Answer:
    """From the shares of texts: weights that one source has found exist, whatever the others find."""
    if any(each.low > HALF for each in intervals):
        return Answer.NO
    if all(each.high < FEW for each in intervals):
        return Answer.YES
    if any(each.low > FEW for each in intervals) and all(each.high < HALF for each in intervals):
        return Answer.PARTLY
    return Answer.INCONCLUSIVE


def from_search(inputs: VerdictInputs) -> OtherWeights | None:
    """The weights that the search in each text found, if it was done."""
    jsd, tvd = (inputs.perturbation_values(SEARCH, column) for column in ("max_jsd", "tvd"))
    if jsd is None or tvd is None:
        return None
    return OtherWeights(_of_several_tokens(inputs, jsd), tvd - ROUNDING)


def from_adversary(inputs: VerdictInputs, adversary: Model) -> OtherWeights:
    """The weights of an adversary, each of its seeds compared with the base that it was trained against."""
    bases = {run_folder(file.metadata["archive"]): file for file in inputs.attributions.files}
    moved = divergence([(bases[base_of(file)], file) for file in adversary.files])
    training = adversary.config.adversary
    assert training is not None
    frozen = ", frozen" if training.frozen else ""
    jsd = _of_several_tokens(inputs, moved.jsd.value)
    return OtherWeights(jsd, moved.tvd.value, f"an adversary (lambda {training.lambda_:g}{frozen})")


def _of_several_tokens(inputs: VerdictInputs, values: numpy.ndarray) -> numpy.ndarray:
    """One token allows only one distribution of weights."""
    lengths = inputs.attributions.files[0].table["tokens"].map(len).to_numpy()
    return numpy.where(lengths > 1, values, numpy.nan)
