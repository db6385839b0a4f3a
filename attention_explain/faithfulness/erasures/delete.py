"""Tokens are deleted: the text gets shorter."""

import torch

from attention_explain.faithfulness.erasures.erasure import Erasure
from attention_explain.interpret.text_batch import TextBatch
from attention_explain.models import AttentionClassifier


@Erasure.register("delete")
class Delete(Erasure):
    """
    The tokens that stay move together; boundary symbols stay. Of no token at all, attention has
    nothing to see: the output is then the decoder's at a context of 0.

    Registered as an `Erasure` with name "delete".
    """

    def replacements(
        self, model: AttentionClassifier, batch: TextBatch, embeddings: torch.Tensor
    ) -> None:
        return None
