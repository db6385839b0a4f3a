"""Agreement between columns of a paper: rows by predicted class, panels for densities, differences on the same texts;
and the same rows as claims read them.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, combinations
from typing import Any, TypeVar

import numpy
import pandas

from analysis.agreement.agreement_table import OVERALL, agreement_table, groups
from analysis.agreement.agreements import Agreement, Pair, Signs, agreements
from analysis.claims.claim import Judgement, Part
from analysis.claims.table_rows import (
    TableRow,
    column,
    estimated,
    estimated_if_known,
    first_where,
    group_rows,
    paired,
)
from analysis.figures.densities import DensityPanel
from analysis.measures import Measure
from analysis.model_config import PLAIN
from analysis.models import Model, check_same_texts
from analysis.output import Output
from analysis.papers.shared.paper import Method
from analysis.papers.shared.published import about, with_intervals
from analysis.papers.shared.study_files import describe
from analysis.statistics.intervals import ABOUT_INTERVALS
from analysis.statistics.samples import DRAWS
from analysis.statistics.significance import difference_columns
from analysis.written import Estimate, number
from attention_explain.errors import InputError

Methods = tuple[Method, Method]
KENDALL = "kendall"
DIFFERENCE, OF_SCALED = "difference", "scaled difference"
DIFFERENCES_NOTE = (
    "First less second, text by text. Scaled: 0 for chance, 1 for the best that ties allow. "
    f"{ABOUT_INTERVALS} They are not corrected for the number of comparisons."
)


def compute_agreements(
    model: Model, pairs: Sequence[Methods], measures: Sequence[str] = (KENDALL,)
) -> list[Agreement]:
    """The agreement of every text of a model, and of the controls, for each measure and pair."""
    return _agreements(model, pairs, measures, DRAWS)


def agreements_by_model(
    models: Sequence[Model], pairs: Sequence[Methods]
) -> tuple[list[Agreement], pandas.DataFrame]:
    """Kendall's tau of all models: the agreements, and a table of their rows."""
    of_models = [compute_agreements(model, pairs) for model in models]
    table = pandas.concat([agreement_rows(one, pairs) for one in of_models], ignore_index=True)
    return list(chain.from_iterable(of_models)), table


def agreement_rows(of_model: Sequence[Agreement], pairs: Sequence[Methods]) -> pandas.DataFrame:
    """One row per predicted class and one for all texts, with `about` and the papers' names."""
    titles = {method.name: method.title for pair in pairs for method in pair}
    table = agreement_table(of_model, by="predicted")
    return table.assign(
        **about(of_model[0].model),
        scores=table["first"].map(titles),
        importance=table["second"].map(titles),
        predicted=table["group"],
    )


def class_panels(model: Model, pairs: Sequence[Methods]) -> list[DensityPanel]:
    """A panel of Kendall's tau per pair, a series per predicted class, and random scores."""
    classes = groups(model, "predicted")
    del classes[OVERALL]
    return [
        DensityPanel(
            title=pair_title(pair),
            series={
                f"predicted {name}": one.observed.value[member] for name, member in classes.items()
            },
            control=one.controls["random"].value.ravel(),
        )
        for pair, one in zip(pairs, _agreements(model, pairs, (KENDALL,), 1), strict=True)
    ]


def pair_panel(
    model: Model, title: str, pairs: Sequence[Methods], measure: str = KENDALL
) -> DensityPanel:
    """A panel of a measure over all texts: a series per pair, and random scores as control."""
    of_pairs = _agreements(model, pairs, (measure,), 1)
    return DensityPanel(
        title=title,
        series={
            pair_title(pair): one.observed.value.ravel()
            for pair, one in zip(pairs, of_pairs, strict=True)
        },
        control=of_pairs[0].controls["random"].value.ravel(),
    )


