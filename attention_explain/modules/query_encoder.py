"""The text in whose light another is read, as one vector."""

from typing import Optional

import torch
from allennlp.common import FromParams
from allennlp.common.checks import check_dimensions_match
from allennlp.modules import Seq2SeqEncoder, TextFieldEmbedder
from allennlp.nn.util import get_final_encoder_states, min_value_of_dtype

from attention_explain.modules.encoders.lstm import encoded
from attention_explain.named_components import check_choice

POOLINGS = ("last", "mean", "max")


class QueryEncoder(torch.nn.Module, FromParams):
    """
    # Parameters

    encoder : `Seq2SeqEncoder`
    pooling : `str`, optional (default = `"last"`)
        `last`: the last state of each direction. For encoders that do not read in one direction, the
        `mean` or the `max` over all states, as Jain & Wallace's code has it for "average" and CNN.
    embedder : `TextFieldEmbedder`, optional (default = the one of the other text)
    """

    def __init__(
        self,
        encoder: Seq2SeqEncoder,
        pooling: str = "last",
        embedder: Optional[TextFieldEmbedder] = None,
    ) -> None:
        super().__init__()
        self.encoder = encoder
        self.pooling = check_choice("pooling", pooling, POOLINGS)
        self.embedder = embedder

    def check_input_dim(self, passage_embedder: TextFieldEmbedder) -> None:
        """Raise if the embedder and the encoder of the query have different sizes."""
        check_dimensions_match(
            (self.embedder or passage_embedder).get_output_dim(),
            self.encoder.get_input_dim(),
            "output size of the query's embedder",
            "input size of query_encoder",
        )

    def get_output_dim(self) -> int:
        """The size of the query vector."""
        return self.encoder.get_output_dim()

    def forward(self, embeddings: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        """Shape: (batch, tokens, embedding_dim) -> (batch, query_dim)"""
        states = encoded(self.encoder, embeddings, mask)
        if self.pooling == "last":
            return get_final_encoder_states(states, mask, self.encoder.is_bidirectional())
        words = mask.unsqueeze(-1)
        if self.pooling == "mean":
            return (states * words).sum(dim=1) / words.sum(dim=1)
        return states.masked_fill(~words, min_value_of_dtype(states.dtype)).amax(dim=1)
