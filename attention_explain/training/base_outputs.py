"""What the base model makes of the texts of a batch, looked up and not computed."""

from typing import Dict, Sequence, Tuple

import pyarrow
import torch

from attention_explain.training.base_model import BaseModel, table_labels
from attention_explain.training.base_text import Text


class BaseOutputs:
    """
    Probabilities and attention of the base by text, each with exactly the weights of its tokens. A
    text that was never added (those of the test split, which a trainer does not know) is computed
    when it comes.

    """

    def __init__(self, base: BaseModel) -> None:
        self._base = base
        self._known: Dict[bytes, Tuple[torch.Tensor, torch.Tensor]] = {}

    def add(self, table: pyarrow.Table) -> None:
        """Takes in outputs as `BaseModel.outputs` gives them."""
        order = self._base.label_order(table_labels(table))
        # Shape: (texts, labels)
        probs = _numbers(table["probs"]).view(table.num_rows, -1)[:, order]
        lengths = table["attention"].combine_chunks().value_lengths().to_pylist()
        attention = _numbers(table["attention"]).split(lengths)
        self._known.update(zip(table["key"].to_pylist(), zip(probs, attention)))

    def batch(self, texts: Sequence[Text], mask: torch.Tensor) -> Tuple[torch.Tensor, torch.Tensor]:
        """
        # Parameters

        texts : `Sequence[Text]`
        mask : `torch.BoolTensor`
            Shape: (batch, tokens). True at the text's own tokens.

        # Returns

        probs : `torch.Tensor`. Shape: (batch, labels)
        attention : `torch.Tensor`. Shape: (batch, tokens)
        """
        keys = [text.key for text in texts]
        unknown = {key: text for key, text in zip(keys, texts) if key not in self._known}
        if unknown:
            self.add(self._base.outputs(list(unknown.values())))
        probs, weights = zip(*(self._known[key] for key in keys))
        attention = torch.zeros(mask.shape, device=mask.device)
        # Row by row, in the order of the tokens: exactly the order of the weights.
        attention[mask] = torch.cat(weights).to(mask.device)
        return torch.stack(probs).to(mask.device), attention


def _numbers(column: pyarrow.ChunkedArray) -> torch.Tensor:
    return torch.tensor(column.combine_chunks().flatten().to_numpy())
