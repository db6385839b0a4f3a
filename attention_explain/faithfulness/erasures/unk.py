"""A token that is taken out becomes an unknown word."""

from typing import Optional

import torch
from allennlp.data import DatasetReader

from attention_explain.faithfulness.erasures.erasure import Erasure
from attention_explain.faithfulness.erasures.symbol import symbol_embedding
from attention_explain.interpret.text_batch import TextBatch
from attention_explain.models import AttentionClassifier
from attention_explain.models.symbols import symbol_ids

PURPOSE = "erasure 'unk' puts the symbol of unknown words in the place of words"


@Erasure.register("unk")
class Unk(Erasure):
    """
    The text stays as long as it was. In a vocabulary of all training words the model has met no
    unknown one in training: its vector is then as it was drawn at the start.

    Registered as an `Erasure` with name "unk".
    """

    def check(self, model: AttentionClassifier, reader: Optional[DatasetReader] = None) -> None:
        symbol_ids(model, model.vocab._oov_token, PURPOSE)

    def replacements(
        self, model: AttentionClassifier, batch: TextBatch, embeddings: torch.Tensor
    ) -> torch.Tensor:
        ids = symbol_ids(model, model.vocab._oov_token, PURPOSE)
        return symbol_embedding(model, batch, ids).expand(1, *embeddings.shape)
