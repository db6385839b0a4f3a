"""
What is explained: the model's output for one class, as a function of the embeddings, and its
gradients.
"""

from typing import Callable

import torch

from attention_explain.interpret.text_batch import TextBatch
from attention_explain.models import AttentionClassifier
from attention_explain.models.reading import Reading

OUTPUTS = ("probability", "logit")
# Where a method looks at a token: at its embedding, or at its hidden state.
PLACES = ("input", "hidden")


def class_output(logits: torch.Tensor, target: torch.Tensor, of: str) -> torch.Tensor:
    """
    The probability or logit of each row's target class. Shape: (batch, labels) -> (batch,)
    """
    values = torch.softmax(logits, dim=-1) if of == "probability" else logits
    return values.gather(-1, target.unsqueeze(-1)).squeeze(-1)


@torch.no_grad()
def output_at(
    model: AttentionClassifier,
    embeddings: torch.Tensor,
    batch: TextBatch,
    target: torch.Tensor,
    of: str,
) -> torch.Tensor:
    """The class output of other embeddings in the batch's place. Shape: (batch,)"""
    return class_output(model.logits(embeddings, batch.reading), target, of)


def predicted_class(model: AttentionClassifier, batch: TextBatch) -> torch.Tensor:
    """Shape: (batch,)"""
    with torch.no_grad():
        return model.logits(model.embed(batch.tokens), batch.reading).argmax(dim=-1)


def embedding_gradient(
    model: AttentionClassifier,
    embeddings: torch.Tensor,
    reading: Reading,
    target: torch.Tensor,
    of: str,
    detach_attention: bool = False,
) -> torch.Tensor:
    """
    The gradient of each row's class output at `embeddings`. Shape: (batch, places, embedding_dim)
    """
    embeddings = embeddings.detach().requires_grad_()
    logits = model.logits(embeddings, reading, detach_attention)
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
        states = model.encode(model.embed(batch.tokens), batch.reading)
    states.requires_grad_()
    attention = model.attend(states, batch.reading)
    weights = attention.detach() if detach_attention else attention
    logits = model.decode(states, weights, batch.reading.query)
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
    Shape: (batch, places, embedding_dim)
    """
    together = max(1, batch.rows_per_pass() // len(batch))
    total = 0.0
    for first in range(0, len(weights), together):
        steps = range(first, min(first + together, len(weights)))
        gradient = embedding_gradient(
            model,
            torch.cat([point(step) for step in steps]),
            batch.reading.repeated(len(steps)),
            target.repeat(len(steps)),
            of,
        )
        # Shape: (steps, batch, places, embedding_dim)
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
    derivatives = []
    for first in range(0, len(texts), batch.rows_per_pass()):
        some = texts[first : first + batch.rows_per_pass()]
        steps = path[some]
        points = torch.addcmul(start[some], along[first : first + len(some)], steps)
        gradient = embedding_gradient(model, points, batch.reading.rows(some), target[some], of)
        derivatives.append((steps * gradient).sum(dim=-1))
    return torch.cat(derivatives).unflatten(0, (len(places), len(rows)))
