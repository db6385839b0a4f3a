"""Jain & Wallace 2019: how attention agrees with gradients and with leave-one-out, by every definition of the gradient;
and the accuracies of their models.
"""

from collections.abc import Iterator, Sequence
from itertools import chain
from typing import Any

import pandas

from analysis.agreement.agreement_table import NONE, agreement_table
from analysis.agreement.agreements import Pair, Signs, agreements
from analysis.claims.table_rows import TypedTable, group_rows, where
from analysis.errors import AnalysisError
from analysis.figures.densities import densities
from analysis.formats import cell, markdown
from analysis.measures import Measure
from analysis.model_config import PLAIN
from analysis.models import Model
from analysis.output import Output, slug
from analysis.papers.shared.agreement import (
    AgreementRow,
    DifferenceRow,
    Methods,
    add_differences,
    agreement_rows,
    class_panels,
    compute_agreements,
)
from analysis.papers.shared.paper import (
    ATTENTION,
    GRADIENT_NORM,
    LEAVE_ONE_OUT,
    Exhibit,
    Exhibition,
)
from analysis.papers.shared.paper import JAIN_WALLACE_PAIRS as PAIRS
from analysis.papers.shared.per_text import correct, summarise
from analysis.papers.shared.published import (
    OURS_SELECTED,
    about,
    as_printed,
    over_classes,
    read_published,
    readable,
    with_difference,
    with_published,
)
from analysis.papers.shared.study_files import describe
from analysis.statistics.intervals import ABOUT_INTERVALS
from analysis.statistics.samples import ABOUT_SCALED, DRAWS
from analysis.written import number


def in_print() -> dict[str, pandas.DataFrame]:
    """
    The printed correlations as claims read them, means over the predicted classes. Those of gradients with
    leave-one-out are in outputs of the released code, for pair tasks only.
    """
    theirs = read_published("jain_wallace/correlations")
    theirs = theirs[theirs["protocol"] == "selected_on_test"].assign(scores="attention")
    others = read_published("jain_wallace/gradient_and_leave_one_out_of_pairs")
    table = over_classes(pandas.concat([theirs.drop(columns="protocol"), others]))
    return {CORRELATIONS.name: as_printed(table, mean=2)}


def random_controls(rows: Sequence[AgreementRow]) -> Iterator[str]:
    """A paragraph and a table: tau of attention compared with tau of random scores."""
    chosen = where(rows, predicted="overall", scores="attention")
    shown = [
        {
            "corpus": row.corpus,
            "model": row.model,
            "importance": row.importance,
            "tau": row.mean,
            "random": cell(row.random_mean),
            "permuted": cell(row.permuted_mean),
            "above permuted": row.above_permuted,
            "p <= .05": cell(row.significant),
            "after BH": cell(row.significant_bh),
        }
        for _, (row, *_) in group_rows(chosen, "corpus", "model", "importance")
    ]
    if shown:
        yield (
            "**Random controls.** Kendall's tau of attention with random scores, and with the importance in "
            "random order. The share of texts with p <= .05, and what is left of it when the number of texts "
            "is taken into account (Benjamini-Hochberg)."
        )
        yield markdown(pandas.DataFrame(shown))


CORRELATIONS = TypedTable("jain-wallace-correlations", AgreementRow)
DIFFERENCES = TypedTable("jain-wallace-correlations-differences", DifferenceRow)
SHOWN = (
    "corpus",
    "model",
    "scores",
    "importance",
    "predicted",
    "published on test",
    "published on dev",
    "their code",
    "mean",
    "interval",
    "difference",
    "ceiling",
    "scaled",
    "random mean",
    "published on dev std",
    "std",
    "published on dev significant",
    "significant",
    "n",
    "undefined",
    "selected on",
)
NOTE = (
    "Published on test: the paper's table, whose epoch was selected on the test set; published on "
    "dev: selected on dev; both with 300-dimensional fastText vectors. The difference is from the "
    "value on dev, and from the value on test where there is no other. Their code: the lowest and "
    "highest mean over seeds of the released code on the same SST files as ours. Gradient: theirs, gradient x input "
    "with attention held fixed; gradient norm: its length, attention not fixed, which is what others call so. "
    f"{OURS_SELECTED} {ABOUT_INTERVALS} Significant: share of texts with p <= .05. "
    f"{ABOUT_SCALED}"
)


def correlations(models: Sequence[Model], output: Output) -> None:
    """Add the table of Kendall's tau compared with theirs, and a table of differences between its rows."""
    of_models = [compute_agreements(model, pairs_of(model)) for model in models]
    agreements = list(chain.from_iterable(of_models))
    rows = [agreement_rows(one, pairs_of(one[0].model)) for one in of_models]
    table = pandas.concat(rows, ignore_index=True)
    theirs = read_published("jain_wallace/correlations").assign(scores="attention")
    # For pairs of texts, the released outputs also have gradient with leave-one-out.
    others = read_published("jain_wallace/gradient_and_leave_one_out_of_pairs")
    theirs = pandas.concat([theirs, others.assign(protocol="selected_on_dev")])
    theirs = theirs.assign(projection="softmax")
    for split in ("test", "dev"):
        selected = theirs[theirs["protocol"] == f"selected_on_{split}"].drop(columns="protocol")
        table = with_published(table, selected, f"published on {split}")
    table = table.merge(released_code(), how="left", validate="many_to_one")
    table = with_difference(table, "published on dev", "published on test")
    shown = table.assign(**{"their code": _ranges(table)})
    output.table(
        CORRELATIONS.name,
        table,
        "Kendall's tau of attention, gradient and leave-one-out by predicted class, compared with Jain & "
        f"Wallace (2019). {describe(models)}.",
        NOTE,
        readable(shown, SHOWN),
    )
    add_differences(output, DIFFERENCES.name, agreements)


