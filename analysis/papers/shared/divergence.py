"""How far one model is from another on the same texts: outputs by TVD, attention by JSD."""

from dataclasses import dataclass
from typing import Dict, Optional, Sequence

import numpy

from analysis.attributions import Attributions
from analysis.errors import AnalysisError
from analysis.measures import Measure, Values
from analysis.models import Model
from analysis.papers.shared.families import ModelFamily
from analysis.papers.shared.paper import Method
from analysis.papers.shared.per_text import check
from analysis.statistics.samples import Sample, summaries

# Jain & Wallace's adversary, searched for each text.
INSTANCE_ADVERSARY = "instance-adversary"
MAX_JSD = Method(INSTANCE_ADVERSARY, "instance adversary", check="max_jsd")
SUCCESS = Method(INSTANCE_ADVERSARY, "instance adversary", check="success")
TVD = Method(INSTANCE_ADVERSARY, "instance adversary", check="tvd")
# The largest divergence that there is.
BOUND = float(numpy.log(2))


@dataclass(frozen=True)
class Divergence:
    """
    How far outputs (`tvd`) and attention (`jsd`) are away, text by text, under each seed of the
    other model.
    """

    tvd: Sample
    jsd: Sample

    def where(self, member: numpy.ndarray) -> "Divergence":
        """Of some texts alone. Shape of `member`: (texts,)"""
        return Divergence(
            *(one.where(numpy.broadcast_to(member, one.value.shape)) for one in self._both)
        )

    def rows(self) -> Dict[str, float]:
        """`tvd`, `tvd low`, `tvd high`, and the same of `jsd`."""
        both = summaries(self._both)
        return {
            name if statistic == "mean" else f"{name} {statistic}": row[statistic]
            for name, row in zip(("tvd", "jsd"), both, strict=True)
            for statistic in ("mean", "low", "high")
        }

    @property
    def _both(self) -> tuple:
        return self.tvd, self.jsd


def divergence(base: Attributions, others: Sequence[Attributions]) -> Divergence:
    """
    How far the seeds of another model are from the base. All files are about the same texts, in the
    same order.
    """
    measure = Measure.named("jsd")
    attention = base.scores("attention")
    return Divergence(
        tvd=Sample.of([Values.everywhere(output_tvd(base, other)) for other in others]),
        jsd=Sample.of([measure(attention, other.scores("attention")) for other in others]),
    )


def per_instance(family: ModelFamily) -> Optional[Divergence]:
    """
    How far Jain & Wallace's adversary gets on the texts of the family; a text that it found nothing
    for stays where it is. None where it was not searched for.
    """
    file = family.perturbed
    methods = (TVD, MAX_JSD)
    if file is None or any(method.problem(file) for method in methods):
        return None
    return Divergence(*(Sample.of([check(method)(file)]) for method in methods))


def mean_jsd(base: Attributions, others: Sequence[Attributions]) -> float:
    """Of attention from that of the base, over all texts and seeds."""
    return float(numpy.nanmean(divergence(base, others).jsd.value))


def furthest(base: Attributions, models: Sequence[Model]) -> Optional[Model]:
    """The one whose attention is furthest from the base's; the first of equals."""
    return max(models, key=lambda model: mean_jsd(base, model.files), default=None)


def output_tvd(base: Attributions, other: Attributions) -> numpy.ndarray:
    """Half the sum of the absolute differences over the classes. Shape: (texts,)"""
    labels = base.metadata["labels"]
    if sorted(labels) != sorted(other.metadata["labels"]):
        raise AnalysisError(f"{base.path} and {other.path} are about different labels")
    order = [other.metadata["labels"].index(label) for label in labels]
    one, two = (numpy.stack(file.table["probs"].to_list()) for file in (base, other))
    return numpy.abs(one - two[:, order]).sum(axis=1) / 2
