"""
What is explained: the model's output for one class, as a function of the embeddings; and how a
pass through the model leaves no trace.
"""

from contextlib import contextmanager, nullcontext
from typing import Iterator

import torch

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
