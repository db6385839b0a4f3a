"""Exceptions for bad data: they say where it is and what is wrong with it."""

from os import PathLike

from attention_explain.errors import InputError


class DataError(InputError):
    """
    Bad input data. The message names the file, the line if there is one, and the field, so that a
    person can open the file and fix it.
    """

    def __init__(
        self,
        problem: str,
        path: str | PathLike | None = None,
        line: int | None = None,
    ) -> None:
        location = "" if path is None else str(path) if line is None else f"{path}, line {line}"
        super().__init__(f"{location}: {problem}" if location else problem)

    def __reduce__(self):
        # The location is in the message already; a worker process must not prefix it again.
        return DataError, (self.message,)


class TrainingLabelsError(InputError):
    """
    Labels of the training data that no classifier can learn from. Models raise it without the file;
    the caller that started the training adds it.
    """
