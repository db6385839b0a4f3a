"""What Pruthi et al. 2020 claim."""

from dataclasses import replace
from typing import Iterator

from analysis.claims.claim import Claim, Judgement
from analysis.claims.parts import above, below
from analysis.claims.table_rows import Tables, first_where, grouped
from analysis.papers.pruthi.deception import DECEPTION, YES
from analysis.statistics.intervals import student_interval
from analysis.written import Estimate, number

# Of all attention, on what is impermissible.
HIDDEN = 0.05
# Of accuracy.
LITTLE = 0.05
# Accuracy by chance: the paper's corpora have two classes of about the same size.
CHANCE = 0.5


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
        mass = over_seeds(
            deceptive.impermissible_mass, deceptive.sd_impermissible_mass, deceptive.seeds
        )
        # Two models, whatever they have in common: that nothing at all is lost is no sign of a mistake.
        lost = replace(accuracy.minus(reached), difference=False)
        yield Judgement.of(
            deceptive,
            below(f"at strength {deceptive.strength:g} mass", mass, HIDDEN),
            below(f"accuracy lost of {number(honest.accuracy)}", lost, LITTLE),
            above("accuracy", reached, CHANCE),
        )


def over_seeds(mean: float, deviation: float, seeds: int) -> Estimate:
    """The mean of trained models, with Student's interval; of one seed there is none."""
    return Estimate(mean, *student_interval(mean, deviation, int(seeds)))


CLAIMS = (
    Claim(
        "hides-what-it-uses",
        "Attention can be trained to hide the words that the prediction rests on, at little cost.",
        f"mass on them below {HIDDEN}, accuracy lost below {LITTLE}, and accuracy above chance, {CHANCE}: a model "
        "that no longer predicts hides nothing. Trained in the way whose honest model does best on dev",
        f"more than {HIDDEN} of attention stays on them, more than {LITTLE} of accuracy is lost, or accuracy is "
        "below chance",
        DECEPTION,
        hides_what_it_uses,
    ),
)
