"""
Every token of a text erased in turn through a one-layer LSTM, without running it anew for each.

Erasing token t changes the forward states after t and the backward states before t, and nothing
else: each direction runs again from t to its own end only, all erased tokens that a step comes
after take it together, and of any state at most one half is new. Of the new states nothing is kept
but what attention and decoder make of them: a score, and a vote for each label.
"""

from typing import Iterator, List, Optional

import torch

from attention_explain.budget import rows_at_once
from attention_explain.interpret.erasure.logits import attended_logits
from attention_explain.interpret.erasure.lstm_direction import Direction, Products
from attention_explain.interpret.erasure.readout import Readout
from attention_explain.interpret.lstm.unrolled import (
    directed,
    lstm_layers,
    undirected,
    unroll,
)
from attention_explain.interpret.text_batch import TextBatch
from attention_explain.models import AttentionClassifier
from attention_explain.modules.encoders.capabilities import Erased


@torch.no_grad()
def erase_from_lstm(
    model: AttentionClassifier,
    batch: TextBatch,
    embeddings: torch.Tensor,
    replacement: Optional[torch.Tensor] = None,
) -> Erased:
    """Each token in turn deleted, or replaced by its `replacement`."""
    # The scores and votes of all pairs of tokens are held at once (of a long text, block by block):
    # of so many texts that they take no more memory than the states of one pass.
    pairs = batch.length**2 * (1 + len(model.labels))
    texts = max(1, batch.budget * model.encoder.get_output_dim() // pairs)
    parts = [part.split(texts) for part in (embeddings, batch.mask, batch.attendable, batch.seen)]
    replacements = [None] * len(parts[0]) if replacement is None else replacement.split(texts)
    erased = [_erase(model, *part) for part in zip(*parts, replacements)]
    return Erased(*(torch.cat(logits) for logits in zip(*erased)))


def _erase(
    model: AttentionClassifier,
    embeddings: torch.Tensor,
    mask: torch.Tensor,
    attendable: torch.Tensor,
    seen_by_host: torch.Tensor,
    replacement: Optional[torch.Tensor],
) -> Erased:
    directions = _read(model, embeddings, mask, attendable)
    readout = Readout.of(model)
    # Shape: (hidden, readout)
    halves = [half.t().contiguous() for half in readout.weight.chunk(len(directions), dim=1)]
    # What each half of a state adds to what is made of it. Shape: (tokens, batch, readout)
    shares = [direction.states @ half for direction, half in zip(directions, halves)]
    whole = sum(shares) + readout.bias
    tokens = len(whole)
    scores, votes = readout.scores(whole), readout.votes(whole)
    if replacement is not None:
        for direction in directions:
            direction.read_instead(replacement)
        # Of the state of what stands in the erased token's place both halves are new.
        read = sum(way.half_states @ (2 * half) for way, half in zip(directions, halves))
        read += readout.bias
        new_scores, new_votes = readout.scores(read), readout.votes(read)
    erasable = seen_by_host.any(dim=0).nonzero()
    positions = range(int(erasable.min()), int(erasable.max()) + 1)
    # Elsewhere nothing is erased, and nobody looks. Shape: (batch, erased token, labels)
    logits = model.decoder.bias.expand(len(mask), tokens, -1).clone()
    products = Products()
    for block in _blocks(positions, votes):
        first, last = block.start, block.stop
        # Without a new half a state is as in the whole text. Indexed [state, erased token, text].
        of_scores = scores.unsqueeze(1).repeat(1, len(block), 1)
        of_votes = votes.unsqueeze(1).repeat(1, len(block), 1, 1)
        places = torch.arange(len(block), device=mask.device)
        if replacement is not None:
            of_scores[places + first, places] = new_scores[first:last]
            of_votes[places + first, places] = new_votes[first:last]
        for direction, half, share in zip(directions, halves, shares):
            twice = 2 * half
            for step, erased, half_states in direction.run_again(block):
                read = products(whole[step] - share[step], half_states, twice)
                here = slice(erased.start - first, erased.stop - first)
                of_scores[step, here] = readout.scores(read)
                of_votes[step, here] = readout.votes(read)
        # Shape: (batch, erased token, state)
        seen = attendable.unsqueeze(1).repeat(1, len(block), 1)
        if replacement is None:
            seen[:, places, places + first] = False
        logits[:, first:last] = attended_logits(
            model, of_scores.permute(2, 1, 0), of_votes.permute(2, 1, 0, 3), seen
        )
    return Erased(attended_logits(model, scores.t(), votes.transpose(0, 1), attendable), logits)


def _blocks(positions: range, votes: torch.Tensor) -> Iterator[range]:
    """
    The tokens to erase, as many at a time as the scores and votes of all states fit into memory
    for. Shape of votes: (tokens, batch, labels)
    """
    tokens, texts, labels = votes.shape
    together = rows_at_once(tokens * texts * (1 + labels), votes.device.type)
    for first in range(positions.start, positions.stop, together):
        yield range(first, min(first + together, positions.stop))


def _read(
    model: AttentionClassifier,
    embeddings: torch.Tensor,
    mask: torch.Tensor,
    attendable: torch.Tensor,
) -> List[Direction]:
    """Runs the LSTM once over the whole texts."""
    (layer,) = lstm_layers(model.encoder)
    lengths = mask.sum(dim=-1)
    run = unroll(layer, directed(embeddings, lengths, layer.directions))
    return [
        Direction(layer, number, embeddings, attendable, *vectors)
        for number, vectors in enumerate(
            zip(
                undirected(run.states[:, 1:], lengths),
                undirected(run.cells[:, 1:], lengths),
                undirected(run.states[:, :-1], lengths),
                undirected(run.cells[:, :-1], lengths),
            )
        )
    ]
