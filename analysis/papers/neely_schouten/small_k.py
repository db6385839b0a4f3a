"""
Agreement on the first few tokens, at the same k for every model: of attention with gradient and
leave-one-out, and of these with each other. Sparse attention has ties, and is not to be blamed for them.
"""

from itertools import chain
from typing import Sequence

import pandas

from analysis.agreement.agreement_table import OVERALL
from analysis.claims.table_rows import TypedTable
from analysis.models import Model
from analysis.output import Output
from analysis.papers.neely_schouten.top_k import AS_PUBLISHED, FAGIN
from analysis.papers.shared.agreeing import KENDALL, add_differences, agreed, rows_of
from analysis.papers.shared.agreement_rows import AgreementRow, DifferenceRow
from analysis.papers.shared.methods import JAIN_WALLACE_PAIRS as PAIRS
from analysis.papers.shared.published import readable
from analysis.papers.shared.study_files import described
from analysis.statistics.intervals import ABOUT_INTERVALS
from analysis.statistics.samples import ABOUT_SCALED

SMALL_K = TypedTable("neely-schouten-small-k", AgreementRow)
DIFFERENCES = TypedTable("neely-schouten-small-k-differences", DifferenceRow)
# Tokens, and a tenth of the text's.
SIZES = ("1", "3", "5", "0.1")
# With one token in each list the published score is 1 whatever the tokens are.
SIZES_AS_PUBLISHED = SIZES[1:]
SHOWN = ["corpus", "model", "scores", "importance", "measure", "k", "mean", "interval"]
SHOWN += ["ceiling", "scaled", "permuted mean", "n", "undefined"]
NOTE = (
    "k: tokens, or the share of a text's, rounded up. Ties: `fagin` takes tokens that are tied at the cut in "
    "whole, and a pair that is tied in one list alone costs half; `kendall` is tau-b over all tokens, next to it. "
    f"`as-published` forgets pairs that the lists share nothing of. {ABOUT_SCALED} {ABOUT_INTERVALS}"
)


def small_k(models: Sequence[Model], output: Output) -> None:
    """Adds the table, and that of the differences between its rows."""
    measures = [f"{FAGIN}:k={k}" for k in SIZES]
    measures += [f"{AS_PUBLISHED}:k={k}" for k in SIZES_AS_PUBLISHED]
    of_models = [agreed(model, PAIRS, [*measures, KENDALL]) for model in models]
    table = pandas.concat([rows_of(one, PAIRS) for one in of_models], ignore_index=True)
    table = table[table["predicted"] == OVERALL].reset_index(drop=True)
    table[["measure", "k"]] = table["measure"].str.split(":k=", expand=True)
    table["k"] = table["k"].fillna("all")
    output.table(
        SMALL_K.name,
        table,
        "Agreement on the first k tokens, at the same k for every model, of attention, gradient and "
        f"leave-one-out with each other. {described(models)}.",
        NOTE,
        readable(table, SHOWN),
    )
    add_differences(output, DIFFERENCES.name, list(chain.from_iterable(of_models)))
