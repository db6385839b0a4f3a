"""What Pruthi et al. 2020 claim."""

from typing import Iterator

from analysis.claims.claim import Claim, Judgement
from analysis.claims.parts import below
from analysis.claims.table_rows import Tables, first_where, grouped
from analysis.papers.pruthi.deception import DECEPTION
from analysis.statistics.intervals import student_interval
from analysis.written import Estimate, number

# Of all attention, on what is impermissible.
HIDDEN = 0.05
# Of accuracy.
LITTLE = 0.05


def hides_what_it_uses(tables: Tables) -> Iterator[Judgement]:
    for _, rows in grouped(tables.rows(DECEPTION), "corpus", "model", "protocol"):
        honest = first_where(rows, strength=0)
        deceptive = max(rows, key=lambda row: row.strength)
        if honest is None or deceptive is honest:
            continue
        accuracy, reached = (
            over_seeds(row.accuracy, row.sd_accuracy, row.seeds) for row in (honest, deceptive)
        )
        mass = over_seeds(
            deceptive.impermissible_mass, deceptive.sd_impermissible_mass, deceptive.seeds
        )
        parts = (
            below(f"at strength {deceptive.strength:g} mass", mass, HIDDEN),
            below(f"accuracy lost of {number(honest.accuracy)}", accuracy.minus(reached), LITTLE),
        )
        yield Judgement.of(deceptive, *parts)


def over_seeds(mean: float, deviation: float, seeds: int) -> Estimate:
    """The mean of trained models, with Student's interval; of one seed there is none."""
    return Estimate(mean, *student_interval(mean, deviation, int(seeds)))


CLAIMS = (
    Claim(
        "hides-what-it-uses",
        "Attention can be trained to hide the words that the prediction rests on, at little cost.",
        f"mass on them below {HIDDEN}, accuracy lost below {LITTLE}",
        f"more than {HIDDEN} of attention stays on them, or more than {LITTLE} of accuracy is lost",
        DECEPTION,
        hides_what_it_uses,
    ),
)
