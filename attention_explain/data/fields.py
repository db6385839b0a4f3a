"""
Fields of a text that know where it comes from: a label, so that an unknown one can be found in its
file; and how the words came about, given as tokens, or split from a string by the reader. A model's
vocabulary remembers that of the training texts: a string that is split otherwise than they were is
another text to the model.
"""

from typing import Any, Dict, Iterable, Optional, Set

from allennlp.data import Instance, Vocabulary
from allennlp.data.fields import LabelField, MetadataField

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


# Of the vocabulary; by its ending it has no symbols for padding and unknown words.
NAMESPACE = "text_origin_tags"
# The fields of an input that the words may come from.
TOKENS, TEXT = "tokens", "text"

REFUSED = (
    "the model was trained on texts that came as tokens, and a string would be split otherwise than "
    "they were; give its 'tokens' instead (in Python a list of words), or allow the split "
    "(split_text, on the command line --split-text)"
)
UNTOLD = (
    "this model does not tell how its training texts were split into words (it was trained before "
    "that was kept): if they came as tokens, a string may be split otherwise; look for unknown words"
)


class TextMetadataField(MetadataField):
    """What is known about a text; its origin is counted as its words are."""

    __slots__ = ["origin"]

    def __init__(self, metadata: Dict[str, Any], origin: str) -> None:
        super().__init__(metadata)
        self.origin = origin

    def count_vocab_items(self, counter: Dict[str, Dict[str, int]]) -> None:
        counter[NAMESPACE][self.origin] += 1


def check_split(
    instances: Iterable[Instance], vocab: Vocabulary, split_text: bool = False
) -> Optional[str]:
    """
    Refuses strings for a model that was trained on tokens, unless `split_text` allows it. Returns
    what is to be said where it cannot be told.
    """
    if all(_origin(instance) != TEXT for instance in instances):
        return None
    origins = training_origins(vocab)
    if origins == {TOKENS} and not split_text:
        raise DataError(REFUSED)
    return None if origins else UNTOLD


def training_origins(vocab: Vocabulary) -> Set[str]:
    """Empty for a model that was trained before its vocabulary kept them."""
    # Asking a vocabulary for a namespace makes it.
    if NAMESPACE not in vocab.get_namespaces():
        return set()
    return {TOKENS, TEXT} & set(vocab.get_token_to_index_vocabulary(NAMESPACE))


def _origin(instance: Instance) -> Optional[str]:
    """None for an instance of a reader that is not ours."""
    return getattr(instance.fields.get("metadata"), "origin", None)
