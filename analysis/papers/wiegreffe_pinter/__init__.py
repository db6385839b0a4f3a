"""
Wiegreffe & Pinter 2019, "Attention is not not Explanation": is attention needed, how much does it vary between seeds, do
its weights help another model, and can a model be trained to attend elsewhere?
"""

from analysis.papers.shared.paper import Correction, Paper, StudyExhibit
from analysis.papers.wiegreffe_pinter import adversaries, usefulness
from analysis.papers.wiegreffe_pinter.adversaries import (
    ADVERSARIES,
    table_4,
    table_5,
    true_total_variation,
)
from analysis.papers.wiegreffe_pinter.adversary_plane import NAME as PLANE
from analysis.papers.wiegreffe_pinter.adversary_plane import plane
from analysis.papers.wiegreffe_pinter.claims import CLAIMS, PRINTED
from analysis.papers.wiegreffe_pinter.seed_variance import SEEDS_TABLE, seeds
from analysis.papers.wiegreffe_pinter.three_attentions import NAME as HEATMAPS
from analysis.papers.wiegreffe_pinter.three_attentions import heatmaps
from analysis.papers.wiegreffe_pinter.usefulness import (
    CORPORA_TABLE,
    GUIDES_TABLE,
    UNIFORM_TABLE,
    table_1,
    table_2,
    table_3,
)

PAPER = Paper(
    "wiegreffe-pinter",
    "Wiegreffe & Pinter 2019",
    exhibits=(
        StudyExhibit(CORPORA_TABLE, table_1),
        StudyExhibit(UNIFORM_TABLE.name, table_2),
        StudyExhibit(SEEDS_TABLE.name, seeds),
        StudyExhibit(GUIDES_TABLE.name, table_3),
        StudyExhibit("wiegreffe-pinter-table-4", table_4),
        StudyExhibit(ADVERSARIES.name, table_5),
        StudyExhibit(PLANE, plane),
        StudyExhibit(HEATMAPS, heatmaps),
    ),
    claims=CLAIMS,
    printed=PRINTED,
    in_print=lambda: {**usefulness.in_print(), **adversaries.in_print()},
    corrections=(Correction(ADVERSARIES, true_total_variation),),
)
