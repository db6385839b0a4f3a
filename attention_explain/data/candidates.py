"""The labels that a text may have, where those are not all: the places that a story names, say."""

from typing import Dict, Iterable, Optional

import torch
from allennlp.data import Field, Vocabulary

from attention_explain.data.errors import DataError


class CandidatesField(Field[torch.Tensor]):
    """
    True at each label that is among the candidates, of those that the training data has; words that
    are no label may be among them. Shape: (labels,)

    # Parameters

    candidates : `Iterable[str]`
    lowercase : `bool`, optional (default = `False`)
        Whether the candidates are in lower case, and the labels are to be looked up so.
    path, line : optional
        Where the text comes from, for messages.
    """

    __slots__ = ["_line", "_lowercase", "_mask", "_path", "candidates"]

    def __init__(
        self,
        candidates: Iterable[str],
        lowercase: bool = False,
        path: Optional[str] = None,
        line: Optional[int] = None,
    ) -> None:
        self.candidates = frozenset(candidates)
        self._lowercase = lowercase
        self._path = path
        self._line = line
        self._mask: Optional[torch.Tensor] = None

    def __contains__(self, label: str) -> bool:
        return (label.lower() if self._lowercase else label) in self.candidates

    def index(self, vocab: Vocabulary) -> None:
        labels = vocab.get_index_to_token_vocabulary("labels")
        among = [labels[number] in self for number in range(len(labels))]
        if not any(among):
            raise DataError(
                "none of the labels of the training data is among the candidates of this text",
                self._path,
                self._line,
            )
        self._mask = torch.tensor(among)

    def get_padding_lengths(self) -> Dict[str, int]:
        return {}

    def as_tensor(self, padding_lengths: Dict[str, int]) -> torch.Tensor:
        return self._mask

    def empty_field(self) -> "CandidatesField":
        empty = CandidatesField(())
        empty._mask = torch.zeros_like(self._mask)
        return empty
