"""Neely & Schouten 2020, on sparse attention and on the use of attention."""

from analysis.papers.neely_schouten.claims import CLAIMS, PRINTED
from analysis.papers.neely_schouten.correlations import (
    SMALL_K,
    small_k,
    table_1,
    tau_densities,
    top_k_densities,
)
from analysis.papers.neely_schouten.top_k import TOP_K, corrected_top_k, table_2
from analysis.papers.neely_schouten.usage_of_attention import OVER_STUDIES, USE, usage
from analysis.papers.shared.paper import JAIN_WALLACE_METHODS as METHODS
from analysis.papers.shared.paper import Correction, Exhibit, Paper, StudyExhibit

PAPER = Paper(
    "neely-schouten",
    "Neely & Schouten 2020",
    exhibits=(
        Exhibit("neely-schouten-table-1", METHODS, table_1),
        Exhibit(TOP_K.name, METHODS, table_2),
        Exhibit(SMALL_K.name, METHODS, small_k),
        Exhibit("neely-schouten-densities", METHODS, tau_densities),
        Exhibit("neely-schouten-top-k-densities", METHODS, top_k_densities),
        StudyExhibit(USE.name, usage),
    ),
    claims=CLAIMS,
    printed=PRINTED,
    corrections=(Correction(TOP_K, corrected_top_k),),
    over_studies=(OVER_STUDIES,),
)
