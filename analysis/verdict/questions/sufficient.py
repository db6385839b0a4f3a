"""Are the words with large weights sufficient for the prediction? Keep them alone and ask the model."""

from analysis.verdict.question import Requirements
from analysis.verdict.questions.necessary import ByRemoval
from analysis.verdict.scores import SUFFICIENCY


class Sufficient(ByRemoval):
    name = "sufficient"
    title = "its top words are sufficient?"
    column = "sufficient"
    measure = "sufficiency score (0 = random order, 1 = best order found)"
    papers = ("DeYoung et al. 2020", "Zhou & Shah 2022")
    requires = Requirements(measures=(SUFFICIENCY,))
    removal_measure = SUFFICIENCY
    removing = "keeping only its top words"
