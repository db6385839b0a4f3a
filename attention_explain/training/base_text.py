"""What a base model must be told of a text to make of it what it has to be compared with."""

from typing import Any, Dict, List, Mapping, NamedTuple, Optional, Sequence

from attention_explain.data.example import text_key


class Text(NamedTuple):
    """Its id and tokens; of a pair, also the query, and the candidates where its line names them."""

    id: str
    tokens: Sequence[str]
    query: Optional[Sequence[str]] = None
    candidates: Optional[Sequence[str]] = None

    @property
    def key(self) -> bytes:
        """What it is known by. No token is empty, so that nothing is mistaken for what is between two."""
        if self.query is None:
            return text_key(self.id, self.tokens)
        return text_key(self.id, [*self.tokens, "", *self.query, "", *(self.candidates or ())])


def text_of(metadata: Mapping[str, Any]) -> Text:
    """From an instance's metadata."""
    return Text(**{name: metadata.get(name) for name in Text._fields})


def texts_of(output: Dict[str, Any]) -> List[Text]:
    """From an output of the model that is trained."""
    none = [None] * len(output["ids"])
    columns = (output["ids"], *(output.get(name, none) for name in Text._fields[1:]))
    return [Text(*row) for row in zip(*columns, strict=True)]
