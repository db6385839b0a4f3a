"""Pruthi et al. 2020, "Learning to Deceive with Attention-Based Explanations"."""

from typing import Iterator

from analysis.claims.claim import Claim, Judgement, below
from analysis.claims.estimate import Estimate
from analysis.claims.table_rows import Row, Tables, grouped
from analysis.statistics.student import student_interval

DECEPTION = "pruthi-deception"

# Of all attention, on what is impermissible.
HIDDEN = 0.05
# Of accuracy.
LITTLE = 0.05


def hides_what_it_uses(tables: Tables) -> Iterator[Judgement]:
    rows = tables.rows(DECEPTION)
    for (corpus, model), found in grouped(("corpus", "model"), rows):
        honest = next((row for row in found if row["strength"] == 0), None)
        deceptive = max(found, key=lambda row: row["strength"])
        if honest is None or deceptive is honest:
            continue
        at = f"at strength {deceptive['strength']:g}"
        lost = over_seeds(honest, "accuracy").minus(over_seeds(deceptive, "accuracy"))
        parts = (
            below(f"{at} mass", over_seeds(deceptive, "impermissible mass"), HIDDEN),
            below(f"accuracy lost of {honest['accuracy']:.3f}", lost, LITTLE),
        )
        yield Judgement(corpus, model, parts)


def over_seeds(row: Row, name: str) -> Estimate:
    """The mean of trained models, with Student's interval; of one seed there is none."""
    return Estimate(row[name], *student_interval(row[name], row[f"sd {name}"], int(row["seeds"])))


CLAIMS = (
    Claim(
        "hides-what-it-uses",
        "Attention can be trained to hide the words that the prediction rests on, at little cost.",
        f"mass on them below {HIDDEN}, accuracy lost below {LITTLE}",
        DECEPTION,
        hides_what_it_uses,
    ),
)
