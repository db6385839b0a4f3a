"""Errors for people: one sentence, no traceback."""


class AnalysisError(Exception):
    """Something in the files, or in what was asked of them, that a person can mend."""
