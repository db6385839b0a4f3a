"""The classifier of pairs: one text is attended in the light of another."""

from typing import Any

from allennlp.data import Vocabulary
from allennlp.models import Model
from allennlp.modules import Seq2SeqEncoder, TextFieldEmbedder

from attention_explain.models.attention_classifier import AttentionClassifier
from attention_explain.modules.query_encoder import QueryEncoder


@Model.register("attention_pair_classifier")
class AttentionPairClassifier(AttentionClassifier):
    """
    `attention_classifier` with a fifth stage, `query`: the second text through its own encoder, as one
    vector, which attention and decoder look at (Jain & Wallace 2019). Without one it is the
    `attention_classifier`, and everything that explains the one explains the other.

    Registered as a `Model` with name "attention_pair_classifier".

    # Parameters

    query_encoder : `QueryEncoder`

    All others as in `AttentionClassifier`.
    """

    def __init__(
        self,
        vocab: Vocabulary,
        text_field_embedder: TextFieldEmbedder,
        encoder: Seq2SeqEncoder,
        query_encoder: QueryEncoder,
        **kwargs: Any,
    ) -> None:
        super().__init__(vocab, text_field_embedder, encoder, query_encoder=query_encoder, **kwargs)
