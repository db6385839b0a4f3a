"""Recomputes the scores of methods: for another model, or for other embeddings."""

from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager, nullcontext
from typing import (
    Any,
    ContextManager,
)

import numpy
import torch
from allennlp.data import DatasetReader, TextFieldTensors
from allennlp.predictors import Predictor

from attention_explain.errors import InputError
from attention_explain.faithfulness.faithfulness import Undefined
from attention_explain.interpret.interpreter import Interpreter, build_interpreters
from attention_explain.interpret.memory import too_long
from attention_explain.interpret.text_batch import TextBatch
from attention_explain.models import AttentionClassifier

UNKNOWN = Undefined("the parameters of this method are unknown, so its scores cannot be recomputed")
NOT_FINITE = Undefined("its scores are not finite")
NOT_AGAIN = Undefined("excluded by the option 'without'")

# One array per text of a batch; Shape: (tokens,)
Scores = list[numpy.ndarray | Undefined]


class Methods:
    """
    # Parameters

    declared : `Mapping[str, Mapping[str, Any]]`
        What the attribution file declares for each: its `parameters`, if it is one of ours.
    reader : `DatasetReader`, optional
        The model's own.
    """

    def __init__(
        self,
        declared: Mapping[str, Mapping[str, Any]],
        reader: DatasetReader | None = None,
    ) -> None:
        self.declared = declared
        self._configs = {name: about.get("parameters") for name, about in declared.items()}
        self._reader = reader

    def built(
        self, model: AttentionClassifier, without: Collection[str] = ()
    ) -> dict[str, Interpreter | Undefined]:
        """The interpreters for `model`, except those named in `without`, which are too slow."""
        predictor = Predictor(model, self._reader, frozen=False)
        built: dict[str, Interpreter | Undefined] = {}
        for name, config in self._configs.items():
            if config is None or name in without:
                built[name] = UNKNOWN if config is None else NOT_AGAIN
                continue
            try:
                (built[name],) = build_interpreters([dict(config)], predictor).values()
            except InputError as error:
                built[name] = Undefined(error.message)
        return built

    def scores(
        self,
        methods: Mapping[str, Interpreter | Undefined],
        batch: TextBatch,
        targets: torch.Tensor,
        noise: torch.Tensor | None = None,
    ) -> dict[str, Scores]:
        """
        The scores of each method, or why there are none. `noise` is added to the embeddings.
        Shape of noise: (batch, tokens, embedding_dim)
        """
        return {
            name: [method] * len(batch)
            if isinstance(method, Undefined)
            else _applied(method, batch, targets, noise)
            for name, method in methods.items()
        }


def _applied(
    method: Interpreter, batch: TextBatch, targets: torch.Tensor, noise: torch.Tensor | None
) -> Scores:
    most = method.max_tokens
    fitting = [row for row, words in enumerate(batch.words) if most is None or len(words) <= most]
    scores: Scores = [Undefined(too_long(most or 0))] * len(batch)
    if fitting:
        some = batch if len(fitting) == len(batch) else batch.rows(fitting)
        with nullcontext() if noise is None else _noisy(method.model, some, noise[fitting]):
            attributed = method.attribute_batch(some, targets[fitting]).scores
        for row, values in zip(fitting, some.without_padding(attributed), strict=True):
            finite = numpy.isfinite(values).all()
            scores[row] = numpy.array(values, dtype=numpy.float64) if finite else NOT_FINITE
    return scores


def _noisy(
    model: AttentionClassifier, batch: TextBatch, noise: torch.Tensor
) -> ContextManager[None]:
    """The embeddings of baselines, which the model computes as well, get no noise."""
    return other_embeddings(
        model,
        lambda tokens, vectors: vectors + noise if tokens is batch.tokens else vectors,
    )


@contextmanager
def other_embeddings(
    model: AttentionClassifier, change: Callable[[TextFieldTensors, torch.Tensor], torch.Tensor]
) -> Iterator[None]:
    """Within it, `model.embed` returns `change(tokens, embeddings)`."""
    original = model.embed
    model.embed = lambda tokens: change(tokens, original(tokens))
    try:
        yield
    finally:
        # Restores the method of the class.
        del model.embed
