"""One labelled text as its file has it."""

from dataclasses import dataclass
from typing import Optional, Sequence

from attention_explain.data.errors import DataError


@dataclass
class Example:
    """One labelled text, before any processing."""

    id: str
    text: Optional[str] = None
    tokens: Optional[Sequence[str]] = None
    label: Optional[str] = None
    # One 0/1 a token, as long as the tokens.
    rationale: Optional[Sequence[int]] = None
    impermissible: Optional[Sequence[int]] = None
    # Where it comes from, for messages.
    path: Optional[str] = None
    line: Optional[int] = None

    def error(self, problem: str) -> DataError:
        return DataError(problem, self.path, self.line)
