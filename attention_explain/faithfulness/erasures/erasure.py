"""What it is to take tokens out of a text: its artefacts decide results, so it is an option."""

from typing import Optional

import torch
from allennlp.common import Registrable
from allennlp.data import DatasetReader

from attention_explain.interpret.text_batch import TextBatch
from attention_explain.models import AttentionClassifier


class Erasure(Registrable):
    """
    What the model reads in the place of tokens that are taken out. A subclass implements
    `replacements`.
    """

    def check(self, model: AttentionClassifier, reader: Optional[DatasetReader] = None) -> None:
        """Says before any work that this model cannot be asked that way. `reader` is its own."""

    def replacements(
        self, model: AttentionClassifier, batch: TextBatch, embeddings: torch.Tensor
    ) -> Optional[torch.Tensor]:
        """
        What stands for each token that is taken out, where something does; for erasures that draw,
        several times, and the model's probabilities are averaged over these.
        Shape: (draws, batch, tokens, embedding_dim)
        """
        raise NotImplementedError
