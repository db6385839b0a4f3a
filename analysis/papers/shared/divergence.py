"""The distance between two models on the same texts: TVD of outputs, JSD of attention."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy

from analysis.agreement.agreement_table import OVERALL
from analysis.errors import AnalysisError
from analysis.measures import Measure, Values
from analysis.models import Model
from analysis.papers.shared.families import ModelFamily, Pair
from analysis.papers.shared.paper import Method
from analysis.papers.shared.per_text import check
from analysis.statistics.samples import Sample, summaries
from analysis.text_files import Attributions, Perturbations
from analysis.written import Estimate

# Jain & Wallace's adversary, which is searched per text.
INSTANCE_ADVERSARY = "instance-adversary"
MAX_JSD = Method(INSTANCE_ADVERSARY, "instance adversary", check="max_jsd")
SUCCESS = Method(INSTANCE_ADVERSARY, "instance adversary", check="success")
TVD = Method(INSTANCE_ADVERSARY, "instance adversary", check="tvd")
# The largest possible divergence.
BOUND = float(numpy.log(2))
# The ranges of the values.
TVD_RANGE, JSD_RANGE = (0.0, 1.0), (0.0, BOUND)


@dataclass(frozen=True)
class Divergence:
    """
    Distances of outputs (`tvd`) and attention (`jsd`) per text, for each pair of a base and another model. Pairs are the
    seeds of the intervals.

    predicted : the classes that the bases predict. Shape: (pairs, texts)
    """

    tvd: Sample
    jsd: Sample
    predicted: numpy.ndarray

    @property
    def classes(self) -> list[str]:
        """The classes that the bases predict."""
        return sorted(set(self.predicted.ravel().tolist()))

    def member(self, predicted: str) -> numpy.ndarray:
        """Which texts a base assigns to the class; all for `overall`. Shape: (pairs, texts)"""
        return (self.predicted == predicted) | (predicted == OVERALL)

    def of_class(self, predicted: str) -> "Divergence":
        """The divergence of these texts alone."""
        member = self.member(predicted)
        return replace(self, tvd=self.tvd.where(member), jsd=self.jsd.where(member))

    def rows(self) -> dict[str, float]:
        """Columns `tvd`, `tvd low`, `tvd high`, and the same for `jsd`."""
        tvd, jsd = map(Estimate.of, summaries([self.tvd, self.jsd]))
        return {**tvd.columns("tvd"), **jsd.columns("jsd")}


def divergence(pairs: Sequence[Pair]) -> Divergence:
    """The divergence of other models from their bases. All files have the same texts in the same order."""
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
    How far Jain & Wallace's adversary moves the texts of the family, for each seed that it was searched for. A text
    without a result is not moved. None if there was no search.
    """
    found = searched_pairs(family)
    return searched_divergence(found) if found else None


def searched_pairs(family: ModelFamily) -> list[tuple[Attributions, Perturbations]]:
    """Seeds that Jain & Wallace's adversary was searched for, each with the results."""
    return [
        (base, file)
        for base, file in family.perturbed
        if not any(method.problem(file) for method in (TVD, MAX_JSD))
    ]


def searched_divergence(found: Sequence[tuple[Attributions, Perturbations]]) -> Divergence:
    """How far the searched adversary moves."""
    tvd, jsd = (
        Sample.of([check(method)(file) for _, file in found], between)
        for method, between in ((TVD, TVD_RANGE), (MAX_JSD, JSD_RANGE))
    )
    return Divergence(tvd, jsd, _predicted([base for base, _ in found]))


def mean_jsd(pairs: Sequence[Pair]) -> float:
    """The mean JSD of attention over all texts and pairs."""
    return float(numpy.nanmean(divergence(pairs).jsd.value))


def mean_tvd(pairs: Sequence[Pair]) -> float:
    """The mean TVD of outputs over all texts and pairs."""
    return float(numpy.nanmean(divergence(pairs).tvd.value))


def furthest(family: ModelFamily, models: Sequence[Model]) -> Model | None:
    """The model whose attention is furthest from its bases; the first of equals."""
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
