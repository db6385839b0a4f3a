"""
Wiegreffe & Pinter 2019, Figure 2: one text under the base's attention, under that of an adversary
for this text alone, and under that of a trained adversary, with one prediction under all three.
"""

from dataclasses import dataclass
from typing import Dict, List, Optional

import numpy

from analysis.attributions import Attributions
from analysis.errors import AnalysisError
from analysis.figures.tokens import Weighted, token_heatmaps
from analysis.output import Output
from analysis.papers.shared.divergence import (
    Divergence,
    divergence,
    furthest,
    of_searched,
    searched,
)
from analysis.papers.shared.families import ModelFamily, families
from analysis.papers.shared.paper import Method
from analysis.papers.shared.study_files import StudyFiles
from analysis.perturbations import Perturbations
from analysis.written import number

NAME = "wiegreffe-pinter-heatmaps"
WEIGHTS, SUCCESS, FLIP = (
    Method("instance-adversary", "instance adversary", check=check)
    for check in ("attention", "success", "flip")
)
# Longer texts make no picture.
LONGEST = 40
TEXTS = 2
BASE, EACH, TRAINED = "base", "adversary, this text", "trained adversary"


def heatmaps(study: StudyFiles, output: Output) -> Optional[str]:
    """
    Adds a figure for each base that has both kinds of adversaries; gives a sentence on models that
    are left out, if any are.
    """
    all_families, left_out = families(study)
    drawn = 0
    for family in all_families:
        attentions = _three(family)
        texts = [] if attentions is None else weighted_texts(attentions)
        if not texts:
            continue
        drawn += 1
        output.figure(
            f"{NAME}-{family.key}",
            token_heatmaps(texts),
            "Texts under the base's attention, under an adversary's that was searched for the "
            "text, and under a trained adversary's (lambda "
            f"{attentions.trained.model.adversary.lambda_:g}): Wiegreffe & Pinter (2019), Figure 2. "
            f"{attentions.described}.",
            "Beside each: the probability of the class that the base predicts, and the divergence "
            "of attention from the base's. The depth of colour is the weight over the largest "
            "of the row, which stands beside it. Which texts: of those that all three predict alike, for which the "
            f"search found other weights, and that have at most {LONGEST} tokens, the {TEXTS} whose two "
            "divergences are nearest their medians over all texts. Of the adversaries the one that is furthest away.",
        )
    if not drawn:
        raise AnalysisError(
            left_out
            or "it takes attribution files of a base and of its adversary, and the base's "
            "perturbation file with `instance-adversary`, about the same texts"
        )
    return left_out


@dataclass(frozen=True)
class ThreeAttentions:
    """Of one trained base, which stands for the others."""

    base: Attributions
    by_text: Perturbations
    trained: Attributions

    @property
    def moved(self) -> Dict[str, Divergence]:
        """How far both are from the base, under one seed."""
        return {
            EACH: of_searched([(self.base, self.by_text)]),
            TRAINED: divergence([(self.base, self.trained)]),
        }

    @property
    def alike(self) -> numpy.ndarray:
        """Where the search found other weights, and all three predict the same. Shape: (texts,)"""
        found, flipped = (
            self.by_text.table[method.column].to_numpy(dtype=float) for method in (SUCCESS, FLIP)
        )
        same = self.base.table["predicted"].to_numpy() == self.trained.table["predicted"].to_numpy()
        return same & (found == 1) & (flipped == 0)

    @property
    def described(self) -> str:
        """Data, model and n, for captions."""
        model, texts = self.base.model, len(self.base.table)
        return f"{model.corpus} ({texts} texts): {model.name}, seed {model.seed}"


def _three(family: ModelFamily) -> Optional[ThreeAttentions]:
    """Of the first base that has both kinds of adversaries."""
    trained = furthest(family, family.adversaries_of(frozen=False))
    if trained is None:
        return None
    by_text = {base.path: file for base, file in searched(family)}
    for base, adversary in family.pairs(trained):
        file = by_text.get(base.path)
        if file is not None and not any(one.problem(file) for one in (WEIGHTS, SUCCESS, FLIP)):
            return ThreeAttentions(base, file, adversary)
    return None


def weighted_texts(three: ThreeAttentions) -> List[Weighted]:
    """Typical texts with their three attentions."""
    moved = three.moved
    lengths = three.base.table["tokens"].map(len).to_numpy()
    return [_weighted(three, moved, row) for row in typical(moved, lengths, three.alike)]


def typical(
    moved: Dict[str, Divergence], lengths: numpy.ndarray, eligible: numpy.ndarray
) -> List[int]:
    """
    The places of the texts whose divergences are nearest to the medians of all, of those that are eligible
    and short enough. Shape of `lengths` and `eligible`: (texts,)
    """
    jsds = numpy.array([one.jsd.value[0] for one in moved.values()])
    far = numpy.abs(jsds - numpy.nanmedian(jsds, axis=1, keepdims=True)).sum(axis=0)
    usable = numpy.flatnonzero((lengths <= LONGEST) & numpy.isfinite(far) & eligible)
    return usable[numpy.argsort(far[usable], kind="stable")][:TEXTS].tolist()


def _weighted(three: ThreeAttentions, moved: Dict[str, Divergence], row: int) -> Weighted:
    text, theirs = (file.table.iloc[row] for file in (three.base, three.trained))
    place, their_place = (
        file.metadata["labels"].index(text["predicted"]) for file in (three.base, three.trained)
    )
    # The search reports how far the output is moved, not in which direction.
    about = {
        BASE: f"p({text['predicted']}) = {number(text['probs'][place])}",
        EACH: f"p moved by {number(moved[EACH].tvd.value[0, row])}",
        TRAINED: f"p({text['predicted']}) = {number(theirs['probs'][their_place])}",
    }
    for name, one in moved.items():
        about[name] += f", JSD {number(one.jsd.value[0, row])}"
    return Weighted(
        tokens=list(text["tokens"]),
        weights={
            BASE: list(text["attention"]),
            EACH: list(three.by_text.table[WEIGHTS.column].iloc[row]),
            TRAINED: list(theirs["attention"]),
        },
        about=about,
    )
