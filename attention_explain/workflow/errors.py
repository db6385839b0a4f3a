"""Errors for people: one sentence, no traceback."""


class StudyError(Exception):
    """Something in a study, or in what was asked of it, that a person can mend."""
