"""Self-attention without a map of all pairs of tokens in memory: some of the queries at a time."""

from typing import Callable, Sequence, Tuple

import torch
from torch.utils.checkpoint import checkpoint

from attention_explain.passes import rows_at_once

Tensors = Tuple[torch.Tensor, ...]


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
