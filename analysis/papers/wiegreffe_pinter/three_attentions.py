"""
Wiegreffe & Pinter 2019, Figure 2: one text under the base's attention, under that of an adversary
for this text alone, and under that of a trained adversary.
"""

from typing import Dict, List, Optional

import numpy

from analysis.errors import AnalysisError
from analysis.figures.tokens import Weighted, token_heatmaps
from analysis.models import Model
from analysis.output import Output
from analysis.papers.shared.divergence import Divergence, divergence, furthest, per_instance
from analysis.papers.shared.families import ModelFamily, families
from analysis.papers.shared.paper import Method
from analysis.papers.shared.study_files import StudyFiles
from analysis.written import number

NAME = "wiegreffe-pinter-heatmaps"
WEIGHTS = Method("instance-adversary", "instance adversary", check="attention")
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
        trained = furthest(family.base, family.adversaries_of(frozen=False))
        if trained is None or per_instance(family) is None:
            continue
        texts = weighted_texts(family, trained)
        if not texts:
            continue
        drawn += 1
        output.figure(
            f"{NAME}-{family.key}",
            token_heatmaps(texts),
            "Texts under the base's attention, under an adversary's that was searched for the "
            "text, and under a trained adversary's (lambda "
            f"{trained.config.adversary.lambda_:g}). {family.described}.",
            "Beside each: the probability of the class that the base predicts, and the divergence "
            "of attention from the base's. The depth of colour is the weight over the largest "
            f"of the row, which stands beside it. Of the texts of at most {LONGEST} tokens, those whose two divergences are nearest their medians.",
        )
    if not drawn:
        raise AnalysisError(
            left_out
            or "it takes attribution files of a base and of its adversary, and the base's "
            "perturbation file with `instance-adversary`, about the same texts"
        )
    return left_out


def weighted_texts(family: ModelFamily, trained: Model) -> List[Weighted]:
    """
    Typical texts with their three attentions; the first seed of the trained adversary stands for
    it.
    """
    moved = {
        EACH: per_instance(family),
        TRAINED: divergence(family.base, trained.files[:1]),
    }
    rows = typical(moved, family.base.table["tokens"].map(len).to_numpy())
    return [_weighted(family, trained, moved, row) for row in rows]


def typical(moved: Dict[str, Divergence], lengths: numpy.ndarray) -> List[int]:
    """
    The places of the texts whose divergences are nearest to the medians, of those that are short
    enough. Shape of `lengths`: (texts,)
    """
    jsds = numpy.array([one.jsd.value[0] for one in moved.values()])
    far = numpy.abs(jsds - numpy.nanmedian(jsds, axis=1, keepdims=True)).sum(axis=0)
    usable = numpy.flatnonzero((lengths <= LONGEST) & numpy.isfinite(far))
    return usable[numpy.argsort(far[usable], kind="stable")][:TEXTS].tolist()


def _weighted(
    family: ModelFamily, trained: Model, moved: Dict[str, Divergence], row: int
) -> Weighted:
    text = family.base.table.iloc[row]
    place = family.base.metadata["labels"].index(text["predicted"])
    theirs = trained.files[0].table.iloc[row]
    their_place = trained.files[0].metadata["labels"].index(text["predicted"])
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
            EACH: list(family.perturbed.table[WEIGHTS.column].iloc[row]),
            TRAINED: list(theirs["attention"]),
        },
        about=about,
    )
