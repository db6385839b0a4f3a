"""The five questions about attention, one a file; and what people would mark, which is kept apart."""

from typing import List

from analysis.verdict.answers import Question
from analysis.verdict.files import Files
from analysis.verdict.places import Places
from analysis.verdict.questions import model, only, points, stable, used


def five_questions(files: Files, places: Places, beside: str) -> List[Question]:
    """In the order in which people read them; `beside` is the method to compare attention with."""
    return [
        used.is_used(files),
        only.only_one(files),
        points.points_to_what_matters(places, beside),
        model.about_this_model(files),
        stable.is_stable(files),
    ]


def five_not_asked(why: str) -> List[Question]:
    """The same, where none is answered."""
    return [each.not_asked(why) for each in (used, only, points, model, stable)]
