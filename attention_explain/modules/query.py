"""The second text of a pair, as the model has read it: what attention and decoder are told of it."""

from dataclasses import dataclass
from typing import Optional, Union

import torch


@dataclass(frozen=True)
class Query:
    """
    state : the query as one vector. Shape: (rows, query_dim)
    candidates : True at the labels that the pair may have; None where it may have all.
        Shape: (rows, labels)
    """

    state: torch.Tensor
    candidates: Optional[torch.Tensor] = None

    @property
    def width(self) -> int:
        """How many places it takes in a pass: it is one vector."""
        return 0

    def __getitem__(self, rows: Union[torch.Tensor, slice]) -> "Query":
        """Of some of the rows, or of copies of them."""
        candidates = None if self.candidates is None else self.candidates[rows]
        return Query(self.state[rows], candidates)
