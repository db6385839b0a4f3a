"""The encoder with self-attention, whose projection is pluggable and whose maps can be had."""

import math
from collections.abc import Callable, Sequence

import torch
from allennlp.modules import Seq2SeqEncoder
from torch.utils.checkpoint import checkpoint

from attention_explain.errors import InputError
from attention_explain.modules.projections import Projection, Softmax
from attention_explain.named_components import check_choice
from attention_explain.passes import rows_at_once

POSITIONS = ("sinusoidal", "learned", "none")


@Seq2SeqEncoder.register("transformer")
class TransformerEncoder(Seq2SeqEncoder):
    """
    A Transformer encoder (Vaswani et al. 2017, layer norm after each block). The inputs are first
    mapped to `hidden_dim` where their size is another one.

    Registered as a `Seq2SeqEncoder` with name "transformer".

    # Parameters

    input_dim : `int`
    hidden_dim : `int`, optional (default = `128`)
    num_layers : `int`, optional (default = `2`)
    num_heads : `int`, optional (default = `1`)
    feedforward_dim : `int`, optional (default = 4 * `hidden_dim`)
    projection : `Projection`, optional (default = `softmax`)
        Of the self-attention; parameters, if it has any, are shared by all layers and heads.
    positions : `str`, optional (default = `"sinusoidal"`)
        `sinusoidal`, `learned` or `none`.
    max_tokens : `int`, optional (default = `512`)
        The longest text, for `learned` positions only.
    dropout : `float`, optional (default = `0.0`)
    """

    _sinusoids: torch.Tensor

    def __init__(
        self,
        input_dim: int,
        hidden_dim: int = 128,
        num_layers: int = 2,
        num_heads: int = 1,
        feedforward_dim: int | None = None,
        projection: Projection | None = None,
        positions: str = "sinusoidal",
        max_tokens: int = 512,
        dropout: float = 0.0,
    ) -> None:
        super().__init__()
        check_choice("positions", positions, POSITIONS)
        if hidden_dim % num_heads != 0:
            raise InputError(
                f"hidden_dim ({hidden_dim}) must be a multiple of num_heads ({num_heads})"
            )
        self.input_dim = input_dim
        self.hidden_dim = hidden_dim
        self.positions = positions
        self.input_layer = (
            torch.nn.Linear(input_dim, hidden_dim)
            if input_dim != hidden_dim
            else torch.nn.Identity()
        )
        if positions == "learned":
            self.position_embedding = torch.nn.Embedding(max_tokens, hidden_dim)
        if positions == "sinusoidal":
            # Next to the weights, on their device; part of no archive.
            self.register_buffer("_sinusoids", sinusoids(max_tokens, hidden_dim), persistent=False)
        projection = projection or Softmax()
        self.layers = torch.nn.ModuleList(
            TransformerLayer(
                hidden_dim, num_heads, feedforward_dim or 4 * hidden_dim, projection, dropout
            )
            for _ in range(num_layers)
        )
        self.dropout = torch.nn.Dropout(dropout)

    def forward(self, inputs: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        states = self.dropout(self.input_layer(inputs) + self._position_vectors(inputs))
        for layer in self.layers:
            states = layer(states, mask)
        return states * mask.unsqueeze(-1)

    def _position_vectors(self, inputs: torch.Tensor) -> torch.Tensor:
        length = inputs.size(1)
        if self.positions == "none":
            return inputs.new_zeros(())
        if self.positions == "sinusoidal":
            if length > len(self._sinusoids):
                self._sinusoids = sinusoids(length, self.hidden_dim).to(self._sinusoids)
            return self._sinusoids[:length].to(inputs)
        limit = self.position_embedding.num_embeddings
        if length > limit:
            raise InputError(
                f"a text has {length} tokens, but learned positions end at max_tokens = {limit}"
            )
        return self.position_embedding.weight[:length]

    def get_input_dim(self) -> int:
        return self.input_dim

    def get_output_dim(self) -> int:
        return self.hidden_dim

    def is_bidirectional(self) -> bool:
        return False


class TransformerLayer(torch.nn.Module):
    """Self-attention and a feed-forward block, each with a residual and a layer norm after it."""

    def __init__(
        self,
        hidden_dim: int,
        num_heads: int,
        feedforward_dim: int,
        projection: Projection,
        dropout: float = 0.0,
    ) -> None:
        super().__init__()
        self.self_attention = SelfAttention(hidden_dim, num_heads, projection)
        self.attention_norm = torch.nn.LayerNorm(hidden_dim)
        self.feedforward = torch.nn.Sequential(
            torch.nn.Linear(hidden_dim, feedforward_dim),
            torch.nn.ReLU(),
            torch.nn.Linear(feedforward_dim, hidden_dim),
        )
        self.feedforward_norm = torch.nn.LayerNorm(hidden_dim)
        self.dropout = torch.nn.Dropout(dropout)

    @property
    def inner(self) -> torch.nn.Linear:
        """The first linear layer of the feed-forward network."""
        return self.feedforward[0]

    @property
    def activation(self) -> torch.nn.Module:
        """The activation of the feed-forward network."""
        return self.feedforward[1]

    @property
    def outer(self) -> torch.nn.Linear:
        """The second linear layer of the feed-forward network."""
        return self.feedforward[2]

    def forward(self, states: torch.Tensor, mask: torch.Tensor | None) -> torch.Tensor:
        states = self.attention_norm(states + self.dropout(self.self_attention(states, mask)))
        return self.feedforward_norm(states + self.dropout(self.feedforward(states)))


class SelfAttention(torch.nn.Module):
    """Multi-head scaled dot-product self-attention with any projection instead of softmax."""

    # Nothing is added to the scores, and queries and keys are multiplied as they are.
    bias = None
    rotation = None

    def __init__(self, hidden_dim: int, num_heads: int, projection: Projection) -> None:
        super().__init__()
        self.num_heads = num_heads
        self.query_layer = torch.nn.Linear(hidden_dim, hidden_dim)
        self.key_layer = torch.nn.Linear(hidden_dim, hidden_dim)
        self.value_layer = torch.nn.Linear(hidden_dim, hidden_dim)
        self.output_layer = torch.nn.Linear(hidden_dim, hidden_dim)
        self.projection = projection

    def forward(self, states: torch.Tensor, mask: torch.Tensor | None) -> torch.Tensor:
        queries, keys, values = (
            self.split_heads(layer(states))
            for layer in (self.query_layer, self.key_layer, self.value_layer)
        )
        return self.output_layer(self.merge_heads(self.mix(queries, keys, values, mask)))

    @property
    def reads(self) -> torch.nn.Linear:
        """The layer that reads the states first."""
        return self.query_layer

    def scale(self, dim: int) -> float:
        """Of the products of queries and keys."""
        return 1 / math.sqrt(dim)

    def relative(self, positions: int) -> None:
        """Nothing is added to the scores."""

    def mix(
        self,
        queries: torch.Tensor,
        keys: torch.Tensor,
        values: torch.Tensor,
        mask: torch.Tensor | None,
    ) -> torch.Tensor:
        """
        The values, weighted for each query; of a long text in pieces. In training the maps are
        kept, since to compute them twice would take time. Shape: (batch, heads, tokens, dim)
        """

        def attend(queries, keys, values) -> tuple[torch.Tensor]:
            return (self.weights(queries, keys, mask) @ values,)

        if self.training:
            (mixed,) = attend(queries, keys, values)
        else:
            (mixed,) = in_pieces(attend, [queries], keys, values)
        return mixed

    def weights(
        self, queries: torch.Tensor, keys: torch.Tensor, mask: torch.Tensor | None
    ) -> torch.Tensor:
        """Shape: (batch, heads, tokens that attend, tokens attended to)"""
        scores = queries @ keys.transpose(-1, -2) / math.sqrt(keys.size(-1))
        # Padded tokens attend too, to real ones, so that no row is empty; nobody sees the result.
        return self.projection(scores, None if mask is None else mask[:, None, None, :])

    def maps(
        self,
        states: torch.Tensor,
        mask: torch.Tensor | None,
        attending: slice = slice(None),
    ) -> torch.Tensor:
        """
        The weights of all tokens that attend, or of some of them.
        Shape: (batch, heads, tokens that attend, tokens attended to)
        """
        queries = self.split_heads(self.query_layer(states[:, attending]))
        return self.weights(queries, self.split_heads(self.key_layer(states)), mask)

    def split_heads(self, vectors: torch.Tensor) -> torch.Tensor:
        """Shape: (batch, tokens, hidden_dim) -> (batch, heads, tokens, hidden_dim / heads)"""
        batch, tokens, _ = vectors.shape
        return vectors.view(batch, tokens, self.num_heads, -1).transpose(1, 2)

    def merge_heads(self, vectors: torch.Tensor) -> torch.Tensor:
        """The inverse of `split_heads`."""
        return vectors.transpose(1, 2).flatten(start_dim=2)


def sinusoids(length: int, dim: int) -> torch.Tensor:
    """
    The fixed position vectors of Vaswani et al. 2017, section 3.5. Shape: (length, dim)
    """
    rates = torch.exp(torch.arange(0, dim, 2) * (-math.log(10000.0) / dim))
    # Shape: (length, dim / 2, rounded up)
    angles = torch.arange(length).unsqueeze(-1) * rates
    return torch.stack([angles.sin(), angles.cos()], dim=-1).flatten(start_dim=1)[:, :dim]


Tensors = tuple[torch.Tensor, ...]


def in_pieces(
    attend: Callable[..., Tensors], queries: Sequence[torch.Tensor], *others: torch.Tensor
) -> Tensors:
    """
    `attend(*queries, *others)`, where each row of a result is of one query: of as many queries at a
    time as `budget` allows. If that is not all of them, nothing of a map is kept for the backward
    pass, which computes it again.

    # Parameters

    queries : `Sequence[torch.Tensor]`
        Shape: (batch, heads, tokens, dim) each, as of the results
    """
    batch, heads, tokens, _ = queries[0].shape
    rows = rows_at_once(batch * heads * tokens, queries[0].device.type)
    if rows >= tokens:
        return attend(*queries, *others)
    pieces_of_queries = [
        checkpoint(attend, *some, *others, use_reentrant=False, preserve_rng_state=False)
        for some in zip(*(each.split(rows, dim=2) for each in queries), strict=True)
    ]
    return tuple(torch.cat(pieces, dim=2) for pieces in zip(*pieces_of_queries, strict=True))
