"""The one exception for files that are not what was written."""


class Damaged(Exception):
    """The message is a sentence that names the file."""
