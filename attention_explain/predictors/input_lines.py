"""The lines that `allennlp predict` reads: what a line may be, and what is wrong with a bad one."""

from dataclasses import dataclass
from typing import Any, Collection, Dict, Mapping, Optional

from allennlp.common.util import JsonDict

from attention_explain.data.errors import DataError
from attention_explain.data.example import FIELDS, example_of, read_record
from attention_explain.errors import InputError


@dataclass(frozen=True)
class Place:
    """file : None where lines come from elsewhere, and AllenNLP hands over no blank one."""

    number: int
    file: Optional[str] = None

    def error(self, message: str) -> DataError:
        if self.file is None:
            return DataError(message, f"line {self.number} of the input (blank lines not counted)")
        return DataError(message, self.file, self.number)


class InputLine(Dict[str, Any]):
    """The fields of a line, where it stands, and what is wrong with it if it cannot be read."""

    def __init__(self, fields: JsonDict, place: "Place", problem: Optional[str] = None) -> None:
        super().__init__(fields)
        self.place = place
        self.problem = problem


class BadLine(Dict[str, Any]):
    """Stands where the result of a line would, and holds the reason why there is none."""

    def __init__(self, error: InputError) -> None:
        super().__init__()
        self.error = error


def parse_line(line: str, place: Place) -> InputLine:
    """
    A line is a JSON object or else a text. One that begins like an object but is none is bad: it
    is far more often broken JSON than prose.
    """
    line = line.strip("\ufeff \t\r\n")
    if not line.startswith("{"):
        return InputLine({"text": line}, place)
    try:
        return InputLine(read_record(line), place)
    except DataError as error:
        return InputLine({}, place, error.message)


def checked_fields(
    fields: JsonDict, names: Mapping[str, str] = FIELDS, disallowed: Collection[str] = ()
) -> Dict[str, Any]:
    """
    The fields that have a meaning, as in data files, by the names that lines have for them. A line
    without an id gets one, as there. `disallowed` fields raise.
    """
    if not isinstance(fields, InputLine):
        return example_of(fields, names=names, disallowed=disallowed).given()
    if fields.problem is not None:
        raise DataError(fields.problem)
    id = f"line-{fields.place.number}"
    return example_of(fields, id, names=names, disallowed=disallowed).given()
