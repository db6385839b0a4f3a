"""
How tau of attention with the gradient depends on what is called gradient. No table of the paper, and made
from files of its own: a section of the report apart from it.
"""

from typing import Any, Dict, Iterator, Sequence

import pandas

from analysis.agreement.agreement_table import NONE, agreement_table
from analysis.agreement.agreements import Pair, Signs, agreements
from analysis.errors import AnalysisError
from analysis.measures import Measure
from analysis.models import Model
from analysis.output import Output
from analysis.papers.shared.methods import ATTENTION
from analysis.papers.shared.paper import Exhibit, Exhibition
from analysis.papers.shared.published import about, readable
from analysis.papers.shared.study_files import described
from analysis.statistics.intervals import ABOUT_INTERVALS
from analysis.statistics.samples import ABOUT_SCALED, DRAWS

NAME = "gradient-definitions"
# Ties are left out of tau-b, and count as what both may agree on in the other.
MEASURES = {"kendall": "tau-b", "fagin:k=all": "tau-x"}
SHOWN = ["corpus", "model", "gradient", "of", "attention fixed", "scores", "measure", "mean"]
SHOWN += ["interval", "ceiling", "scaled", "n", "undefined"]
LEAST = 2


def gradient_definitions(models: Sequence[Model], output: Output) -> None:
    """Adds the table, of all models that have several."""
    rows = [row for model in models for row in _rows(model)]
    if not rows:
        raise AnalysisError(
            "it takes an attribution file with several kinds of gradient (presets.gradient_definitions)"
        )
    table = pandas.DataFrame(rows)
    output.table(
        NAME,
        table,
        "Agreement of attention with the gradient, by what is called so: x input or its norm, of the "
        "probability or of the logit, attention held fixed or not, with its sign or by magnitude. "
        f"{described(models)}.",
        "Tau-b leaves ties out; tau-x (Emond & Mason 2002) counts what both tie as agreement, and what one ties as "
        f"half. Jain & Wallace's is x input of the probability, fixed, by magnitude. {ABOUT_SCALED} {ABOUT_INTERVALS}",
        readable(table, SHOWN),
    )


def _rows(model: Model) -> Iterator[Dict[str, Any]]:
    kinds = {
        name: declared["parameters"]
        for name, declared in model.files[0].declared.items()
        if _is_gradient(declared.get("parameters", {}))
    }
    if len(kinds) < LEAST:
        return
    measures = [Measure.named(name) for name in MEASURES]
    pairs = [Pair(ATTENTION.name, name) for name in kinds]
    for signs in (Signs.GIVEN, Signs.SIZES):
        agreed = agreements(model, pairs, measures, DRAWS, signs=signs)
        for row in agreement_table(agreed, by=NONE).to_dict("records"):
            options = kinds[row["second"]]
            signed = model.files[0].signed(row["second"])
            if signed or signs is Signs.SIZES:
                yield {
                    **row,
                    **about(model),
                    "gradient": "norm" if "norm" in options else "x input",
                    "of": options["of"],
                    "attention fixed": "yes" if options["detach_attention"] else "no",
                    "scores": "signed" if signs is Signs.GIVEN else "by magnitude",
                    "measure": MEASURES[row["measure"]],
                }


def _is_gradient(options: Dict[str, Any]) -> bool:
    """Of inputs; integrated and smoothed ones have no such option."""
    kinds = ("norm" in options) != ("absolute" in options)
    return {"of", "detach_attention"} <= set(options) and kinds and options.get("at") != "hidden"


GRADIENT_DEFINITIONS = Exhibition(
    NAME, "What gradient may mean", (Exhibit(NAME, (ATTENTION,), gradient_definitions),)
)
