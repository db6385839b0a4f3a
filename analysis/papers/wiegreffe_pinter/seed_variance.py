"""
Wiegreffe & Pinter 2019, Figures 3 and 4: how far does attention vary from seed to seed anyway, and
how far beyond that does an adversary get?
"""

from dataclasses import dataclass
from typing import Any, Dict, List, Optional, Sequence

import numpy
import pandas

from analysis.agreement.agreement_table import OVERALL
from analysis.attributions import Attributions
from analysis.claims.table_rows import TableRow, TypedTable, estimated, paired
from analysis.errors import AnalysisError
from analysis.figures.violins import Violins, violins
from analysis.output import Output
from analysis.papers.shared.bins import ALL, bins_of, by_bin, largest_weights
from analysis.papers.shared.divergence import BOUND, divergence, furthest, mean_jsd
from analysis.papers.shared.families import ModelFamily, families
from analysis.papers.shared.published import readable
from analysis.papers.shared.study_files import StudyFiles
from analysis.performance import NOTHING, nothing_to_judge
from analysis.statistics.intervals import ABOUT_INTERVALS
from analysis.statistics.samples import Sample, summaries
from analysis.statistics.significance import difference_columns
from analysis.written import Estimate, number

SEEDS = "other seeds"
SHOWN = ("corpus", "model", "other", "predicted", "max attention", "mean", "interval", "median")
SHOWN += ("n",)


@dataclass(frozen=True, kw_only=True)
class SeedsRow(TableRow):
    """
    other : whose attention is held against the base's: `other seeds`, or `adversary, lambda ...`.
    predicted : the class, or `overall`.
    max_attention : the bin of the base's largest weight, or `all`.
    jsd : how far it is away.
    beyond_seeds : how much further than other seeds, on the same texts.
    """

    other: str
    predicted: str
    max_attention: str
    jsd: Estimate = estimated()
    beyond_seeds: Optional[Estimate] = paired("beyond seeds")


SEEDS_TABLE = TypedTable("wiegreffe-pinter-seeds", SeedsRow)


def seeds(study: StudyFiles, output: Output) -> Optional[str]:
    """
    Adds the table, and for each base a sentence and a figure; gives a sentence on models that are
    left out, if any are.
    """
    seeded, left_out = families(study)
    seeded = [family for family in seeded if family.seeds]
    if not seeded:
        raise AnalysisError(
            left_out or "it takes attribution files of a model with at least 2 seeds"
        )
    table = pandas.DataFrame([row for family in seeded for row in _rows(family)])
    output.table(
        SEEDS_TABLE.name,
        table,
        "Divergence (JSD, in nats) of other models' attention from the base's, by the base's "
        f"largest weight and predicted class. {_described(seeded)}.",
        "Other seeds differ from the base in nothing but the seed: what they diverge by needs no "
        "adversary. Beside them the adversary that is furthest away, where there is one. "
        f"{ABOUT_INTERVALS} The base is always the same one.",
        readable(table, SHOWN),
    )
    for family in seeded:
        output.sentence(f"{SEEDS_TABLE.name}-finding-{family.key}", _finding(family))
        output.figure(
            f"{SEEDS_TABLE.name}-violins-{family.key}",
            violins(
                [
                    Violins(title, _by_bin(family, files))
                    for title, files in _others(family).items()
                ],
                "largest weight of the base's attention",
                "JSD to the base",
                top=BOUND,
            ),
            "Divergence of attention from the base's, text by text, by the base's largest weight "
            f"and predicted class. {family.described}, and {len(family.seeds)} other seeds.",
            "Bar: the middle half; dot: median; below each group: the number of values of each "
            f"class, one a text and seed. Divergences end at log 2 = {number(BOUND)}.",
        )
    return left_out


def _finding(family: ModelFamily) -> str:
    """How far the others are, in words."""
    means = "; ".join(
        f"{title}: {number(mean_jsd(family.base, files))}"
        for title, files in _others(family).items()
    )
    return f"{family.title}: mean divergence (JSD) of attention from that of the base, {means}."


def _others(family: ModelFamily) -> Dict[str, Sequence[Attributions]]:
    others: Dict[str, Sequence[Attributions]] = {SEEDS: family.seeds}
    adversary = furthest(family.base, family.adversaries_of(frozen=False))
    if adversary is not None:
        others[f"adversary, lambda {adversary.config.adversary.lambda_:g}"] = adversary.files
    return others


def _rows(family: ModelFamily) -> List[Dict[str, Any]]:
    rows = []
    of_seeds = divergence(family.base, family.seeds).jsd
    nothing = nothing_to_judge([family.base, *family.seeds])
    for title, files in _others(family).items():
        jsd = divergence(family.base, files).jsd
        weights, classes = _places(family, jsd)
        members = {OVERALL: numpy.ones(jsd.value.shape, dtype=bool), **classes}
        bins = {ALL: numpy.ones(jsd.value.shape, dtype=bool), **bins_of(weights)}
        keys = [(name, of) for name in members for of in bins]
        summarised = summaries([jsd.where(members[name] & bins[of]) for name, of in keys])
        rows += [
            {
                "corpus": family.base.model.corpus,
                "model": family.name,
                "protocol": family.protocol,
                "other": title,
                "predicted": name,
                "max attention": of,
                "seeds": len(files),
                **row,
                **(_beyond(jsd, of_seeds, members[name] & bins[of]) if title != SEEDS else {}),
                NOTHING: nothing,
            }
            for (name, of), row in zip(keys, summarised, strict=True)
            if row["n"] or of == ALL
        ]
    return rows


def _beyond(jsd: Sample, of_seeds: Sample, member: numpy.ndarray) -> Dict[str, float]:
    """How much further than other seeds, on the same texts; the base decides which those are."""
    inside = numpy.where(member.any(axis=0), of_seeds.value, numpy.nan)
    return difference_columns("beyond seeds", jsd.where(member).value, inside)


def _by_bin(
    family: ModelFamily, files: Sequence[Attributions]
) -> Dict[str, Dict[str, numpy.ndarray]]:
    jsd = divergence(family.base, files).jsd
    return by_bin(jsd.value, *_places(family, jsd))


def _places(family: ModelFamily, like: Sample) -> tuple:
    """The base's largest weights and classes, once for each seed of the other."""
    shape = like.value.shape
    weights = largest_weights([family.base.scores("attention")])
    predicted = family.base.table["predicted"]
    classes = {
        str(name): numpy.broadcast_to((predicted == name).to_numpy(bool), shape)
        for name in sorted(predicted.unique())
    }
    return numpy.broadcast_to(weights, shape), classes


def _described(seeded: Sequence[ModelFamily]) -> str:
    return "; ".join(f"{family.described}, and {len(family.seeds)} others" for family in seeded)
