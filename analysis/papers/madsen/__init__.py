"""
Madsen et al. 2021, "Evaluating the Faithfulness of Importance Measures in NLP by Recursively Masking
Allegedly Important Tokens and Retraining".
"""

from analysis.papers.madsen.claims import CLAIMS
from analysis.papers.madsen.recursive_roar import recursive_roar
from analysis.papers.shared.paper import Paper, StudyExhibit

PAPER = Paper(
    "madsen",
    "Madsen et al. 2021",
    exhibits=(StudyExhibit("recursive-roar", recursive_roar),),
    claims=CLAIMS,
    order=1,
)
