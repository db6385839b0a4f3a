"""The questions of the verdict, one per file, registered in the order in which people read them."""

from analysis.verdict.question import QUESTIONS, Component, register
from analysis.verdict.questions.direction import Direction
from analysis.verdict.questions.necessary import Necessary
from analysis.verdict.questions.plausible import Plausible
from analysis.verdict.questions.specific import Specific
from analysis.verdict.questions.stable import Stable
from analysis.verdict.questions.sufficient import Sufficient
from analysis.verdict.questions.unique import Unique
from analysis.verdict.questions.used import Used
from analysis.verdict.questions.where import Where

for question in (
    Where(),
    Direction(),
    Necessary(),
    Sufficient(),
    Used(),
    Unique(),
    Specific(),
    Stable(),
    Plausible(),
):
    register(question)


def required_components(quick: bool = False) -> tuple[list[str], list[Component]]:
    """The perturbations and the faithfulness measures that all questions need."""
    perturbations: list[str] = []
    measures: list[Component] = []
    for each in QUESTIONS.values():
        perturbations += each.requires.perturbations
        measures += each.requires.measures + (() if quick else each.requires.slow_measures)
    unique = [each for index, each in enumerate(measures) if each not in measures[:index]]
    return list(dict.fromkeys(perturbations)), unique
