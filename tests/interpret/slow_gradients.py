"""Gradients by finite differences: the definition, a number at a time, without autograd."""

from collections.abc import Callable, Iterator

import torch

from attention_explain.interpret.text_batch import TextBatch
from attention_explain.models import AttentionClassifier
from tests.interpret.one_by_one import one_by_one

STEP = 1e-5


def finite_differences(
    function: Callable[[torch.Tensor], torch.Tensor], point: torch.Tensor
) -> torch.Tensor:
    """
    (f(x + h) - f(x - h)) / 2h for each number of x. `function` maps (rows, tokens, dim) to (rows,).
    Shape: (1, tokens, dim) -> (tokens, dim)
    """
    moves = STEP * torch.eye(point.numel(), dtype=point.dtype).view(-1, *point.shape[1:])
    with torch.no_grad():
        differences = function(point + moves) - function(point - moves)
    return (differences / (2 * STEP)).view(point.shape[1:])


class PlainText:
    """One text without padding, and the model's output as a function of what is in its middle."""

    def __init__(self, model: AttentionClassifier, text: TextBatch, label: int, of: str) -> None:
        self.model = model
        self.inputs = text.inputs
        (self.seen,) = text.attendable
        self.label, self.of = label, of
        with torch.no_grad():
            self.embeddings = model.embed(text.tokens)
            self.states = model.encode(self.embeddings, text.inputs)
            self.attention = model.attend(self.states, text.inputs)

    def output(self, embeddings: torch.Tensor) -> torch.Tensor:
        return self.output_of_states(self._encode(embeddings))

    def output_with_attention_frozen(self, embeddings: torch.Tensor) -> torch.Tensor:
        states = self._encode(embeddings)
        return self._class(self.model.decode(states, self.attention.expand(len(states), -1)))

    def output_of_states(self, states: torch.Tensor) -> torch.Tensor:
        inputs = self.inputs.repeated(len(states))
        return self._class(self.model.decode(states, self.model.attend(states, inputs)))

    def _encode(self, embeddings: torch.Tensor) -> torch.Tensor:
        return self.model.encode(embeddings, self.inputs.repeated(len(embeddings)))

    def _class(self, logits: torch.Tensor) -> torch.Tensor:
        values = logits.softmax(-1) if self.of == "probability" else logits
        return values[:, self.label]


def plain_texts(
    model: AttentionClassifier, made: list, label: int, of: str = "probability"
) -> Iterator[tuple[int, PlainText]]:
    for row, text in enumerate(one_by_one(TextBatch.of(model, made))):
        yield row, PlainText(model, text, label, of)
