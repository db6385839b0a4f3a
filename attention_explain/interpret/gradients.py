"""Gradients of a class output with respect to the embeddings: what all gradient methods share."""

from typing import Callable

import torch

from attention_explain.interpret.outputs import class_output, logits_from_embeddings
from attention_explain.interpret.text_batch import TextBatch
from attention_explain.models import AttentionClassifier


def embedding_gradient(
    model: AttentionClassifier,
    embeddings: torch.Tensor,
    mask: torch.Tensor,
    attendable: torch.Tensor,
    target: torch.Tensor,
    of: str,
    detach_attention: bool = False,
) -> torch.Tensor:
    """
    The gradient of each row's class output at `embeddings`. Shape: (batch, tokens, embedding_dim)
    """
    embeddings = embeddings.detach().requires_grad_()
    logits = logits_from_embeddings(model, embeddings, mask, attendable, detach_attention)
    # Rows do not touch each other, so one backward pass of the sum gives every row's own gradient.
    (gradient,) = torch.autograd.grad(class_output(logits, target, of).sum(), embeddings)
    return gradient


def state_gradient(
    model: AttentionClassifier,
    batch: TextBatch,
    target: torch.Tensor,
    of: str,
    detach_attention: bool = False,
) -> torch.Tensor:
    """
    The gradient of each row's class output at the hidden states, of which attention is a function
    unless it is detached. Shape: (batch, tokens, state_dim)
    """
    with torch.no_grad():
        states = model.encode(model.embed(batch.tokens), batch.mask)
    states.requires_grad_()
    attention = model.attend(states, batch.attendable)
    logits = model.decode(states, attention.detach() if detach_attention else attention)
    (gradient,) = torch.autograd.grad(class_output(logits, target, of).sum(), states)
    return gradient


def mean_gradient(
    model: AttentionClassifier,
    batch: TextBatch,
    target: torch.Tensor,
    of: str,
    point: Callable[[int], torch.Tensor],
    weights: torch.Tensor,
) -> torch.Tensor:
    """
    The weighted sum over points s = 0, 1, ... of the gradient at the embeddings `point(s)`. Several
    points are put into one pass, as many as the batch's budget holds. Each point is asked for once,
    in order, so that it may be drawn at random.
    Shape: (batch, tokens, embedding_dim)
    """
    together = max(1, batch.rows_per_pass() // len(batch))
    total = 0.0
    for first in range(0, len(weights), together):
        steps = range(first, min(first + together, len(weights)))
        gradient = embedding_gradient(
            model,
            torch.cat([point(step) for step in steps]),
            batch.mask.repeat(len(steps), 1),
            batch.attendable.repeat(len(steps), 1),
            target.repeat(len(steps)),
            of,
        )
        # Shape: (steps, batch, tokens, embedding_dim)
        gradient = gradient.unflatten(0, (len(steps), len(batch)))
        shares = weights[first : first + len(steps)].to(gradient)
        total = total + torch.einsum("s,sbtd->btd", shares, gradient)
    return total


def path_derivatives(
    model: AttentionClassifier,
    batch: TextBatch,
    target: torch.Tensor,
    of: str,
    start: torch.Tensor,
    path: torch.Tensor,
    rows: torch.Tensor,
    places: torch.Tensor,
) -> torch.Tensor:
    """
    Path times gradient of some texts at some places u of their paths, the embeddings start +
    u path; summed over the numbers of an embedding. Shape of start and path: as the embeddings;
    (rows,), (places,) -> (places, rows, tokens)
    """
    texts = rows.repeat(len(places))
    along = places.to(path).repeat_interleave(len(rows)).view(-1, 1, 1)
    found = []
    for first in range(0, len(texts), batch.rows_per_pass()):
        some = texts[first : first + batch.rows_per_pass()]
        steps = path[some]
        points = torch.addcmul(start[some], along[first : first + len(some)], steps)
        gradient = embedding_gradient(
            model, points, batch.mask[some], batch.attendable[some], target[some], of
        )
        found.append((steps * gradient).sum(dim=-1))
    return torch.cat(found).unflatten(0, (len(places), len(rows)))