def agreement_values(model: Model, pair: Methods) -> Agreement:
    """Kendall's tau of each text of a model, and of one draw of the controls."""
    return _agreements(model, [pair], (KENDALL,), 1)[0]


def pair_title(pair: Methods) -> str:
    """The title of a pair in figures."""
    return f"{pair[0].title}, {pair[1].title}"


def _agreements(
    model: Model, pairs: Sequence[Methods], measures: Sequence[str], draws: int
) -> list[Agreement]:
    names = [Pair(first.name, second.name) for first, second in pairs]
    # The papers compare the scores as their methods give them.
    return agreements(
        model, names, [Measure.named(name) for name in measures], draws, signs=Signs.GIVEN
    )


def add_differences(output: Output, name: str, compared: Sequence[Agreement]) -> None:
    """
    Add a table `name` of differences on the same texts, if there are any: between two pairs of methods in one model, or
    of one pair between two models that differ only in encoder, scorer or projection.
    """
    rows = [_difference_row(*two) for two in combinations(compared, 2) if _alike(*two)]
    table = pandas.DataFrame([row for row in rows if not numpy.isnan(row[DIFFERENCE])])
    if table.empty:
        return
    models = list({id(one.model): one.model for one in compared}.values())
    shown = table[["corpus", "first model", "second model", "first pair", "second pair", "measure"]]
    shown = with_intervals(shown, table, {name: name for name in (DIFFERENCE, OF_SCALED)})
    output.table(
        name,
        table,
        f"Which agreement is the larger? Differences on the same texts. {describe(models)}.",
        DIFFERENCES_NOTE,
        shown,
    )


def _difference_row(first: Agreement, second: Agreement) -> dict[str, Any]:
    one_model = first.model is second.model
    return {
        "corpus": first.model.config.corpus,
        "measure": first.measure.name,
        "first model": first.model.name,
        "first pair": str(first.pair),
        "second model": second.model.name,
        "second pair": str(second.pair),
        **difference_columns(DIFFERENCE, first.observed.value, second.observed.value, one_model),
        **difference_columns(OF_SCALED, first.scaled(), second.scaled(), one_model),
    }


def _alike(first: Agreement, second: Agreement) -> bool:
    if first.measure.name != second.measure.name:
        return False
    if first.model is second.model:
        return bool(set(first.pair) & set(second.pair))
    return first.pair == second.pair and _one_apart(first.model, second.model)


def _one_apart(first: Model, second: Model) -> bool:
    one, other = first.config, second.config
    if not one.role == other.role == PLAIN:
        return False
    names = ("encoder", "attention", "projection")
    apart = [name for name in names if getattr(one, name) != getattr(other, name)]
    return len(apart) == 1 and _same_texts(first, second)


def _same_texts(first: Model, second: Model) -> bool:
    try:
        check_same_texts([first.files[0], second.files[0]])
    except InputError:
        return False
    return True


IMPORTANCE = ("gradient", "leave-one-out")
# With both definitions of the gradient.
EVERY_IMPORTANCE = ("gradient", "gradient norm", "leave-one-out")


@dataclass(frozen=True, kw_only=True)
class AgreementRow(TableRow):
    """
    The agreement of two columns.

    first, second : the columns.
    scores, importance : the paper's names of them.
    predicted, group : the class of the texts, or `overall`.
    k : the number of top tokens that the measure counts, if not all.
    importance_of : `input` or `hidden`.
    compared : whether signs count.
    scaled : from chance (0) to the best that ties allow (1), for measures that have such a scale.
    """

    first: str = ""
    second: str = ""
    scores: str = ""
    importance: str = ""
    predicted: str = ""
    group: str = ""
    measure: str = ""
    k: str = ""
    importance_of: str = ""
    compared: str = ""
    mean: Estimate = estimated()
    ceiling: float = math.nan
    scaled: Estimate | None = estimated_if_known("scaled")
    random_mean: float = math.nan
    permuted_mean: float = math.nan
    above_permuted: Estimate | None = estimated_if_known("above permuted", difference=True)
    significant: float = math.nan
    significant_bh: float = column("significant BH", math.nan)

    @property
    def scaled_or_mean(self) -> Estimate:
        """The scaled agreement, or the mean if there is none."""
        return self.mean if self.scaled is None else self.scaled

    def in_words(self, measure: str) -> str:
        """Words for `scaled_or_mean`: `tau with gradient .200 of at most .215, scaled`."""
        if self.scaled is None:
            return measure
        return f"{measure} {number(self.mean.mean)} of at most {number(self.ceiling)}, scaled"

    @property
    def known_by(self) -> tuple:
        """The columns that identify it in tables of differences."""
        measure = f"{self.measure}:k={self.k}" if self.k else self.measure
        return self.corpus, measure, self.model, str(Pair(self.first, self.second))


