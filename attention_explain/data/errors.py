"""The exceptions for bad data: a sentence that says where it is and what is wrong with it."""

from os import PathLike
from typing import Optional, Union

from attention_explain.errors import InputError


class DataError(InputError):
    """
    Bad input data. The message is one sentence that names the file, the line where there is one,
    and the field, so that a person can open the file and mend it.
    """

    def __init__(
        self,
        problem: str,
        path: Optional[Union[str, PathLike]] = None,
        line: Optional[int] = None,
    ) -> None:
        place = "" if path is None else str(path) if line is None else f"{path}, line {line}"
        super().__init__(f"{place}: {problem}" if place else problem)

    def __reduce__(self):
        # The place is in the message already; a worker process must not prefix it again.
        return DataError, (self.message,)


class TrainingLabelsError(InputError):
    """
    Labels of the training data that no classifier can learn from. Models, which raise it, know no files: what
    started the training adds whose labels they are.
    """
