"""The embedding of a token that is taken out is set to 0."""

import torch

from attention_explain.faithfulness.erasures.erasure import Erasure
from attention_explain.interpret.baselines import baseline_embeddings
from attention_explain.interpret.text_batch import TextBatch
from attention_explain.models import AttentionClassifier


@Erasure.register("zero")
class Zero(Erasure):
    """
    The text stays as long as it was.

    Registered as an `Erasure` with name "zero".
    """

    def replacements(
        self, model: AttentionClassifier, batch: TextBatch, embeddings: torch.Tensor
    ) -> torch.Tensor:
        return baseline_embeddings(model, batch, embeddings, "zero").unsqueeze(0)
