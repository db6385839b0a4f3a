"""Which methods can be distinguished: differences of their scores on the scale, on the same texts."""

from itertools import combinations
from typing import Any, Dict, List, Sequence

import pandas

from analysis.faithfulness.scale import Measured, measured
from analysis.models import Model
from analysis.output import Output
from analysis.papers.shared.published import about
from analysis.papers.shared.study_files import described
from analysis.statistics.intervals import ABOUT_INTERVALS
from analysis.statistics.significance import SignFlips, holm
from analysis.written import Estimate


def difference_rows(each: Measured, flips: SignFlips = SignFlips()) -> List[Dict[str, Any]]:
    """
    One row per pair of methods, the better one first; p-values are also corrected for the number of
    pairs of the measure (Holm).
    """
    if not each.has_scale or len(each.methods) < 2:
        return []
    scores = dict(zip(each.methods, each.scores(each.methods).mean.tolist()))
    better_first = sorted(each.methods, key=lambda method: -scores[method])
    first, second = zip(*combinations(better_first, 2))
    differences = each.apart(first, second, flips)
    differences = {**differences, "p Holm": holm(differences["p"])}
    return [
        {
            "measure": each.measure.name,
            "erasure": each.measure.removal,
            "first": one,
            "second": other,
            **{column: values[position] for column, values in differences.items()},
        }
        for position, (one, other) in enumerate(zip(first, second, strict=True))
    ]


def difference_table(models: Sequence[Model], output: Output) -> None:
    """All pairs of methods; people read those with the best method or attention."""
    rows = [
        {**about(model), **row}
        for model in models
        for each in measured(model)
        if each.measure.k is None
        for row in difference_rows(each)
    ]
    if not rows:
        return
    table = pandas.DataFrame(rows)
    best = table.groupby(["corpus", "model", "measure", "erasure"])["first"].transform("first")
    named = (table["first"] == best) | (table[["first", "second"]] == "attention").any(axis=1)
    shown = table[named]
    shown = shown.assign(
        difference=[Estimate.of(row, mean="difference") for row in shown.to_dict("records")]
    )
    columns = ["corpus", "model", "measure", "erasure", "first", "second", "difference", "p Holm"]
    output.table(
        "faithfulness-differences",
        table,
        "Differences between methods on the scale from chance to the best possible. "
        f"{described(models)}.",
        "First less second, on the same texts; p: sign-flip permutation test on the values of the "
        f"texts, corrected for the pairs of a measure (Holm). {ABOUT_INTERVALS}",
        shown[[*columns, "texts"]],
    )
