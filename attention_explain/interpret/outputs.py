"""
What is explained: the model's output for one class, as a function of the embeddings, and its
gradients; how a pass through the model leaves no trace; and what explanations take for granted about
a model: a text is read by itself, and what `embed` gives for a token is the token.
"""

from contextlib import contextmanager, nullcontext
from typing import Callable, Iterator, Optional

import torch
from allennlp.common.checks import ConfigurationError
from allennlp.modules import TextFieldEmbedder
from allennlp.modules.text_field_embedders import BasicTextFieldEmbedder
from allennlp.modules.token_embedders import Embedding, EmptyEmbedder, TokenCharactersEncoder

from attention_explain.interpret.text_batch import TextBatch
from attention_explain.models import AttentionClassifier

OUTPUTS = ("probability", "logit")
# Where a method looks at a token: at its embedding, or at its hidden state.
PLACES = ("input", "hidden")


def logits_from_embeddings(
    model: AttentionClassifier,
    embeddings: torch.Tensor,
    mask: torch.Tensor,
    attendable: torch.Tensor,
    detach_attention: bool = False,
) -> torch.Tensor:
    """
    The last three stages. With `detach_attention` the weights are constants, and gradients flow
    through the states alone, as in Jain & Wallace's code. Shape: (batch, labels)
    """
    states = model.encode(embeddings, mask)
    attention = model.attend(states, attendable)
    return model.decode(states, attention.detach() if detach_attention else attention)


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
    logits = logits_from_embeddings(model, embeddings, batch.mask, batch.attendable)
    return class_output(logits, target, of)


def predicted_class(model: AttentionClassifier, batch: TextBatch) -> torch.Tensor:
    """Shape: (batch,)"""
    with torch.no_grad():
        embeddings = model.embed(batch.tokens)
        logits = logits_from_embeddings(model, embeddings, batch.mask, batch.attendable)
    return logits.argmax(dim=-1)


@contextmanager
def untouched(model: AttentionClassifier, goes_back: bool = True) -> Iterator[None]:
    """
    Evaluation mode; and where there is a backward pass, cuDNN off, whose RNNs refuse one in that
    mode. Afterwards the model's mode, its parameters' gradients and the random state are as they
    were.
    """
    cudnn = torch.backends.cudnn.flags(enabled=False) if goes_back else nullcontext()
    training = {module: module.training for module in model.modules()}
    gradients = {parameter: parameter.grad for parameter in model.parameters()}
    devices = {parameter.device for parameter in model.parameters() if parameter.is_cuda}
    model.eval()
    try:
        with (
            torch.random.fork_rng(devices=list(devices)),
            cudnn,
        ):
            yield
    finally:
        for module, mode in training.items():
            module.training = mode
        for parameter, gradient in gradients.items():
            parameter.grad = gradient


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
    derivatives = []
    for first in range(0, len(texts), batch.rows_per_pass()):
        some = texts[first : first + batch.rows_per_pass()]
        steps = path[some]
        points = torch.addcmul(start[some], along[first : first + len(some)], steps)
        gradient = embedding_gradient(
            model, points, batch.mask[some], batch.attendable[some], target[some], of
        )
        derivatives.append((steps * gradient).sum(dim=-1))
    return torch.cat(derivatives).unflatten(0, (len(places), len(rows)))


# Embedders in which the vector of a token depends on that token alone. One that is not known is
# taken to see the others, since the mistake would go unseen; it may declare `context_free = True`.
CONTEXT_FREE = (Embedding, TokenCharactersEncoder, EmptyEmbedder)


def check_texts_are_independent(model: AttentionClassifier) -> None:
    """An encoder that goes on from the text before gives a text other scores in another batch."""
    for module in model.modules():
        if getattr(module, "stateful", False):
            raise ConfigurationError(
                f"the model's {type(module).__name__} is stateful: it reads a text in the light of "
                "those before it, so that no text has an explanation of its own; set 'stateful' to "
                "false in the model's config (or with --overrides)"
            )


def check_embeddings_are_tokens(model: AttentionClassifier) -> None:
    """
    Who changes one vector of a contextual embedder has not changed one token: the other vectors
    still know of it.
    """
    part = contextual_part(model.text_field_embedder)
    if part is not None:
        raise ConfigurationError(
            "it takes the vector that the embedder gives a token for the token itself, but in this "
            f"model's {type(part).__name__} that vector may know of the other tokens; 'attention' "
            'can be used, and methods of the hidden states (\'gradient\' with "at": "hidden", '
            "'leave-one-out' and 'occlusion' with \"of\": \"hidden\")"
        )


def contextual_part(embedder: TextFieldEmbedder) -> Optional[torch.nn.Module]:
    """What of the embedder may let a token's vector depend on other tokens; None if nothing."""
    if getattr(embedder, "context_free", False):
        return None
    if type(embedder) is not BasicTextFieldEmbedder:
        return embedder
    for part in embedder.children():
        if not _is_context_free(part):
            return part
    return None


def _is_context_free(embedder: torch.nn.Module) -> bool:
    # A subclass with a forward of its own may do anything.
    return getattr(embedder, "context_free", False) or any(
        isinstance(embedder, known) and type(embedder).forward is known.forward
        for known in CONTEXT_FREE
    )
