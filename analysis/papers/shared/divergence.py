"""How far one model is from another on the same texts: outputs by TVD, attention by JSD."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy

from analysis.agreement.agreement_table import OVERALL
from analysis.attributions import Attributions
from analysis.errors import AnalysisError
from analysis.measures import Measure, Values
from analysis.models import Model
from analysis.papers.shared.families import ModelFamily, Pair
from analysis.papers.shared.paper import Method
from analysis.papers.shared.per_text import check
from analysis.perturbations import Perturbations
from analysis.statistics.samples import Sample, summaries
from analysis.written import Estimate

# Jain & Wallace's adversary, searched for each text.
INSTANCE_ADVERSARY = "instance-adversary"
MAX_JSD = Method(INSTANCE_ADVERSARY, "instance adversary", check="max_jsd")
SUCCESS = Method(INSTANCE_ADVERSARY, "instance adversary", check="success")
TVD = Method(INSTANCE_ADVERSARY, "instance adversary", check="tvd")
# The largest divergence that there is.
BOUND = float(numpy.log(2))
# What values can be.
TVD_RANGE, JSD_RANGE = (0.0, 1.0), (0.0, BOUND)


@dataclass(frozen=True)
class Divergence:
    """
    How far outputs (`tvd`) and attention (`jsd`) are away, text by text, in each pair of a base and
    another model: pairs are what intervals have as seeds.

    predicted : by the bases. Shape: (pairs, texts)
    """

    tvd: Sample
    jsd: Sample
    predicted: numpy.ndarray

    @property
    def classes(self) -> list[str]:
        """That the bases predict."""
        return sorted(set(self.predicted.ravel().tolist()))

    def member(self, predicted: str) -> numpy.ndarray:
        """Which texts a base says the class of; all, if it is `overall`. Shape: (pairs, texts)"""
        return (self.predicted == predicted) | (predicted == OVERALL)

    def of_class(self, predicted: str) -> "Divergence":
        """Of these texts alone."""
        member = self.member(predicted)
        return replace(self, tvd=self.tvd.where(member), jsd=self.jsd.where(member))

    def rows(self) -> dict[str, float]:
        """`tvd`, `tvd low`, `tvd high`, and the same of `jsd`."""
        tvd, jsd = map(Estimate.of, summaries([self.tvd, self.jsd]))
        return {**tvd.columns("tvd"), **jsd.columns("jsd")}


def divergence(pairs: Sequence[Pair]) -> Divergence:
    """How far others are from their bases. All files are about the same texts, in the same order."""
    measure = Measure.named("jsd")
    return Divergence(
        tvd=Sample.of(
            [Values.everywhere(output_tvd(base, other)) for base, other in pairs], TVD_RANGE
        ),
        jsd=Sample.of(
            [measure(base.scores("attention"), other.scores("attention")) for base, other in pairs],
            JSD_RANGE,
        ),
        predicted=_predicted([base for base, _ in pairs]),
    )


def per_instance(family: ModelFamily) -> Divergence | None:
    """
    How far Jain & Wallace's adversary gets on the texts of the family, under each seed that it was searched
    for; a text that it found nothing for stays where it is. None where it was not searched for.
    """
    return searched_divergence(searched_pairs(family))


def searched_pairs(family: ModelFamily) -> list[tuple[Attributions, Perturbations]]:
    """Seeds that Jain & Wallace's adversary was searched for, each with what was found."""
    return [
        (base, file)
        for base, file in family.perturbed
        if not any(method.problem(file) for method in (TVD, MAX_JSD))
    ]


def searched_divergence(found: Sequence[tuple[Attributions, Perturbations]]) -> Divergence | None:
    """How far it gets; None of none."""
    if not found:
        return None
    tvd, jsd = (
        Sample.of([check(method)(file) for _, file in found], between)
        for method, between in ((TVD, TVD_RANGE), (MAX_JSD, JSD_RANGE))
    )
    return Divergence(tvd, jsd, _predicted([base for base, _ in found]))


def mean_jsd(pairs: Sequence[Pair]) -> float:
    """Of attention from that of the base, over all texts and pairs."""
    return float(numpy.nanmean(divergence(pairs).jsd.value))


def mean_tvd(pairs: Sequence[Pair]) -> float:
    """The same of outputs."""
    return float(numpy.nanmean(divergence(pairs).tvd.value))


def furthest(family: ModelFamily, models: Sequence[Model]) -> Model | None:
    """The one whose attention is furthest from that of its bases; the first of equals."""
    return max(models, key=lambda model: mean_jsd(family.pairs(model)), default=None)


def _predicted(bases: Sequence[Attributions]) -> numpy.ndarray:
    return numpy.array([base.table["predicted"].astype(str).to_numpy(object) for base in bases])


def output_tvd(base: Attributions, other: Attributions) -> numpy.ndarray:
    """Half the sum of the absolute differences over the classes. Shape: (texts,)"""
    labels = base.metadata["labels"]
    if sorted(labels) != sorted(other.metadata["labels"]):
        raise AnalysisError(f"{base.path} and {other.path} are about different labels")
    order = [other.metadata["labels"].index(label) for label in labels]
    one, two = (numpy.stack(file.table["probs"].to_list()) for file in (base, other))
    return numpy.abs(one - two[:, order]).sum(axis=1) / 2
