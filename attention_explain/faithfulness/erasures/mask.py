"""A token that is taken out becomes the mask, a word of its own that the model was trained with."""

from typing import Optional

import torch
from allennlp.data import DatasetReader

from attention_explain.faithfulness.erasures.erasure import Erasure
from attention_explain.interpret.text_batch import TextBatch
from attention_explain.models import AttentionClassifier

PURPOSE = (
    "erasure 'mask' is for models that were trained with masked words (the callback "
    "'erasure_training')"
)


@Erasure.register("mask")
class Mask(Erasure):
    """
    The text stays as long as it was, and is no news to a model of `erasure_training` (Madsen et al.
    2023), which has seen any share of its tokens masked.

    Registered as an `Erasure` with name "mask".
    """

    def check(self, model: AttentionClassifier, reader: Optional[DatasetReader] = None) -> None:
        model.symbol_embedding("mask", PURPOSE)

    def replacements(
        self, model: AttentionClassifier, batch: TextBatch, embeddings: torch.Tensor
    ) -> torch.Tensor:
        return model.symbol_embedding("mask", PURPOSE).expand(1, *embeddings.shape)
