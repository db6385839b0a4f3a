"""Meister et al. 2021: do hidden states stand for their tokens, does attention find either, and what do adversaries do?"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import pandas

from analysis.agreement.agreement_table import OVERALL
from analysis.claims.table_rows import TableRow, TypedTable, estimated
from analysis.figures.densities import DensityPanel, densities
from analysis.models import Model
from analysis.output import Output, slug
from analysis.papers.meister.sparsity import HIDDEN, IMPORTANCE_OF, INPUTS, SWEEP, not_swept
from analysis.papers.shared.adversary_rows import (
    KEYS,
    SOURCE,
    AdversaryRow,
    adversary_rows,
    describe_adversaries,
    readable_adversaries,
)
from analysis.papers.shared.agreement import (
    AgreementRow,
    DifferenceRow,
    add_differences,
    agreement_values,
    agreements_by_model,
)
from analysis.papers.shared.paper import ATTENTION, GRADIENT, INPUT_TO_HIDDEN, Method
from analysis.papers.shared.per_text import PerText, check, correct, sample, summarise
from analysis.papers.shared.published import (
    OURS_SELECTED,
    about,
    as_printed,
    read_published,
    readable,
    with_difference,
    with_published,
)
from analysis.papers.shared.study_files import StudyFiles, by_corpus, describe
from analysis.statistics.intervals import ABOUT_INTERVALS
from analysis.statistics.samples import ABOUT_SCALED
from analysis.written import Estimate


@dataclass(frozen=True, kw_only=True)
class MeanRow(TableRow):
    """A mean over all texts and seeds of a model."""

    mean: Estimate = estimated()


ENTROPY = TypedTable("meister-table-1", MeanRow)
ACCURACY = TypedTable("meister-table-3", MeanRow)
CORRELATIONS = TypedTable("meister-table-6", AgreementRow)
DIFFERENCES = TypedTable("meister-table-6-differences", DifferenceRow)
SCORERS = {"bilstm": "tanh", "transformer": "dot"}
IMPORTANCES = {"input": "inputs", "hidden": "hidden states"}
SHOWN = ("published", "mean", "interval", "difference", "published std", "std", "n", "undefined")
MODEL = ("corpus", "model")
PROTOCOL = f"Published: BiLSTM with tanh, Transformer with dot attention. {OURS_SELECTED} {ABOUT_INTERVALS}"


def in_print() -> dict[str, pandas.DataFrame]:
    """The printed tables as claims read them. One accuracy is printed per encoder and corpus."""
    names = {"projection": "softmax"}
    printed = {
        table.name: _theirs(f"meister/{name}")
        for table, name in (
            (ENTROPY, "table1_entropy"),
            (ACCURACY, "table3_accuracy"),
            (CORRELATIONS, "table6_correlations"),
        )
    }
    sweep = _theirs("meister/table2_sparsity_entropy").assign(importance=GRADIENT.title)
    tables = {
        name: as_printed(table if "projection" in table else table.assign(**names), mean=2)
        for name, table in printed.items()
    }
    tables[CORRELATIONS.name] = tables[CORRELATIONS.name].rename(
        columns={"importance_of": "importance of"}
    )
    adversaries = _adversaries_in_print().rename(
        columns=lambda name: name.removeprefix("published ")
    )
    # The distance of outputs is not printed.
    adversaries = adversaries.assign(**dict.fromkeys(("tvd", "tvd low", "tvd high"), math.nan))
    return {
        **tables,
        SWEEP.name: as_printed(sweep, mean=3),
        ADVERSARY.name: as_printed(adversaries.assign(**{"lambda": math.nan}), jsd=2, accuracy=2),
    }


def table_1(models: Sequence[Model], output: Output) -> None:
    """Add the table of the entropy of the importance of inputs for a hidden state."""
    table = _with_published(_rows(models, check(INPUT_TO_HIDDEN)), "meister/table1_entropy")
    output.table(
        ENTROPY.name,
        table,
        "Normalised entropy of the importance of inputs for each hidden state, mean of each text, "
        f"compared with Meister et al. (2021), Table 1. {describe(models)}.",
        f"1: all inputs count the same; 0: one input alone counts. {PROTOCOL}",
        readable(table, [*MODEL, *SHOWN, "selected on"]),
    )


def table_3(models: Sequence[Model], output: Output) -> None:
    """Add the table of accuracies."""
    table = _with_published(_rows(models, correct), "meister/table3_accuracy")
    columns = [name for name in SHOWN if "std" not in name]
    output.table(
        ACCURACY.name,
        table,
        f"Accuracy, compared with Meister et al. (2021), Table 3. {describe(models)}.",
        "The paper gives one accuracy an encoder and corpus, whatever the projection. Undefined: "
        f"texts without a label. {PROTOCOL}",
        readable(table, [*MODEL, *columns, "selected on"]),
    )


def table_6(models: Sequence[Model], output: Output) -> None:
    """Add the table of Kendall's tau, and a table of differences between its rows."""
    pairs = [(ATTENTION, method) for method in (*INPUTS, *HIDDEN)]
    agreements, table = agreements_by_model(models, pairs)
    table = table[table["predicted"] == OVERALL].reset_index(drop=True)
    table["importance_of"] = table["second"].map(IMPORTANCE_OF)
    table = _with_published(table, "meister/table6_correlations")
    table = table.rename(columns={"importance_of": "importance of"})
    keys = [*MODEL, "importance of", "importance"]
    output.table(
        CORRELATIONS.name,
        table,
        "Kendall's tau of attention with the importance of inputs and of hidden states, compared with "
        f"Meister et al. (2021), Table 6. {describe(models)}.",
        "Agreement with hidden states is nearly a tautology under sparse attention: a state whose "
        "weight is 0 has gradient 0, and leaving it out changes nothing. Random: attention "
        f"against random scores. {ABOUT_SCALED} {PROTOCOL}",
        readable(table, [*keys, *SHOWN, "ceiling", "scaled", "random mean", "selected on"]),
    )
    add_differences(output, DIFFERENCES.name, agreements)