@dataclass(frozen=True, kw_only=True)
class DifferenceRow(TableRow):
    """The difference of two agreements on the same texts, of the measure and of its scaled values."""

    measure: str
    first_model: str
    first_pair: str
    second_model: str
    second_pair: str
    difference: Estimate | None = paired(DIFFERENCE)
    of_scaled: Estimate | None = paired(OF_SCALED)

    @property
    def ends(self) -> tuple[tuple, tuple]:
        """The minuend and the subtrahend, each as `AgreementRow.known_by`."""
        return (
            (self.corpus, self.measure, self.first_model, self.first_pair),
            (self.corpus, self.measure, self.second_model, self.second_pair),
        )


A = TypeVar("A", bound=AgreementRow)


def of_each(
    rows: Sequence[A], kinds: Sequence[str] = IMPORTANCE, **equal: Any
) -> Iterator[tuple[str, A]]:
    """The first row with these values for each kind of importance that has one."""
    for name in kinds:
        row = first_where(rows, importance=name, **equal)
        if row is not None:
            yield name, row


def judge_differences(
    rows: Sequence[AgreementRow],
    compared: Sequence[DifferenceRow],
    alike: Sequence[str],
    of: dict[str, Any],
    less: dict[str, Any],
    part: Callable[[str, Estimate], Part],
    scaled: bool = True,
    kinds: Sequence[str] = IMPORTANCE,
) -> Iterator[Judgement]:
    """
    One judgement per corpus, protocol and values of the fields `alike`, which name the model. It has one part per kind of
    importance: the agreement of the row with the values `of` less that of the row with the values `less`.

    compared : differences on the same texts.
    part : makes a part of words (`with gradient`) and the difference.
    scaled : whether to compare scaled values, if both rows have them.
    kinds : the kinds of importance.
    """
    for (corpus, protocol, *names), group in group_rows(rows, "corpus", "protocol", *alike):
        subtracted = dict(of_each(group, kinds, **less))
        parts = [
            part(f"with {name}", subtract(compared, row, subtracted[name], scaled))
            for name, row in of_each(group, kinds, **of)
            if name in subtracted
        ]
        if parts:
            yield Judgement(corpus, " ".join(names), tuple(parts), protocol)


def subtract(
    compared: Sequence[DifferenceRow], row: AgreementRow, other: AgreementRow, scaled: bool = True
) -> Estimate:
    """
    The first agreement less the second, scaled if both have scaled values and `scaled` is set. On the same texts if
    `compared` has the difference, else as if the two were independent.
    """
    of_scaled = scaled and row.scaled is not None and other.scaled is not None
    first, second = (one.scaled_or_mean if of_scaled else one.mean for one in (row, other))
    for one in compared:
        difference = one.of_scaled if of_scaled else one.difference
        if difference is None:
            continue
        if one.ends == (row.known_by, other.known_by):
            return first.minus(second, difference)
        if one.ends == (other.known_by, row.known_by):
            return first.minus(second, difference.negative())
    return first.minus(second)
