"""One labelled text as its file has it."""

from dataclasses import dataclass
from typing import Optional, Sequence

from attention_explain.data.errors import DataError
from heatmaps.rationales import Rationale


def whole_characters(text: str) -> str:
    """JSON can spell half a character, which no file can hold, and no tokenizer takes."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode("utf-8")


@dataclass
class Example:
    """One labelled text, before any processing."""

    id: str
    text: Optional[str] = None
    tokens: Optional[Sequence[str]] = None
    label: Optional[str] = None
    # One 0/1 a token, as long as the tokens; the rationale may have one such list an annotator.
    rationale: Optional[Rationale] = None
    impermissible: Optional[Sequence[int]] = None
    # Where it comes from, for messages.
    path: Optional[str] = None
    line: Optional[int] = None

    def mend_halves(self) -> bool:
        """Whether anything was half a character, and is now the mark that stands for it in files."""
        mended = False
        for name in ("id", "text", "label"):
            value = getattr(self, name)
            if isinstance(value, str) and (whole := whole_characters(value)) != value:
                setattr(self, name, whole)
                mended = True
        tokens = [whole_characters(str(token)) for token in self.tokens or ()]
        if self.tokens is not None and tokens != list(map(str, self.tokens)):
            self.tokens = tokens
            mended = True
        return mended

    def error(self, problem: str) -> DataError:
        return DataError(problem, self.path, self.line)
