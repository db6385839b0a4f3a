"""The error of everything that a user of `allennlp study` can correct."""

from attention_explain.errors import InputError


class StudyError(InputError):
    """A study file or an option that does not fit; the message says what to do."""
