"""The answers of the verdict."""

from enum import StrEnum


class Answer(StrEnum):
    """The answer to a question."""

    YES = "yes"
    NO = "no"
    PARTLY = "partly"
    INCONCLUSIVE = "inconclusive"
    # Only for a question that is asked for each removal method.
    DEPENDS = "depends on how words are removed"
