"""What Madsen et al. 2021 claim."""

from typing import Iterator

from analysis.claims.claim import Claim, Judgement
from analysis.claims.parts import below
from analysis.claims.table_rows import Tables, first_where, grouped
from analysis.papers.madsen.recursive_roar import AREAS

# Of RACU: what fifty passes would have to be worth.
LITTLE = 0.05


def integrating_is_not_worth_it(tables: Tables) -> Iterator[Judgement]:
    for _, rows in grouped(tables.rows(AREAS), "corpus", "model", "protocol"):
        integrated = first_where(rows, method="integrated-gradients")
        gradient = first_where(rows, method="gradient-x-input")
        if integrated is not None and gradient is not None:
            words = (
                f"RACU of integrated gradients {integrated.racu}, of gradient x input "
                f"{gradient.racu}; difference"
            )
            more = integrated.racu.minus(gradient.racu)
            yield Judgement.of(integrated, below(words, more, LITTLE))


CLAIMS = (
    Claim(
        "integrating-is-not-worth-it",
        "What integrated gradients cost is rarely justified: they are hardly more faithful than one gradient.",
        f"RACU of integrated gradients less that of gradient x input is below {LITTLE}",
        f"integrated gradients take the model down by a RACU of {LITTLE} more",
        AREAS,
        integrating_is_not_worth_it,
    ),
)
