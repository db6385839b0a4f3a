"""What random controls say of Jain & Wallace's correlations."""

from typing import Iterator, Sequence

import pandas

from analysis.claims.table_rows import Row, grouped
from analysis.formats import cell, markdown
from analysis.papers.shared.published import with_interval


def random_controls(rows: Sequence[Row]) -> Iterator[str]:
    """A paragraph and a table: tau of attention beside that of random scores."""
    chosen = [row for row in rows if row["predicted"] == "overall" and row["scores"] == "attention"]
    shown = [
        {
            "corpus": row["corpus"],
            "model": row["model"],
            "importance": row["importance"],
            "tau": with_interval(row),
            "random": cell(row["random mean"]),
            "permuted": cell(row["permuted mean"]),
            "above permuted": with_interval(row, "above permuted"),
            "p <= .05": cell(row["significant"]),
            "after BH": cell(row["significant BH"]),
        }
        for _, (row, *_) in grouped(("corpus", "model", "importance"), chosen)
    ]
    if shown:
        yield (
            "**Random controls.** Kendall's tau of attention with random scores, and with the importance in "
            "random order. The share of texts with p <= .05, and what is left of it when the number of texts "
            "is taken into account (Benjamini-Hochberg)."
        )
        yield markdown(pandas.DataFrame(shown))
