"""A token that is taken out becomes an unknown word."""

from typing import Optional

import torch
from allennlp.data import DatasetReader

from attention_explain.faithfulness.erasures.erasure import Erasure
from attention_explain.interpret.text_batch import TextBatch
from attention_explain.models import AttentionClassifier

PURPOSE = "erasure 'unk' puts the symbol of unknown words in the place of words"


@Erasure.register("unk")
class Unk(Erasure):
    """
    The text stays as long as it was. In a vocabulary of all training words the model has met no
    unknown one in training: its vector is then as it was drawn at the start.

    Registered as an `Erasure` with name "unk".
    """

    def check(self, model: AttentionClassifier, reader: Optional[DatasetReader] = None) -> None:
        model.symbol_embedding("unk", PURPOSE)

    def replacements(
        self, model: AttentionClassifier, batch: TextBatch, embeddings: torch.Tensor
    ) -> torch.Tensor:
        return model.symbol_embedding("unk", PURPOSE).expand(1, *embeddings.shape)
