"""The lines that `allennlp predict` reads: what a line may be, and what is wrong with a bad one."""

from typing import Any, Dict, Mapping, Optional

from allennlp.common.checks import ConfigurationError
from allennlp.common.util import JsonDict

from attention_explain.data.errors import DataError
from attention_explain.data.example import FIELDS, example_of, read_record


class InputLine(Dict[str, Any]):
    """The fields of a line, its number, and what is wrong with it if it cannot be read."""

    def __init__(self, fields: JsonDict, number: int, problem: Optional[str] = None) -> None:
        super().__init__(fields)
        self.number = number
        self.problem = problem


class BadLine(Dict[str, Any]):
    """Stands where the result of a line would, and holds the reason why there is none."""

    def __init__(self, error: ConfigurationError) -> None:
        super().__init__()
        self.error = error


def parse_line(line: str, number: int) -> InputLine:
    """
    A line is a JSON object or else a text. One that begins like an object but is none is bad: it
    is far more often broken JSON than prose.
    """
    line = line.strip("\ufeff \t\r\n")
    if not line.startswith("{"):
        return InputLine({"text": line}, number)
    try:
        return InputLine(read_record(line), number)
    except DataError as error:
        return InputLine({}, number, error.message)


def checked_fields(fields: JsonDict, names: Mapping[str, str] = FIELDS) -> Dict[str, Any]:
    """
    The fields that have a meaning, as in data files, by the names that lines have for them. A line
    without an id gets one, as there.
    """
    if not isinstance(fields, InputLine):
        return example_of(fields, names=names).given()
    if fields.problem is not None:
        raise DataError(fields.problem)
    return example_of(fields, f"line-{fields.number}", names=names).given()
