"""
Rows for trained adversaries: settings, performance, and distance from the base. Computed from attribution files, text
by text, or taken from the metrics of the run if there are none.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy
import pandas

from analysis.claims.claim import FAR, Outcome, Part, above
from analysis.claims.table_rows import TableRow, estimated, paired
from analysis.errors import AnalysisError
from analysis.model_config import ADVERSARY
from analysis.models import Model
from analysis.papers.shared.divergence import (
    Divergence,
    divergence,
    searched_divergence,
    searched_pairs,
)
from analysis.papers.shared.families import ModelFamily, Pair, families
from analysis.papers.shared.per_text import correct, summarise
from analysis.papers.shared.published import about_config
from analysis.papers.shared.reached import f1_metric
from analysis.papers.shared.study_files import StudyFiles
from analysis.performance import NOTHING, Decisions, nothing_to_judge
from analysis.runs import Run
from analysis.statistics.intervals import ABOUT_INTERVALS, LEAST_SEEDS, intervals
from analysis.statistics.samples import Sample
from analysis.statistics.significance import difference_columns
from analysis.text_files import run_folder
from analysis.written import Estimate, interval_column

# The sources of a row.
TEXTS, METRICS = "texts", "metrics"
# The published code halves the distance once too often.
DOUBLED_TVD = "published tvd doubled"
STATISTICS = ("f1", "accuracy", "tvd", "jsd")
# The columns that identify a published row.
KEYS = ["corpus", "encoder", "attention", "projection", "frozen"]
SOURCE = (
    f"{ABOUT_INTERVALS} They need attribution files of adversary and base; rows from `metrics` have "
    "what the run reported. A seed is a pair of an adversary and the base that it was trained against; "
    "`bases` says how many different ones these are."
)
NO_ADVERSARY = "it takes adversaries: models trained with the callback `adversarial_attention`"


@dataclass(frozen=True, kw_only=True)
class AdversaryRow(TableRow):
    """
    An adversary as claims and corrections read it.

    accuracy_lost : accuracy of the base less that of the adversary, on the same texts.
    """

    frozen: bool
    lambda_: float
    jsd: Estimate = estimated("jsd")
    tvd: Estimate = estimated("tvd")
    accuracy: Estimate = estimated("accuracy")
    accuracy_lost: Estimate | None = paired("accuracy lost")
    seeds: float = 1
    lambda_as_published: float = numpy.nan
    published_tvd_doubled: float = numpy.nan
    published_jsd: float = numpy.nan


def just_far(adversaries: Sequence[AdversaryRow]) -> AdversaryRow:
    """
    The adversary that shows whether attention can be moved far, and at what price: among those with several seeds, if
    there are any, the nearest whose whole interval of JSD is above `FAR`, else the furthest. Adversaries beyond it
    pay more, and only show the effect of too large a lambda.
    """
    several = [row for row in adversaries if row.seeds >= LEAST_SEEDS] or list(adversaries)
    by_distance = sorted(several, key=lambda row: row.jsd.mean)
    return next((row for row in by_distance if row.jsd.low > FAR), by_distance[-1])


def far_away(adversary: AdversaryRow, paid: bool = True) -> Part:
    """
    States that its attention is far from the base's. If adversaries stay near and have not paid anything, lambda was
    too small; that does not show that attention cannot be moved.
    """
    far = above(f"at lambda {adversary.lambda_:g} JSD", adversary.jsd, FAR)
    if far.outcome is Outcome.FAILS and not paid:
        return Part(f"{far.words}, and none went further", Outcome.UNKNOWN)
    return far


def adversary_rows(study: StudyFiles) -> tuple[pandas.DataFrame, str | None]:
    """One row per adversary, and a sentence on what is left out; raises if there is none."""
    all_families, problem = families(study)
    rows = [_of_texts(family, model) for family in all_families for model in family.adversaries]
    seen = {
        run_folder(file.metadata["archive"])
        for family in all_families
        for model in family.adversaries
        for file in model.files
    }
    runs = [run for run in study.runs if run.model.role == ADVERSARY]
    rows += [_of_run(run) for run in runs if run_folder(run.folder) not in seen]
    if not rows:
        raise AnalysisError(problem or NO_ADVERSARY)
    table = (
        pandas.DataFrame(rows)
        .astype({"n": "Int64"})
        .sort_values(["corpus", "model", "frozen", "lambda"], kind="stable", ignore_index=True)
    )
    return table, problem


def f1_row(model: Model) -> dict[str, float]:
    """Columns `f1`, `f1 low` and `f1 high` over all seeds of the model."""
    decisions = Decisions.of(model.files)
    ends = intervals(decisions.values[None])
    return Estimate(decisions.f1, float(ends.low[0]), float(ends.high[0])).columns("f1")


def _of_texts(family: ModelFamily, model: Model) -> dict[str, Any]:
    accuracy = Estimate.of(summarise(model, correct))
    pairs = family.pairs(model)
    moved = divergence(pairs)
    return {
        **_about(model.files[0].model),
        **f1_row(model),
        **accuracy.columns("accuracy"),
        **_lost(family, pairs),
        **moved.rows(),
        **_less_than_by_text(family, pairs, moved),
        "seeds": len(pairs),
        "bases": len({base.path for base, _ in pairs}),
        "n": len(family.base.table),
        "from": TEXTS,
        NOTHING: nothing_to_judge(family.bases),
    }


def _lost(family: ModelFamily, pairs: Sequence[Pair]) -> dict[str, float]:
    """Accuracy lost on the same texts: within each pair, or against all seeds of a single base."""
    own = len(family.bases) > 1
    bases = [base for base, _ in pairs] if own else family.files
    first, second = (
        Sample.of([correct(file) for file in files]).value
        for files in (bases, [file for _, file in pairs])
    )
    return difference_columns("accuracy lost", first, second, one_model=own)


def _less_than_by_text(
    family: ModelFamily, pairs: Sequence[Pair], moved: Divergence
) -> dict[str, float]:
    """
    How much further the adversary that is searched per text gets: pair by pair if it was searched for each base;
    empty if it was searched for none.
    """
    searches = searched_pairs(family)
    of_base = {base.path: (base, file) for base, file in searches}
    own = all(base.path in of_base for base, _ in pairs)
    if not searches:
        return {}
    by_text = searched_divergence([of_base[base.path] for base, _ in pairs] if own else searches)
    reached = {f"by text {name}": value for name, value in by_text.rows().items() if "jsd" in name}
    # Seeds that share a base are not independent pairs.
    own = own and len(of_base) > 1
    less = difference_columns("by text less", by_text.jsd.value, moved.jsd.value, one_model=own)
    return {**reached, **less}


def _of_run(run: Run) -> dict[str, Any]:
    values = {name: run.metric(name) for name in STATISTICS}
    values["f1"] = f1_metric(run)
    unknown = {f"{name} {end}": numpy.nan for name in STATISTICS for end in ("low", "high")}
    counted = {"seeds": 1, "bases": 1, "n": pandas.NA, "from": METRICS}
    return {**_about(run.model), **values, **unknown, **counted}


def _about(config: Any) -> dict[str, Any]:
    adversary = config.adversary
    components = (config.encoder, config.attention, config.projection)
    return {
        "corpus": config.corpus,
        "model": " ".join(component for component in components if component != "-"),
        **about_config(config, "encoder", "attention", "projection", "protocol"),
        "frozen": adversary.frozen,
        "lambda": adversary.lambda_,
        # Their loss has half the distance, so half the weight is equivalent.
        "lambda as published": adversary.lambda_ / 2,
    }


def readable_adversaries(
    table: pandas.DataFrame,
    names: Sequence[str] = ("published f1", "f1", DOUBLED_TVD, "tvd", "published jsd", "jsd"),
    keys: Sequence[str] = ("lambda", "lambda as published"),
) -> pandas.DataFrame:
    """The columns that people read: `names` with intervals, and `keys` as users type them."""
    shown = table[["corpus", "model"]].copy()
    for key in keys:
        shown[key] = [
            f"{value:g}" if key != "frozen" else "yes" if value else "no" for value in table[key]
        ]
    for name in names:
        title = name.replace("tvd", "TVD").replace("jsd", "JSD").replace("f1", "F1")
        shown[title] = table[name]
        if f"{name} low" in table:
            shown[f"{title}, interval"] = interval_column(table, name)
    counted = {name: table[name] for name in ("seeds", "bases", "n", "from")}
    return shown.assign(**counted)


def describe_adversaries(table: pandas.DataFrame) -> str:
    """Data, models and n of the table, for captions."""
    parts: list[str] = []
    for (corpus, model), rows in table.groupby(["corpus", "model"], sort=False):
        known = rows["n"].dropna()
        texts = f" ({int(known.max())} texts)" if len(known) else ""
        number = f"{len(rows)} adversar{'ies' if len(rows) > 1 else 'y'}"
        parts.append(f"{corpus}{texts}: {number} of {model}")
    return "; ".join(parts)
