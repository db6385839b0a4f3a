"""Jain & Wallace 2019, "Attention is not Explanation"."""

from analysis.papers.jain_wallace import (
    accuracies,
    claims,
    correlations,
    instance_adversary,
    permutation,
)
from analysis.papers.jain_wallace.claims import PRINTED
from analysis.papers.jain_wallace.correlations import random_controls
from analysis.papers.jain_wallace.gradient_definitions import GRADIENT_DEFINITIONS
from analysis.papers.jain_wallace.supporting_facts import SUPPORTING_FACTS
from analysis.papers.shared.methods import JAIN_WALLACE_METHODS
from analysis.papers.shared.paper import Correction, Exhibit, Paper

PAPER = Paper(
    "jain-wallace",
    "Jain & Wallace 2019",
    exhibits=(
        Exhibit(correlations.CORRELATIONS.name, JAIN_WALLACE_METHODS, correlations.correlations),
        Exhibit(accuracies.NAME, JAIN_WALLACE_METHODS, accuracies.accuracies),
        Exhibit("jain-wallace-densities", JAIN_WALLACE_METHODS, correlations.tau_densities),
        permutation.EXHIBIT,
        instance_adversary.EXHIBIT,
    ),
    claims=claims.CLAIMS,
    printed=PRINTED,
    corrections=(Correction(correlations.CORRELATIONS, random_controls),),
    more=(GRADIENT_DEFINITIONS, SUPPORTING_FACTS),
)
