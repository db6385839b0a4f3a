"""The table of agreements, by groups of texts: everything for programs, and an extract for people."""

from collections.abc import Sequence
from typing import Any

import numpy
import pandas

from analysis.agreement.agreements import CONTROLS, UNSIGNED, Agreement, Pair
from analysis.errors import AnalysisError
from analysis.models import Model, protocol_of
from analysis.performance import NOTHING, nothing_to_judge
from analysis.statistics.intervals import intervals, mean_of_known
from analysis.statistics.samples import summaries
from analysis.statistics.significance import SignFlips, holm
from analysis.text_files import Attributions
from analysis.written import estimates

OVERALL = "overall"
# Says that there are no groups.
NONE = "none"
# A column with more values than that tells texts apart and does not group them.
MOST_GROUPS = 20


def check_groups(file: Attributions, column: str) -> None:
    """The column has to be there, with one value a text, and few different ones."""
    if column == NONE:
        return
    if column not in file.table:
        raise AnalysisError(f"{file.path}: has no column '{column}' to group its texts by")
    values = file.table[column]
    if values.map(pandas.api.types.is_list_like).any():
        raise AnalysisError(f"{file.path}: column '{column}' has lists, which make no groups")
    if values.nunique() > MOST_GROUPS:
        raise AnalysisError(
            f"{file.path}: column '{column}' would make {values.nunique()} groups, "
            f"more than {MOST_GROUPS}"
        )


def groups(model: Model, column: str) -> dict[str, numpy.ndarray]:
    """Which texts are in each, seed by seed. Shape of each: (seeds, texts)"""
    shape = (len(model.files), len(model.files[0].table))
    members = {OVERALL: numpy.ones(shape, dtype=bool)}
    if column == NONE:
        return members
    columns = [file.table[column] for file in model.files]
    values = sorted({value for one in columns for value in one.dropna()})
    for value in values:
        members[str(value)] = numpy.array([(one == value).to_numpy(bool) for one in columns])
    return members


def agreement_table(
    agreed: Sequence[Agreement], by: str, flips: SignFlips = SignFlips()
) -> pandas.DataFrame:
    """
    One row an agreement and group of texts. `random ...` and `permuted ...` are the controls'
    numbers, with the chance band as `low` and `high`; `above ...` is how much more the agreement
    is than what chance gives the same texts, with its interval and the p-value of the
    sign-flip test, also corrected for the number of pairs. `ceiling` is the best mean that the
    scores could have in any order, `position` the mean's between the permuted control (0) and it (1).
    `top-1` is the share of texts with the same first token, `top-1 chance` what blind guesses have.
    """
    rows: list[dict[str, Any]] = []
    for model in dict.fromkeys(agreement.model.name for agreement in agreed):
        rows += _rows([one for one in agreed if one.model.name == model], by, flips)
    table = pandas.DataFrame(rows)
    for name in CONTROLS:
        families = table.groupby(["model", "measure", "group"])[f"above {name} p"]
        table[f"above {name} p Holm"] = families.transform(lambda p: holm(p.to_numpy()))
    return table


def _rows(agreed: Sequence[Agreement], by: str, flips: SignFlips) -> list[dict[str, Any]]:
    """Of one model, whose samples all have the same shape."""
    model = agreed[0].model
    nothing = nothing_to_judge(model.files)
    members = groups(model, by)
    cases = [(agreement, group) for agreement in agreed for group in members]
    samples = [agreement.observed.where(members[group]) for agreement, group in cases]
    rows = []
    for (agreement, group), numbers in zip(cases, summaries(samples), strict=True):
        row = {
            "model": model.name,
            "corpus": model.config.corpus,
            "measure": agreement.measure.name,
            "first": agreement.pair.first,
            "second": agreement.pair.second,
            "compared": agreement.compared,
            "by": by,
            "group": group,
            "seeds": len(model.files),
            **numbers,
            NOTHING: nothing,
            "protocol": protocol_of(model.config.config),
        }
        for name in CONTROLS:
            control = agreement.controls[name].where(members[group])
            row.update({f"{name} {key}": value for key, value in control.summary().items()})
        rows.append(row)
    for name in CONTROLS:
        above = numpy.array(
            [
                sample.value - agreement.controls[name].expected
                for sample, (agreement, _) in zip(samples, cases, strict=True)
            ]
        )
        for row, numbers in zip(rows, _above(above, flips), strict=True):
            row.update({f"above {name}{key}": number for key, number in numbers.items()})
    scaled = numpy.array([agreement.scaled(members[group]) for agreement, group in cases])
    same_first = numpy.array(
        [agreement.top_1.where(members[group]).value for agreement, group in cases]
    )
    # Of a text with n tokens, a blind guess finds the first in one case of n.
    guessed = 1 / model.files[0].table["tokens"].map(len).to_numpy()
    for name, values in (("scaled", scaled), ("top-1", same_first)):
        for row, numbers in zip(rows, _located(values), strict=True):
            row.update({f"{name}{key}": number for key, number in numbers.items()})
    for row, (agreement, group), first in zip(rows, cases, same_first, strict=True):
        row["ceiling"] = _mean_ceiling(agreement, members[group])
        row["top-1 chance"] = float(
            mean_of_known(numpy.where(numpy.isnan(first), numpy.nan, guessed), (0, 1))
        )
    return rows


def _mean_ceiling(agreement: Agreement, member: numpy.ndarray) -> float:
    if agreement.ceiling is None:
        return numpy.nan
    return float(mean_of_known(numpy.where(member, agreement.ceiling, numpy.nan), (0, 1)))


def _above(values: numpy.ndarray, flips: SignFlips) -> list[dict[str, float]]:
    """With a test. Shape: (agreements and groups, seeds, texts)"""
    p_values = flips.p_values(mean_of_known(values, 1))
    return [
        {**numbers, " p": p} for numbers, p in zip(_located(values), p_values.tolist(), strict=True)
    ]


def _located(values: numpy.ndarray) -> list[dict[str, float]]:
    """Means and their intervals. Shape: as above"""
    means = intervals(values)
    numbers = {"": means.mean, " low": means.low, " high": means.high, " df": means.df}
    return pandas.DataFrame(numbers).to_dict("records")


def shown_agreements(table: pandas.DataFrame) -> pandas.DataFrame:
    """What people read; a column that says the same in every row is left out."""
    shown = pandas.DataFrame(index=table.index)
    for name in ("model", "measure"):
        if table[name].nunique() > 1:
            shown[name] = table[name]
    shown["pair"] = [str(Pair(*names)) for names in zip(table["first"], table["second"])]
    if (table["compared"] != UNSIGNED).any():
        shown["compared"] = table["compared"]
    if table["group"].nunique() > 1:
        shown[table["by"].iloc[0]] = table["group"]
    shown["mean [95 %]"] = estimates(table)
    if table["scaled"].notna().any():
        shown["ceiling"] = table["ceiling"]
        shown["scaled [95 %]"] = estimates(table, "scaled")
    shown["top-1"] = table["top-1"]
    shown["std"] = table["std"]
    if table["significant"].notna().any():
        shown["p <= .05"] = table["significant"]
        shown["BH"] = table["significant BH"]
    for name in CONTROLS:
        shown[f"{name} [95 %]"] = estimates(table, name)
    shown["n"] = table["n"]
    shown["undefined"] = table["reasons"].where(table["undefined"] > 0, "0")
    return shown.reset_index(drop=True)
