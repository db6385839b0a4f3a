"""What Pruthi et al. 2020 claim."""

from dataclasses import replace
from typing import Iterator

from analysis.claims.claim import Claim, Judgement
from analysis.claims.parts import above, below
from analysis.claims.table_rows import Tables, first_where, grouped
from analysis.papers.pruthi.deception import CHANCE, DECEPTION, YES
from analysis.statistics.intervals import student_interval
from analysis.written import Estimate, number

# Of all attention, on what is impermissible.
HIDDEN = 0.05
# Of accuracy.
LITTLE = 0.05


def hides_what_it_uses(tables: Tables) -> Iterator[Judgement]:
    rows = tables.rows(DECEPTION, chosen=YES)
    for _, of_model in grouped(rows, "corpus", "model", "protocol"):
        honest = first_where(of_model, strength=0)
        deceptive = max(of_model, key=lambda row: row.strength)
        if honest is None or deceptive is honest:
            continue
        accuracy, reached = (
            over_seeds(row.accuracy, row.sd_accuracy, row.seeds) for row in (honest, deceptive)
        )
        had, mass = (
            over_seeds(row.impermissible_mass, row.sd_impermissible_mass, row.seeds)
            for row in (honest, deceptive)
        )
        # Two models, whatever they have in common: that nothing at all is lost is no sign of a mistake.
        lost = replace(accuracy.minus(reached), difference=False)
        yield Judgement.of(
            deceptive,
            below(f"at strength {deceptive.strength:g} mass", mass, HIDDEN),
            below(f"accuracy lost of {number(honest.accuracy)}", lost, LITTLE),
            above("accuracy", reached, CHANCE),
            above("mass that the honest model has more", had.minus(mass), HIDDEN),
        )


def over_seeds(mean: float, deviation: float, seeds: int) -> Estimate:
    """The mean of trained models, with Student's interval; of one seed there is none."""
    return Estimate(mean, *student_interval(mean, deviation, int(seeds)))


CLAIMS = (
    Claim(
        "hides-what-it-uses",
        "Attention can be trained to hide the words that the prediction rests on, at little cost.",
        f"mass on them below {HIDDEN}, accuracy lost below {LITTLE}, accuracy above chance, {CHANCE}, and the honest model's mass more than "
        f"{HIDDEN} above: a model that no longer predicts, or never looked there, hides nothing. Trained in the way whose honest model does best on dev",
        f"more than {HIDDEN} of attention stays on them, more than {LITTLE} of accuracy is lost, accuracy is below chance, or the honest model "
        "hardly attends to them either",
        DECEPTION,
        hides_what_it_uses,
    ),
)
