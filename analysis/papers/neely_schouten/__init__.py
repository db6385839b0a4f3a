"""Neely & Schouten 2020, on sparse attention and on the use of attention."""

from analysis.papers.neely_schouten import correlations, usage_of_attention
from analysis.papers.neely_schouten.claims import CLAIMS, PRINTED
from analysis.papers.neely_schouten.small_k import SMALL_K, small_k
from analysis.papers.neely_schouten.top_k import TOP_K, corrected_top_k, table_2
from analysis.papers.shared.methods import JAIN_WALLACE_METHODS
from analysis.papers.shared.paper import Correction, Exhibit, Paper, StudyExhibit

PAPER = Paper(
    "neely-schouten",
    "Neely & Schouten 2020",
    exhibits=(
        Exhibit("neely-schouten-table-1", JAIN_WALLACE_METHODS, correlations.table_1),
        Exhibit(TOP_K.name, JAIN_WALLACE_METHODS, table_2),
        Exhibit(SMALL_K.name, JAIN_WALLACE_METHODS, small_k),
        Exhibit("neely-schouten-densities", JAIN_WALLACE_METHODS, correlations.tau_densities),
        Exhibit(
            "neely-schouten-top-k-densities", JAIN_WALLACE_METHODS, correlations.top_k_densities
        ),
        StudyExhibit(usage_of_attention.USE.name, usage_of_attention.usage),
    ),
    claims=CLAIMS,
    printed=PRINTED,
    corrections=(Correction(TOP_K, corrected_top_k),),
    over_studies=(usage_of_attention.OVER_STUDIES,),
)