def pairs_of(model: Model) -> tuple[Methods, ...]:
    """Their pairs, and those with the norm of the gradient if all files of the model have it."""
    if any(GRADIENT_NORM.problem(file) for file in model.files):
        return PAIRS
    return (*PAIRS, (ATTENTION, GRADIENT_NORM), (GRADIENT_NORM, LEAVE_ONE_OUT))


def _ranges(table: pandas.DataFrame) -> list[str]:
    """Ranges of the means of seeds; a dash if there are none."""
    ends = zip(table["code low"], table["code high"], strict=True)
    return ["-" if pandas.isna(low) else f"{number(low)} to {number(high)}" for low, high in ends]


def released_code() -> pandas.DataFrame:
    """Results of the released code on the shared SST files: keys, and the range of its seeds."""
    table = read_published("jain_wallace/code_on_shared_sst")
    table = table.rename(columns={"first": "scores", "second": "importance"})
    keys = ["encoder", "attention", "scores", "importance", "predicted"]
    ranges = table.groupby(keys)["mean"].agg(**{"code low": "min", "code high": "max"})
    return ranges.reset_index().assign(corpus="sst", projection="softmax", role=PLAIN)


def tau_densities(models: Sequence[Model], output: Output) -> None:
    """Add a figure of Kendall's tau per text for each model, with one panel per pair of methods."""
    for model in models:
        figure = densities(class_panels(model, PAIRS), "Kendall's tau", widest=3)
        output.figure(
            slug("jain-wallace-densities", model.config.corpus, model.name),
            figure,
            f"Kendall's tau, text by text, by predicted class. {describe([model])}.",
            "Histogram and density; ticks at the foot are the means. Grey: the first of each pair "
            "against random scores.",
        )


GRADIENT_TABLE = "gradient-definitions"
# Tau-b leaves ties out; tau-x counts them as something that both may agree on.
GRADIENT_MEASURES = {"kendall": "tau-b", "fagin:k=all": "tau-x"}
GRADIENT_SHOWN = [
    "corpus",
    "model",
    "gradient",
    "of",
    "attention fixed",
    "scores",
    "measure",
    "mean",
]
GRADIENT_SHOWN += ["interval", "ceiling", "scaled", "n", "undefined"]
LEAST = 2


def gradient_definitions(models: Sequence[Model], output: Output) -> None:
    """Add the table of tau by definition of the gradient, for models with several of them."""
    rows = [row for model in models for row in _rows(model)]
    if not rows:
        raise AnalysisError(
            "it takes an attribution file with several kinds of gradient (presets.gradient_definitions)"
        )
    table = pandas.DataFrame(rows)
    output.table(
        GRADIENT_TABLE,
        table,
        "Agreement of attention with the gradient, by what is called so: x input or its norm, of the "
        "probability or of the logit, attention held fixed or not, with its sign or by magnitude. "
        f"{describe(models)}.",
        "Tau-b leaves ties out; tau-x (Emond & Mason 2002) counts what both tie as agreement, and what one ties as "
        f"half. Jain & Wallace's is x input of the probability, fixed, by magnitude. {ABOUT_SCALED} {ABOUT_INTERVALS}",
        readable(table, GRADIENT_SHOWN),
    )


def _rows(model: Model) -> Iterator[dict[str, Any]]:
    kinds = {
        name: declared["parameters"]
        for name, declared in model.files[0].declared.items()
        if _is_gradient(declared.get("parameters", {}))
    }
    if len(kinds) < LEAST:
        return
    measures = [Measure.named(name) for name in GRADIENT_MEASURES]
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
                    "measure": GRADIENT_MEASURES[row["measure"]],
                }


def _is_gradient(options: dict[str, Any]) -> bool:
    """Whether the options are those of a gradient of inputs; integrated and smoothed gradients have others."""
    kinds = ("norm" in options) != ("absolute" in options)
    return {"of", "detach_attention"} <= set(options) and kinds and options.get("at") != "hidden"


GRADIENT_DEFINITIONS = Exhibition(
    GRADIENT_TABLE,
    "What gradient may mean",
    (Exhibit(GRADIENT_TABLE, (ATTENTION,), gradient_definitions),),
)


ACCURACIES = "jain-wallace-accuracy"
ACCURACY_SHOWN = ["corpus", "model", "published", "mean", "interval", "difference", "n", "seeds"]
ACCURACY_SHOWN += ["undefined", "selected on"]


def accuracy_table(models: Sequence[Model]) -> pandas.DataFrame:
    """One row per model, in their order, with the published accuracy if there is one."""
    rows = [{**about(model), **summarise(model, correct)} for model in models]
    theirs = read_published("jain_wallace/accuracy_of_pairs").assign(projection="softmax")
    return with_difference(with_published(pandas.DataFrame(rows), theirs), "published")


def accuracies(models: Sequence[Model], output: Output) -> None:
    """Add the table of accuracies, for pairs of texts with those of the released outputs."""
    table = accuracy_table(models)
    output.table(
        ACCURACIES,
        table,
        f"Accuracy, of pairs compared with Jain & Wallace (2019). {describe(models)}.",
        "Published: outputs of the released code, trained on all pairs of SNLI and on the large training "
        "set of bAbI 3, where the configs here have a part; nothing of single texts. Undefined: texts "
        "without a label. "
        f"{OURS_SELECTED} {ABOUT_INTERVALS}",
        readable(table, ACCURACY_SHOWN),
    )
