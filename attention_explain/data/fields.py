"""A label that knows where it comes from, so that an unknown one can be found in its file."""

from typing import Optional

from allennlp.data import Vocabulary
from allennlp.data.fields import LabelField

from attention_explain.data.errors import DataError


class KnownLabelField(LabelField):
    """A `LabelField` whose label must be in the vocabulary, that is, in the training data."""

    __slots__ = ["_field_name", "_line", "_path"]

    def __init__(
        self,
        label: str,
        path: Optional[str] = None,
        line: Optional[int] = None,
        field_name: str = "label",
    ) -> None:
        super().__init__(label, label_namespace="labels")
        self._path = path
        self._line = line
        self._field_name = field_name

    def index(self, vocab: Vocabulary) -> None:
        known = vocab.get_token_to_index_vocabulary(self._label_namespace)
        if self.label not in known:
            names = ", ".join(repr(name) for name in known)
            raise DataError(
                f"field '{self._field_name}' is {self.label!r}, which is none of the labels of the "
                f"training data ({names})",
                self._path,
                self._line,
            )
        super().index(vocab)
