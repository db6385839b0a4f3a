"""The methods whose scores are judged, applied again: to another model, or to other embeddings."""

from contextlib import contextmanager, nullcontext
from typing import (
    Any,
    Callable,
    Collection,
    ContextManager,
    Dict,
    Iterator,
    List,
    Mapping,
    Optional,
    Union,
)

import numpy
import torch
from allennlp.data import DatasetReader, TextFieldTensors
from allennlp.predictors import Predictor

from attention_explain.errors import InputError
from attention_explain.faithfulness.values import NoValue
from attention_explain.interpret.interpreter import Interpreter, build_interpreters
from attention_explain.interpret.memory import too_long
from attention_explain.interpret.text_batch import TextBatch
from attention_explain.models import AttentionClassifier

UNKNOWN = NoValue("how these scores were made is not known, so that they cannot be made again")
NOT_FINITE = NoValue("its scores are not finite")
NOT_AGAIN = NoValue("it was not to be applied again")

# Of each text of a batch; Shape: (tokens,)
Scores = List[Union[numpy.ndarray, NoValue]]


class Methods:
    """
    # Parameters

    declared : `Mapping[str, Mapping[str, Any]]`
        What the attribution file says of each: its `parameters`, if it is one of ours.
    reader : `DatasetReader`, optional
        The model's own.
    """

    def __init__(
        self,
        declared: Mapping[str, Mapping[str, Any]],
        reader: Optional[DatasetReader] = None,
    ) -> None:
        self._configs = {name: about.get("parameters") for name, about in declared.items()}
        self._reader = reader

    def built(
        self, model: AttentionClassifier, without: Collection[str] = ()
    ) -> Dict[str, Union[Interpreter, NoValue]]:
        """For that model; `without` are the names of those that are too slow for it."""
        predictor = Predictor(model, self._reader, frozen=False)
        built: Dict[str, Union[Interpreter, NoValue]] = {}
        for name, config in self._configs.items():
            if config is None or name in without:
                built[name] = UNKNOWN if config is None else NOT_AGAIN
                continue
            try:
                (built[name],) = build_interpreters([dict(config)], predictor).values()
            except InputError as error:
                built[name] = NoValue(error.message)
        return built

    def scores(
        self,
        methods: Mapping[str, Union[Interpreter, NoValue]],
        batch: TextBatch,
        targets: torch.Tensor,
        noise: Optional[torch.Tensor] = None,
    ) -> Dict[str, Scores]:
        """
        Of each method, or why there are none. `noise` is added to the embeddings of the texts.
        Shape of noise: (batch, tokens, embedding_dim)
        """
        return {
            name: [method] * len(batch)
            if isinstance(method, NoValue)
            else _applied(method, batch, targets, noise)
            for name, method in methods.items()
        }


def _applied(
    method: Interpreter, batch: TextBatch, targets: torch.Tensor, noise: Optional[torch.Tensor]
) -> Scores:
    most = method.max_tokens
    fitting = [row for row, words in enumerate(batch.words) if most is None or len(words) <= most]
    scores: Scores = [NoValue(too_long(most or 0))] * len(batch)
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
    """What stands for no word, which the model embeds as well, is as it was."""
    return other_embeddings(
        model,
        lambda tokens, vectors: vectors + noise if tokens is batch.tokens else vectors,
    )


@contextmanager
def other_embeddings(
    model: AttentionClassifier, change: Callable[[TextFieldTensors, torch.Tensor], torch.Tensor]
) -> Iterator[None]:
    """`change` makes what the model's `embed` gives, from the tokens and from what it gave before."""
    original = model.embed
    model.embed = lambda tokens: change(tokens, original(tokens))
    try:
        yield
    finally:
        # The method of the class is there again.
        del model.embed
