"""The error of everything that a user of `python -m analysis` can correct."""

from attention_explain.errors import InputError


class AnalysisError(InputError):
    """A file or an option of an analysis that does not fit; the message says what to do."""
