"""The labels that a text may have, where those are not all: the places that a story names, say."""

from functools import lru_cache
from typing import Dict, Iterable, Optional

import torch
from allennlp.data import Field, Vocabulary

from attention_explain.data.errors import DataError


class CandidatesField(Field[torch.Tensor]):
    """
    True at each label that is among the candidates, of those that the training data has; words that
    are no label may be among them. Shape: (labels,)

    # Parameters

    candidates : `Optional[Iterable[str]]`
        None for every label: of a text that stands in a file beside others that may not have all.
    lowercase : `bool`, optional (default = `False`)
        Whether the candidates are in lower case, and the labels are to be looked up so.
    path, line : optional
        Where the text comes from, for messages.
    """

    __slots__ = ["_line", "_lowercase", "_mask", "_path", "candidates"]

    def __init__(
        self,
        candidates: Optional[Iterable[str]],
        lowercase: bool = False,
        path: Optional[str] = None,
        line: Optional[int] = None,
    ) -> None:
        self.candidates = None if candidates is None else frozenset(candidates)
        self._lowercase = lowercase
        self._path = path
        self._line = line
        self._mask: Optional[torch.Tensor] = None

    def __contains__(self, label: str) -> bool:
        if self.candidates is None:
            return True
        return (label.lower() if self._lowercase else label) in self.candidates

    def index(self, vocab: Vocabulary) -> None:
        labels = vocab.get_index_to_token_vocabulary("labels")
        if self.candidates is None:
            self._mask = _all_of(len(labels))
            return
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


@lru_cache
def _all_of(labels: int) -> torch.Tensor:
    """One for all texts of a corpus, which nothing changes."""
    return torch.ones(labels, dtype=torch.bool)
