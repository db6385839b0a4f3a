"""The table of agreements: everything for programs, and an extract for people."""

from typing import Any, Dict, List, Sequence

import numpy
import pandas

from analysis.agreement.agreements import CONTROLS, Agreement
from analysis.agreement.groups import groups
from analysis.agreement.pairs import Pair
from analysis.agreement.signs import UNSIGNED
from analysis.formats import cell
from analysis.statistics.corrections import holm
from analysis.statistics.intervals import intervals
from analysis.statistics.known import mean_of_known
from analysis.statistics.sign_flip import SignFlips
from analysis.statistics.summary import summaries


def agreement_table(
    found: Sequence[Agreement], by: str, flips: SignFlips = SignFlips()
) -> pandas.DataFrame:
    """
    One row an agreement and group of texts. `random ...` and `permuted ...` are the controls'
    numbers, with the chance band as `low` and `high`; `above ...` is how much more the agreement
    is than what chance gives the same texts, with its interval and the p-value of the
    sign-flip test, also corrected for the number of pairs.
    """
    rows: List[Dict[str, Any]] = []
    for model in dict.fromkeys(agreement.model.name for agreement in found):
        rows += _rows([one for one in found if one.model.name == model], by, flips)
    table = pandas.DataFrame(rows)
    for name in CONTROLS:
        families = table.groupby(["model", "measure", "group"])[f"above {name} p"]
        table[f"above {name} p Holm"] = families.transform(lambda p: holm(p.to_numpy()))
    return table


def _rows(found: Sequence[Agreement], by: str, flips: SignFlips) -> List[Dict[str, Any]]:
    """Of one model, whose samples all have the same shape."""
    model = found[0].model
    members = groups(model, by)
    cases = [(agreement, group) for agreement in found for group in members]
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
    return rows


def _above(values: numpy.ndarray, flips: SignFlips) -> List[Dict[str, float]]:
    """Shape: (agreements and groups, seeds, texts)"""
    found = intervals(values)
    p_values = flips.p_values(mean_of_known(values, 1))
    numbers = {"": found.mean, " low": found.low, " high": found.high, " p": p_values}
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
    shown["mean [95 %]"] = with_interval(table)
    shown["std"] = table["std"]
    if table["significant"].notna().any():
        shown["p <= .05"] = table["significant"]
        shown["BH"] = table["significant BH"]
    for name in CONTROLS:
        shown[f"{name} [95 %]"] = with_interval(table, f"{name} ", mean=f"{name} mean")
    shown["n"] = table["n"]
    shown["undefined"] = table["reasons"].where(table["undefined"] > 0, "0")
    return shown.reset_index(drop=True)


def with_interval(table: pandas.DataFrame, prefix: str = "", mean: str = "mean") -> List[str]:
    """`0.123 [0.100, 0.150]`"""
    return [
        f"{cell(middle)} [{cell(low)}, {cell(high)}]"
        for middle, low, high in zip(table[mean], table[f"{prefix}low"], table[f"{prefix}high"])
    ]
