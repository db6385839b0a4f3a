"""Serrano & Smith 2019: does the largest weight matter most?"""

from dataclasses import dataclass
from typing import Any, Dict, List, Sequence

import numpy
import pandas

from analysis.agreement.agreement_table import groups
from analysis.claims.table_rows import TableRow, TypedTable, estimated
from analysis.figures.violins import Violins, violins
from analysis.models import Model
from analysis.output import Output
from analysis.papers.shared.bins import bins_of, largest_weights
from analysis.papers.shared.paper import PERTURBED, Exhibit, Method
from analysis.papers.shared.per_text import check, sample
from analysis.papers.shared.published import about
from analysis.papers.shared.study_files import described
from analysis.statistics.intervals import ABOUT_INTERVALS
from analysis.statistics.significance import paired_in_one_model
from analysis.written import Estimate, interval_column

DROPPED = ("top", "random")
EFFECTS = {"tvd": "change of output", "jsd": "JSD of outputs", "flip": "share of flips"}


@dataclass(frozen=True, kw_only=True)
class DroppedRow(TableRow):
    """
    predicted : the class, or `overall`.
    effect : on the output, which of `EFFECTS`.
    top, random : the effect of setting the largest weight to 0, and another one.
    difference : top less random, on the same texts.
    """

    predicted: str
    effect: str
    top: float
    random: float
    difference: Estimate = estimated(mean="difference", difference=True)


DROPPED_TABLE = TypedTable("serrano-smith-drop-top", DroppedRow)


def _dropped(which: str, effect: str) -> Method:
    return Method("drop-top", "drop top", check=f"{which}_{effect}")


DROP_TOP = tuple(_dropped(which, effect) for which in DROPPED for effect in EFFECTS)


def drop_rows(model: Model) -> List[Dict[str, Any]]:
    """
    From the perturbation files of a model: a row for each effect and class, with that of the
    largest weight, that of another one, and the difference.
    """
    rows = []
    members = groups(model, "predicted")
    for effect, title in EFFECTS.items():
        top, other = (sample(model, check(_dropped(which, effect))) for which in DROPPED)
        stacked = [
            numpy.array([one.where(member).value for member in members.values()])
            for one in (top, other)
        ]
        compared = paired_in_one_model(*stacked)
        for position, name in enumerate(members):
            row = {column: values[position] for column, values in compared.items()}
            row = {"top": row.pop("first mean"), "random": row.pop("second mean"), **row}
            rows.append({**about(model), "predicted": name, "effect": title, **row})
    return rows


def drop_top(models: Sequence[Model], output: Output) -> None:
    """Adds the table and a figure on what setting one weight to 0 does."""
    table = pandas.DataFrame([row for model in models for row in drop_rows(model)])
    shown = table.assign(interval=interval_column(table)).rename(columns={"texts": "n"})
    columns = ["corpus", "model", "predicted", "effect", "top", "random", "difference", "interval"]
    output.table(
        DROPPED_TABLE.name,
        table,
        "What happens when the largest weight of attention is set to 0, and when that of another "
        f"token at random is (Serrano & Smith 2019). {described(models)}.",
        "The rest of the weights is renormalised. Difference: of the same texts, with its "
        f"interval; p: sign-flip permutation test. {ABOUT_INTERVALS} Texts with all weight on one "
        "token are left out.",
        shown[[*columns, "p", "n"]],
    )
    output.figure(
        "serrano-smith-drop-top-violins",
        violins(
            list(map(_drop_panel, models)), "largest weight of attention", f"{EFFECTS['tvd']} (TVD)"
        ),
        "Change of the output (total variation distance) when the largest weight of attention is "
        "set to 0, and when that of another token at random is, text by text, by the largest "
        f"weight. {described(models)}.",
        "Bar: the middle half of the texts; dot: median; below each group: the number of texts of "
        "each series.",
    )


def _drop_panel(model: Model) -> Violins:
    bins = bins_of(largest_weights([file.attention for file in model.files]))
    values = {which: sample(model, check(_dropped(which, "tvd"))).value for which in DROPPED}
    return Violins(
        f"{model.config.corpus}, {model.name}",
        {
            f"{which} weight set to 0": {name: one[inside] for name, inside in bins.items()}
            for which, one in values.items()
        },
    )


EXHIBIT = Exhibit(DROPPED_TABLE.name, DROP_TOP, drop_top, of=PERTURBED)
