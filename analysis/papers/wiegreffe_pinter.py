"""
Wiegreffe & Pinter 2019: is attention needed, how much does it vary anyway, are its weights of use
to another model, and can a model be trained to attend elsewhere?
"""

from analysis.papers import adversaries, usefulness
from analysis.papers.adversary_plane import NAME as PLANE
from analysis.papers.adversary_plane import plane
from analysis.papers.exhibits import Paper, StudyExhibit
from analysis.papers.seed_variance import NAME as SEEDS
from analysis.papers.seed_variance import seeds
from analysis.papers.three_attentions import NAME as HEATMAPS
from analysis.papers.three_attentions import heatmaps

PAPER = Paper(
    "wiegreffe-pinter",
    "Wiegreffe & Pinter 2019",
    (
        StudyExhibit("wiegreffe-pinter-table-2", usefulness.table_2),
        StudyExhibit(SEEDS, seeds),
        StudyExhibit("wiegreffe-pinter-table-3", usefulness.table_3),
        StudyExhibit("wiegreffe-pinter-table-4", adversaries.table_4),
        StudyExhibit("wiegreffe-pinter-table-5", adversaries.table_5),
        StudyExhibit(PLANE, plane),
        StudyExhibit(HEATMAPS, heatmaps),
    ),
)
