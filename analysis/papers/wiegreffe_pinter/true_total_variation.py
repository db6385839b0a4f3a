"""What the true total variation changes in Wiegreffe & Pinter's Table 5."""

from typing import Iterator, Sequence

import pandas

from analysis.claims.table_rows import grouped
from analysis.formats import cell, markdown
from analysis.papers.shared.adversary_rows import AdversaryRow


def true_total_variation(rows: Sequence[AdversaryRow]) -> Iterator[str]:
    """A paragraph and a table: theirs, theirs doubled, and ours, where there is theirs."""
    known = [row for row in rows if pandas.notna(row.true_published_tvd)]
    shown = [
        {
            "corpus": row.corpus,
            "lambda": f"{row.lambda_as_published:g}",
            "TVD as published": cell(row.true_published_tvd / 2),
            "true TVD of theirs": cell(row.true_published_tvd),
            "TVD here": row.tvd,
            "JSD published": cell(row.published_jsd),
            "JSD here": row.jsd,
        }
        for _, (row, *_) in grouped(known, "corpus", "model", "lambda_")
    ]
    if shown:
        yield (
            "**Total variation.** Wiegreffe & Pinter's code halves it once too often: the true one is twice "
            "what is published, and a lambda of theirs is half of that which weighs the true one the same."
        )
        yield markdown(pandas.DataFrame(shown))
