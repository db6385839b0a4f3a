"""
What a transformer that is not trained makes of the texts that others are trained on: of each text once, and
not in every epoch.
"""

import hashlib
from typing import Any, Callable, Dict

import torch

# So much is remembered: 40000 texts of 20 pieces, each a vector of 384 numbers. What comes later is computed
# each time.
MOST_BYTES = 2**30

# From embeddings and their mask to states. Shape: (batch, places, dim) and (batch, places) -> as the first
States = Callable[[torch.Tensor, torch.Tensor], torch.Tensor]


class RememberedStates:
    """
    Texts are the same where the embeddings of all their pieces are. `in_training`: some were trained on, so
    that those it is validated on come again, too.
    """

    def __init__(self, most_bytes: int = MOST_BYTES) -> None:
        self.in_training = False
        self._left = most_bytes
        self._known: Dict[bytes, torch.Tensor] = {}

    def __deepcopy__(self, memo: Any) -> "RememberedStates":
        """A copy of a model may get other parameters."""
        return RememberedStates()

    @torch.no_grad()
    def __call__(
        self, embeddings: torch.Tensor, mask: torch.Tensor, states_of: States
    ) -> torch.Tensor:
        """
        What `states_of` gives; padding, which stands behind each text, is 0.
        Shape: (batch, places, dim), (batch, places) -> (batch, places, state_dim)
        """
        lengths = mask.sum(dim=1).tolist()
        keys = [
            hashlib.sha1(row[:length].numpy().tobytes()).digest()
            for row, length in zip(embeddings.cpu(), lengths, strict=True)
        ]
        known = {key: self._known[key] for key in keys if key in self._known}
        new = [row for row, key in enumerate(keys) if key not in known]
        if new:
            for row, states in zip(new, states_of(embeddings[new], mask[new]), strict=True):
                own = states[: lengths[row]].clone()
                known[keys[row]] = own
                size = own.numel() * own.element_size()
                if keys[row] not in self._known and size <= self._left:
                    self._left -= size
                    self._known[keys[row]] = own
        rows = [known[key] for key in keys]
        states = rows[0].new_zeros(*mask.shape, rows[0].size(-1))
        for row, own in enumerate(rows):
            states[row, : len(own)] = own
        return states
