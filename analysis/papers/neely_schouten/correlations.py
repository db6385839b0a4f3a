"""Neely & Schouten 2020: does sparse attention agree with importance, on whole texts and on the first k tokens?"""

from collections.abc import Sequence
from itertools import chain

import pandas

from analysis.agreement.agreement_table import OVERALL
from analysis.claims.table_rows import TypedTable
from analysis.figures.densities import densities
from analysis.models import Model
from analysis.output import Output, slug
from analysis.papers.neely_schouten.top_k import AS_PUBLISHED, DENSE, FAGIN, NON_ZERO, OF_ATTENTION
from analysis.papers.shared.agreement import (
    KENDALL,
    AgreementRow,
    DifferenceRow,
    add_differences,
    agreement_rows,
    agreements_by_model,
    compute_agreements,
    pair_panel,
)
from analysis.papers.shared.paper import JAIN_WALLACE_PAIRS as PAIRS
from analysis.papers.shared.published import (
    OURS_SELECTED,
    read_published,
    readable,
    with_difference,
    with_published,
)
from analysis.papers.shared.study_files import by_corpus, describe
from analysis.statistics.intervals import ABOUT_INTERVALS
from analysis.statistics.samples import ABOUT_SCALED

SHOWN = (
    "corpus",
    "model",
    "importance",
    "predicted",
    "published",
    "mean",
    "interval",
    "difference",
    "random mean",
    "published std",
    "std",
    "published significant",
    "significant",
    "n",
    "undefined",
    "selected on",
)
NOTE = (
    "Published: selected on dev; the first and last token of each text were cut, and padding was "
    "not masked. The paper's table does not name its scorer: it is taken for tanh with softmax. "
    f"Its shares of significant texts are those of both classes together. {OURS_SELECTED} "
    f"{ABOUT_INTERVALS}"
)


def table_1(models: Sequence[Model], output: Output) -> None:
    """Add the table of Kendall's tau compared with theirs."""
    pairs = [pair for pair in PAIRS if pair[0].name == "attention"]
    _, table = agreements_by_model(models, pairs)
    theirs = read_published("neely_schouten/table1")
    theirs = theirs.assign(encoder="bilstm", attention="tanh", projection="softmax")
    table = with_difference(with_published(table, theirs), "published")
    output.table(
        "neely-schouten-table-1",
        table,
        "Kendall's tau of attention with gradient and leave-one-out, compared with Neely & Schouten "
        f"(2020), Table 1. {describe(models)}.",
        NOTE,
        readable(table, SHOWN),
    )


def tau_densities(models: Sequence[Model], output: Output) -> None:
    """Add a figure of Kendall's tau per corpus, encoder and scorer, with one panel per projection."""
    for corpus, several in by_corpus(models).items():
        for name, alike in _by_scorer(several).items():
            panels = [pair_panel(model, model.name, PAIRS) for model in alike]
            output.figure(
                slug("neely-schouten-densities", corpus, name),
                densities(panels, "Kendall's tau", histograms=False),
                f"Kendall's tau of each two of attention, gradient and leave-one-out, text by "
                f"text. {describe(alike)}.",
                "Ticks at the foot are the means. Grey: attention against random scores.",
            )


def top_k_densities(models: Sequence[Model], output: Output) -> None:
    """Add figures of top-k agreement: as published above, as Fagin et al. define it below."""
    for corpus, several in by_corpus(models).items():
        for name, alike in _by_scorer(several).items():
            panels = [
                pair_panel(
                    model,
                    f"{model.name}\n{words}, k = {_size(model)}",
                    OF_ATTENTION,
                    f"{measure}:k={_size(model)}",
                )
                for measure, words in ((AS_PUBLISHED, "as published"), (FAGIN, "Fagin"))
                for model in alike
            ]
            output.figure(
                slug("neely-schouten-top-k-densities", corpus, name),
                densities(panels, "agreement on the top k", widest=len(alike), histograms=False),
                "Agreement of attention with gradient and leave-one-out on the top k tokens, text by text "
                f"(Neely & Schouten 2020, Figures 1 and 2). {describe(alike)}.",
                "k: the non-zero weights of sparse attention, the average length of other. Ticks at the foot are "
                "the means. Grey: attention against random scores.",
            )


def _size(model: Model) -> str:
    return "average-length" if model.config.projection in DENSE else NON_ZERO


def _by_scorer(models: Sequence[Model]) -> dict[str, list[Model]]:
    by_scorer: dict[str, list[Model]] = {}
    for model in models:
        by_scorer.setdefault(f"{model.config.encoder}-{model.config.attention}", []).append(model)
    return by_scorer


SMALL_K = TypedTable("neely-schouten-small-k", AgreementRow)
SMALL_K_DIFFERENCES = TypedTable("neely-schouten-small-k-differences", DifferenceRow)
# Numbers of tokens, and a tenth of the text.
SIZES = ("1", "3", "5", "0.1")
# With one token per list the published score is always 1.
SIZES_AS_PUBLISHED = SIZES[1:]
SMALL_K_SHOWN = ["corpus", "model", "scores", "importance", "measure", "k", "mean", "interval"]
SMALL_K_SHOWN += ["ceiling", "scaled", "permuted mean", "n", "undefined"]
SMALL_K_NOTE = (
    "k: tokens, or the share of a text's, rounded up. Ties: `fagin` takes tokens that are tied at the cut in "
    "whole, and a pair that is tied in one list alone costs half; `kendall` is tau-b over all tokens, next to it. "
    f"`as-published` forgets pairs that the lists share nothing of. {ABOUT_SCALED} {ABOUT_INTERVALS}"
)


def small_k(models: Sequence[Model], output: Output) -> None:
    """Add the table, and a table of differences between its rows."""
    measures = [f"{FAGIN}:k={k}" for k in SIZES]
    measures += [f"{AS_PUBLISHED}:k={k}" for k in SIZES_AS_PUBLISHED]
    of_models = [compute_agreements(model, PAIRS, [*measures, KENDALL]) for model in models]
    table = pandas.concat([agreement_rows(one, PAIRS) for one in of_models], ignore_index=True)
    table = table[table["predicted"] == OVERALL].reset_index(drop=True)
    table[["measure", "k"]] = table["measure"].str.split(":k=", expand=True)
    table["k"] = table["k"].fillna("all")
    output.table(
        SMALL_K.name,
        table,
        "Agreement on the first k tokens, at the same k for every model, of attention, gradient and "
        f"leave-one-out with each other. {describe(models)}.",
        SMALL_K_NOTE,
        readable(table, SMALL_K_SHOWN),
    )
    add_differences(output, SMALL_K_DIFFERENCES.name, list(chain.from_iterable(of_models)))
