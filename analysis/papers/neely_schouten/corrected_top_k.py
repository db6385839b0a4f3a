"""What the corrected top-k measure changes in Neely & Schouten's Table 2."""

from typing import Iterator, Sequence

import pandas

from analysis.claims.table_rows import Row, grouped
from analysis.formats import cell, markdown
from analysis.papers.neely_schouten.claims import AS_PUBLISHED, CORRECTED
from analysis.papers.shared.published import with_interval


def corrected_top_k(rows: Sequence[Row]) -> Iterator[str]:
    """A paragraph and a table: both measures, each beside its chance."""
    chosen = [row for row in rows if row["k"] == "non-zero" and row["predicted"] == "overall"]
    measures = {
        key: {row["measure"]: row for row in alike}
        for key, alike in grouped(("corpus", "model", "importance"), chosen)
    }
    shown = [
        {
            "corpus": corpus,
            "model": model,
            "importance": importance,
            "as published": with_interval(by_measure[AS_PUBLISHED]),
            "its chance": cell(by_measure[AS_PUBLISHED]["permuted mean"]),
            "corrected": with_interval(by_measure[CORRECTED]),
            "chance": cell(by_measure[CORRECTED]["permuted mean"]),
        }
        for (corpus, model, importance), by_measure in measures.items()
        if AS_PUBLISHED in by_measure and CORRECTED in by_measure
    ]
    if shown:
        yield (
            "**Top-k agreement (k = non-zero weights of sparsemax).** The published measure leaves out the "
            "pairs of which each is in another list, and gives lists that have nothing in common nearly "
            "the best mark. Chance is what the same importance in random order gets."
        )
        yield markdown(pandas.DataFrame(shown))
