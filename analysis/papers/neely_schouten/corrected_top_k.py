"""What the corrected top-k measure changes in Neely & Schouten's Table 2."""

from typing import Iterator, Sequence

import pandas

from analysis.claims.table_rows import grouped, where
from analysis.formats import cell, markdown
from analysis.papers.neely_schouten.top_k import AS_PUBLISHED, FAGIN, NON_ZERO
from analysis.papers.shared.agreement_rows import AgreementRow


def corrected_top_k(rows: Sequence[AgreementRow]) -> Iterator[str]:
    """A paragraph and a table: both measures, each beside its chance."""
    chosen = where(rows, k=NON_ZERO, predicted="overall")
    measures = {
        key: {row.measure: row for row in alike}
        for key, alike in grouped(chosen, "corpus", "model", "importance")
    }
    shown = [
        {
            "corpus": corpus,
            "model": model,
            "importance": importance,
            "as published": by_measure[AS_PUBLISHED].mean,
            "its chance": cell(by_measure[AS_PUBLISHED].permuted_mean),
            "corrected": by_measure[FAGIN].mean,
            "chance": cell(by_measure[FAGIN].permuted_mean),
        }
        for (corpus, model, importance), by_measure in measures.items()
        if AS_PUBLISHED in by_measure and FAGIN in by_measure
    ]
    if shown:
        yield (
            "**Top-k agreement (k = non-zero weights of sparsemax).** The published measure leaves out the "
            "pairs of which each is in another list, and gives lists that have nothing in common nearly "
            "the best mark. Chance is what the same importance in random order gets."
        )
        yield markdown(pandas.DataFrame(shown))