def _rows(models: Sequence[Model], values: PerText) -> pandas.DataFrame:
    return pandas.DataFrame([{**about(model), **summarise(model, values)} for model in models])


def _with_published(table: pandas.DataFrame, name: str) -> pandas.DataFrame:
    theirs = _theirs(name)
    if "std" not in theirs:
        theirs["std"] = math.nan
    return with_difference(with_published(table, theirs), "published")


def _theirs(name: str) -> pandas.DataFrame:
    theirs = read_published(name)
    return theirs.assign(attention=theirs["encoder"].map(SCORERS))


def correlations(models: Sequence[Model], output: Output) -> None:
    """Add a figure of Kendall's tau per corpus and encoder: one panel per kind of importance, one series per projection."""
    for corpus, encoder, alike in _by_encoder(not_swept(models)):
        output.figure(
            slug("meister-correlations", corpus, encoder),
            densities(
                [_tau_panel(alike, method) for method in (*INPUTS, *HIDDEN)],
                "Kendall's tau",
                histograms=False,
            ),
            "Kendall's tau of attention with the importance of inputs and of hidden states, text "
            f"by text. {describe(alike)}.",
            "Ticks at the foot are the means. Grey: attention of the first model against random "
            "scores.",
        )


def _tau_panel(models: Sequence[Model], method: Method) -> DensityPanel:
    agreements = [agreement_values(model, (ATTENTION, method)) for model in models]
    return DensityPanel(
        title=f"{method.title} of {IMPORTANCES[IMPORTANCE_OF[method.name]]}",
        series={
            model.name: one.observed.value.ravel()
            for model, one in zip(models, agreements, strict=True)
        },
        control=agreements[0].controls["random"].value.ravel(),
    )


def entropies(models: Sequence[Model], output: Output) -> None:
    """Add a figure of the entropies: one panel per corpus and encoder, one series per projection."""
    chosen = not_swept(models)
    panels = [
        DensityPanel(
            title=f"{corpus}, {encoder}",
            series={
                model.name.removeprefix(f"{encoder} {model.config.attention} "): sample(
                    model, check(INPUT_TO_HIDDEN)
                ).value.ravel()
                for model in alike
            },
        )
        for corpus, encoder, alike in _by_encoder(chosen)
    ]
    output.figure(
        "meister-entropies",
        densities(panels, "mean normalised entropy of a text", span=(0.0, 1.0), histograms=False),
        "Normalised entropy of the importance of inputs for hidden states, text by text. "
        f"{describe(chosen)}.",
        "1: all inputs count the same; 0: one input alone counts. Ticks at the foot are the means.",
    )


def _by_encoder(models: Sequence[Model]) -> list[tuple[str, str, list[Model]]]:
    """Triples of corpus, encoder, and their models."""
    return [
        (corpus, encoder, [model for model in several if model.config.encoder == encoder])
        for corpus, several in by_corpus(models).items()
        for encoder in dict.fromkeys(model.config.encoder for model in several)
    ]


ADVERSARY = TypedTable("meister-table-5", AdversaryRow)


def _adversaries_in_print() -> pandas.DataFrame:
    theirs = _theirs("meister/table5_adversary").rename(
        columns={"mean": "published accuracy", "jsd": "published jsd"}
    )
    theirs["frozen"] = theirs.pop("parameters") == "frozen"
    return theirs.assign(projection="softmax")


def table_5(study: StudyFiles, output: Output) -> str | None:
    """Add the table of adversaries; return a sentence on those that are left out, if any."""
    table, left_out = adversary_rows(study)
    table = table.merge(_adversaries_in_print(), on=KEYS, how="left", validate="many_to_one")
    names = ("published jsd", "jsd", "published accuracy", "accuracy", "tvd")
    output.table(
        ADVERSARY.name,
        table,
        "Adversaries with all parameters of the base but attention's frozen, and with none: "
        f"divergence of attention and accuracy, compared with Meister et al. (2021), Table 5. {describe_adversaries(table)}.",
        "The paper does not give its lambda. Published: BiLSTM with tanh, Transformer with dot "
        f"attention. {SOURCE}",
        readable_adversaries(table, names, ["frozen", "lambda"]),
    )
    return left_out
