"""The five questions about attention, one a file; and what people would mark, which is kept apart."""

from typing import List

from analysis.verdict.answers import Question
from analysis.verdict.files import Files
from analysis.verdict.places import Places
from analysis.verdict.questions.model import about_this_model
from analysis.verdict.questions.only import only_one
from analysis.verdict.questions.points import points_to_what_matters
from analysis.verdict.questions.stable import is_stable
from analysis.verdict.questions.used import is_used


def five_questions(files: Files, places: Places, beside: str) -> List[Question]:
    """In the order in which people read them; `beside` is the method to compare attention with."""
    return [
        is_used(files),
        only_one(files),
        points_to_what_matters(places, beside),
        about_this_model(files),
        is_stable(files),
    ]
