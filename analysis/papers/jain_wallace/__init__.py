"""Jain & Wallace 2019, "Attention is not Explanation"."""

from analysis.papers.jain_wallace.claims import CLAIMS, PRINTED
from analysis.papers.jain_wallace.correlations import (
    ACCURACIES,
    CORRELATIONS,
    GRADIENT_DEFINITIONS,
    accuracies,
    correlations,
    random_controls,
    tau_densities,
)
from analysis.papers.jain_wallace.other_attention import (
    ADVERSARY,
    LARGEST,
    MEDIAN,
    PERMUTATION,
    adversary,
    permutation,
)
from analysis.papers.jain_wallace.supporting_facts import SUPPORTING_FACTS
from analysis.papers.shared.divergence import MAX_JSD, SUCCESS
from analysis.papers.shared.paper import JAIN_WALLACE_METHODS as METHODS
from analysis.papers.shared.paper import PERTURBED, Correction, Exhibit, Paper

PAPER = Paper(
    "jain-wallace",
    "Jain & Wallace 2019",
    exhibits=(
        Exhibit(CORRELATIONS.name, METHODS, correlations),
        Exhibit(ACCURACIES, METHODS, accuracies),
        Exhibit("jain-wallace-densities", METHODS, tau_densities),
        Exhibit(PERMUTATION.name, (MEDIAN, LARGEST), permutation, of=PERTURBED),
        Exhibit(ADVERSARY.name, (MAX_JSD, SUCCESS), adversary, of=PERTURBED),
    ),
    claims=CLAIMS,
    printed=PRINTED,
    corrections=(Correction(CORRELATIONS, random_controls),),
    more=(GRADIENT_DEFINITIONS, SUPPORTING_FACTS),
)
