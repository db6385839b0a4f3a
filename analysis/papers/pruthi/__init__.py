"""Pruthi et al. 2020, "Learning to Deceive with Attention-Based Explanations"."""

from analysis.papers.pruthi.claims import CLAIMS
from analysis.papers.pruthi.deception import DECEPTION, deception
from analysis.papers.shared.paper import Paper, StudyExhibit

PAPER = Paper(
    "pruthi",
    "Pruthi et al. 2020",
    exhibits=(StudyExhibit(DECEPTION.name, deception),),
    claims=CLAIMS,
    order=2,
)
