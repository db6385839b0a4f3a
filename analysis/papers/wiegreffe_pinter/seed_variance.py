"""
Wiegreffe & Pinter 2019, Figures 3 and 4: how much attention varies between seeds, and how much further an adversary gets.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy
import pandas

from analysis.agreement.agreement_table import OVERALL
from analysis.claims.claim import SMALL
from analysis.claims.table_rows import TableRow, TypedTable, estimated, paired
from analysis.errors import AnalysisError
from analysis.figures.violins import Violins, violins
from analysis.output import Output
from analysis.papers.shared.divergence import BOUND, divergence, furthest, mean_jsd, mean_tvd
from analysis.papers.shared.families import ModelFamily, Pair, families, settings_of
from analysis.papers.shared.per_text import ALL, bin_texts, by_bin, largest_weights
from analysis.papers.shared.published import readable
from analysis.papers.shared.study_files import StudyFiles
from analysis.performance import NOTHING, nothing_to_judge
from analysis.statistics.intervals import ABOUT_INTERVALS
from analysis.statistics.samples import Sample, summaries
from analysis.statistics.significance import difference_columns
from analysis.written import Estimate, number

SEEDS = "other seeds"
SHOWN = ["corpus", "model", "other", "predicted", "max attention", "mean", "interval", "median"]
SHOWN += ["n"]


@dataclass(frozen=True, kw_only=True)
class SeedsRow(TableRow):
    """
    The divergence of other attention from the base's.

    other : `other seeds`, or `adversary, lambda ...`.
    predicted : the class, or `overall`.
    max_attention : the bin of the base's largest weight, or `all`.
    jsd : the divergence.
    beyond_seeds : the divergence less that of other seeds, on the same texts.
    """

    other: str
    predicted: str
    max_attention: str
    jsd: Estimate = estimated()
    beyond_seeds: Estimate | None = paired("beyond seeds")


SEEDS_TABLE = TypedTable("wiegreffe-pinter-seeds", SeedsRow)


def seeds(study: StudyFiles, output: Output) -> str | None:
    """Add the table, and a sentence and a figure per base; return what is left out, if anything."""
    seeded, left_out = families(study)
    seeded = [family for family in seeded if family.other_seeds]
    if not seeded:
        raise AnalysisError(
            left_out or "it takes attribution files of a model with at least 2 seeds"
        )
    held = [(family, _others(family)) for family in seeded]
    table = pandas.DataFrame([row for family, others in held for row in _rows(family, others)])
    output.table(
        SEEDS_TABLE.name,
        table,
        "Divergence (JSD, in nats) of other models' attention from the base's, by the base's "
        f"largest weight and predicted class. {_described(seeded)}.",
        "Other seeds differ from the base in nothing but the seed: what they diverge by needs no "
        f"adversary. Next to them the adversary that is furthest away with outputs near the base's (TVD below {SMALL}), or, "
        "where none has, of all. "
        f"{ABOUT_INTERVALS} Seeds are then pairs of a base and another model: `bases` says how many bases "
        "there are. With one, all others are compared with it; with several, other seeds are dealt out to them, and "
        "if all seeds are bases, each is compared with the next.",
        readable(table, SHOWN),
    )
    for family, others in held:
        output.sentence(f"{SEEDS_TABLE.name}-finding-{family.key}", _finding(family, others))
        output.figure(
            f"{SEEDS_TABLE.name}-violins-{family.key}",
            violins(
                [Violins(title, _by_bin(pairs)) for title, pairs in others.items()],
                "largest weight of the base's attention",
                "JSD to the base (nats)",
                top=BOUND,
            ),
            "Divergence of attention from the base's, text by text, by the base's largest weight "
            f"and predicted class. {family.described}, and {_of_others(family)}.",
            "Bar: the middle half; dot: median; below each group: the number of values of each "
            f"class, one a text and pair. Divergences end at log 2 = {number(BOUND)}.",
        )
    return left_out


def _finding(family: ModelFamily, others: dict[str, list[Pair]]) -> str:
    """A sentence on the mean divergences."""
    means = "; ".join(f"{title}: {number(mean_jsd(pairs))}" for title, pairs in others.items())
    return f"{family.title}: mean divergence (JSD) of attention from that of the base, {means}."


def _others(family: ModelFamily) -> dict[str, list[Pair]]:
    """The pairs that are compared, by name: other seeds, and an adversary."""
    others = {SEEDS: family.other_seeds}
    adversaries = family.adversaries_of(frozen=False)
    alike = [model for model in adversaries if mean_tvd(family.pairs(model)) < SMALL]
    adversary = furthest(family, alike or adversaries)
    if adversary is not None:
        others[adversary_name(settings_of(adversary.config).lambda_)] = family.pairs(adversary)
    return others


def adversary_name(lambda_: float) -> str:
    return f"adversary, lambda {lambda_:g}"


def _rows(family: ModelFamily, others: dict[str, list[Pair]]) -> list[dict[str, Any]]:
    rows = []
    of_seeds = _parts(family.other_seeds)
    nothing = nothing_to_judge(family.files)
    for title, pairs in others.items():
        parts = _parts(pairs)
        summarised = summaries(list(parts.values()))
        rows += [
            {
                "corpus": family.base.model.corpus,
                "model": family.name,
                "protocol": family.protocol,
                "other": title,
                "predicted": name,
                "max attention": of,
                "seeds": len(pairs),
                "bases": len({base.path for base, _ in pairs}),
                **row,
                **(_beyond(parts[name, of], of_seeds.get((name, of))) if title != SEEDS else {}),
                NOTHING: nothing,
            }
            for (name, of), row in zip(parts, summarised, strict=True)
            if row["n"] or of == ALL
        ]
    return rows


def _parts(pairs: Sequence[Pair]) -> dict[tuple[str, str], Sample]:
    """Divergences by class of the base, and overall, and by bin of its largest weight, and in all bins."""
    moved = divergence(pairs)
    bins = {ALL: numpy.ones(moved.predicted.shape, dtype=bool), **bin_texts(_weights(pairs))}
    return {
        (name, of): moved.of_class(name).jsd.where(inside)
        for name in (OVERALL, *moved.classes)
        for of, inside in bins.items()
    }


def _beyond(adversary: Sample, of_seeds: Sample | None) -> dict[str, float]:
    """The divergence beyond that of other seeds, on the same texts."""
    if of_seeds is None:
        return {}
    return difference_columns("beyond seeds", adversary.value, of_seeds.value)


def _by_bin(pairs: Sequence[Pair]) -> dict[str, dict[str, numpy.ndarray]]:
    moved = divergence(pairs)
    classes = {name: moved.member(name) for name in moved.classes}
    return by_bin(moved.jsd.value, _weights(pairs), classes)


def _weights(pairs: Sequence[Pair]) -> numpy.ndarray:
    """The largest attention weight of the base. Shape: (pairs, texts)"""
    return largest_weights([base.scores("attention") for base, _ in pairs])


def _of_others(family: ModelFamily) -> str:
    number_ = len({other.path for _, other in family.other_seeds})
    return f"{number_} other seed{'' if number_ == 1 else 's'}"


def _described(seeded: Sequence[ModelFamily]) -> str:
    return "; ".join(f"{family.described}, and {_of_others(family)}" for family in seeded)
