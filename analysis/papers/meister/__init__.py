"""Meister et al. 2021, "Is Sparse Attention more Interpretable?"."""

from functools import partial

from analysis.papers.meister import correlations, sparsity
from analysis.papers.meister.claims import CLAIMS, PRINTED
from analysis.papers.meister.sparsity import HIDDEN, INPUTS
from analysis.papers.shared.paper import ATTENTION, INPUT_TO_HIDDEN, Exhibit, Paper, StudyExhibit

ALL = (ATTENTION, *INPUTS, *HIDDEN)
INPUTS_SEEN = (ATTENTION, *INPUTS)
swept = partial(Exhibit, fits=sparsity.swept, about=sparsity.ABOUT)

PAPER = Paper(
    "meister",
    "Meister et al. 2021",
    exhibits=(
        Exhibit(correlations.ENTROPY.name, (INPUT_TO_HIDDEN,), correlations.table_1),
        swept(sparsity.SWEEP.name, INPUTS, sparsity.table_2, least=3),
        Exhibit(correlations.ACCURACY.name, (), correlations.table_3),
        StudyExhibit(correlations.ADVERSARY.name, correlations.table_5),
        Exhibit(correlations.CORRELATIONS.name, ALL, correlations.table_6),
        Exhibit("meister-correlations", ALL, correlations.correlations),
        Exhibit("meister-entropies", (INPUT_TO_HIDDEN,), correlations.entropies),
        swept("meister-entropy-against-lambda", INPUTS, sparsity.entropy_against_lambda, least=2),
        swept(sparsity.FIGURE_3.name, INPUTS_SEEN, sparsity.figure_3, least=3),
        swept("meister-tau-against-lambda", ALL, sparsity.tau_against_lambda, least=2),
    ),
    claims=CLAIMS,
    printed=PRINTED,
)
