"""What random controls say of Jain & Wallace's correlations."""

from typing import Iterator, Sequence

import pandas

from analysis.claims.table_rows import grouped, where
from analysis.formats import cell, markdown
from analysis.papers.shared.agreement_rows import AgreementRow


def random_controls(rows: Sequence[AgreementRow]) -> Iterator[str]:
    """A paragraph and a table: tau of attention beside that of random scores."""
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
        for _, (row, *_) in grouped(chosen, "corpus", "model", "importance")
    ]
    if shown:
        yield (
            "**Random controls.** Kendall's tau of attention with random scores, and with the importance in "
            "random order. The share of texts with p <= .05, and what is left of it when the number of texts "
            "is taken into account (Benjamini-Hochberg)."
        )
        yield markdown(pandas.DataFrame(shown))
