"""
Wiegreffe & Pinter 2019, "Attention is not not Explanation": is attention needed, how much does it vary anyway, are its weights of use
to another model, and can a model be trained to attend elsewhere?
"""

from analysis.papers.shared.paper import Correction, Paper, StudyExhibit
from analysis.papers.wiegreffe_pinter import adversaries, claims, usefulness
from analysis.papers.wiegreffe_pinter.adversary_plane import NAME as PLANE
from analysis.papers.wiegreffe_pinter.adversary_plane import plane
from analysis.papers.wiegreffe_pinter.seed_variance import NAME as SEEDS
from analysis.papers.wiegreffe_pinter.seed_variance import seeds
from analysis.papers.wiegreffe_pinter.three_attentions import NAME as HEATMAPS
from analysis.papers.wiegreffe_pinter.three_attentions import heatmaps
from analysis.papers.wiegreffe_pinter.true_total_variation import true_total_variation

PAPER = Paper(
    "wiegreffe-pinter",
    "Wiegreffe & Pinter 2019",
    exhibits=(
        StudyExhibit("wiegreffe-pinter-table-2", usefulness.table_2),
        StudyExhibit(SEEDS, seeds),
        StudyExhibit("wiegreffe-pinter-table-3", usefulness.table_3),
        StudyExhibit("wiegreffe-pinter-table-4", adversaries.table_4),
        StudyExhibit("wiegreffe-pinter-table-5", adversaries.table_5),
        StudyExhibit(PLANE, plane),
        StudyExhibit(HEATMAPS, heatmaps),
    ),
    claims=claims.CLAIMS,
    corrections=(Correction(claims.ADVERSARIES, true_total_variation),),
)
