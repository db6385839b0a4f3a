"""
The base classes and values of faithfulness measures, and the methods whose scores they measure or
recompute.
"""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field, replace
from typing import (
    Any,
    ContextManager,
    Union,
)

import numpy
import torch
from allennlp.common import Registrable
from allennlp.data import DatasetReader, Instance, TextFieldTensors
from allennlp.predictors import Predictor

from attention_explain.errors import InputError
from attention_explain.faithfulness.permutations import (
    PermutationSampler,
    Sampling,
    SamplingOptions,
    WordEffects,
)
from attention_explain.faithfulness.removal import RemovalOutputs
from attention_explain.files.faithfulness import TIED
from attention_explain.interpret.interpreter import Interpreter, build_interpreters
from attention_explain.interpret.text_batch import TextBatch, too_long
from attention_explain.models import AttentionClassifier
from attention_explain.named_components import ComponentKind


@dataclass(frozen=True)
class Quantity:
    """
    One number that a measure reports.

    name : a measure may report several, such as a normalised form.
    k : the bin, if the number belongs to one.
    """

    name: str
    higher_is_better: bool
    k: float | None = None


class Faithfulness(Registrable):
    """
    A measure of how faithful scores are to the model that they explain.

    name : of the main quantity.
    higher_is_better : whether higher values of it are better.
    equation : the definition, as written into the file.
    in_order : whether the measure depends on the ranking of the tokens only, so that a search can
        optimise it.
    erasures : whether the measure removes tokens, so that each removal method gives another value.
    """

    name: str
    higher_is_better: bool
    equation: str
    in_order: bool = False
    erasures: bool = False

    def forms(self) -> dict[str, bool]:
        """The names of all quantities, the main one first, and whether higher is better."""
        return {self.name: self.higher_is_better}

    def called(self, form: str, name: str) -> str:
        """The name of a form of a measure that the user has renamed."""
        return form.replace(next(iter(self.forms())), name)


MEASURES = ComponentKind(
    noun="measure",
    registry=Faithfulness,
    base=Faithfulness,
    # The name of an extra row in the file.
    reserved=(TIED,),
    declared=("equation", "in_order", "erasures"),
)


class Undefined(str):
    """The reason why a value is undefined."""


Value = Union[float, Undefined]


@dataclass(frozen=True)
class Detailed:
    """
    A value with the numbers that it was computed from.

    curve, errors : one number per token, with its standard error. Shape: (tokens,)
    reliability : of the curve, from 0 to 1; None if undefined.
    """

    value: Value
    curve: numpy.ndarray
    errors: numpy.ndarray | None = None
    reliability: float | None = None


# By method, then by form of the measure.
Values = Mapping[str, Mapping[str, Union[Value, Detailed]]]


def mean_of(values: Sequence[Value]) -> Value:
    """The mean of the defined values; if there are none, the first reason."""
    known = [value for value in values if not isinstance(value, Undefined)]
    return float(numpy.mean(known)) if known else values[0]


# The smallest difference between the best and a random ranking that defines a scale.
LEAST = 1e-6


def normalise(value: float, chance: float, best: float, higher_is_better: bool) -> float | None:
    """
    (value - chance) / (best - chance): 0 for a method that is as good as random rankings, 1 for the
    best, negative for one that is worse than random. None if best and random do not differ.
    """
    length = best - chance
    if (length if higher_is_better else -length) <= LEAST:
        return None
    return float((value - chance) / length)


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
        self.reader = reader

    def built(
        self, model: AttentionClassifier, without: Collection[str] = ()
    ) -> dict[str, Interpreter | Undefined]:
        """The interpreters for `model`, except those named in `without`, which are too slow."""
        predictor = Predictor(model, self.reader, frozen=False)
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
    # An attribute of the instance hides the method.
    model.__dict__["embed"] = lambda tokens: change(tokens, original(tokens))
    try:
        yield
    finally:
        # Restores the method of the class.
        del model.embed


@dataclass
class TextScores:
    """
    scores : by method. Shape: (tokens,)
    chance : random rankings, as ranks. Shape: (rankings, tokens)
    """

    id: str
    target: int
    scores: dict[str, numpy.ndarray]
    chance: numpy.ndarray

    @property
    def tokens(self) -> int:
        """The number of tokens."""
        return self.chance.shape[1]

    def random_scores(self) -> numpy.ndarray:
        """Scores in (0, 1] that have the random rankings. Shape: (rankings, tokens)"""
        return 1.0 - self.chance / self.tokens


@dataclass
class MeasureInputs:
    """
    What a measure gets of a batch.

    instances : those that the batch was made from.
    embeddings : of the batch. Shape: (batch, tokens, embedding_dim)
    probs : of the full texts. Shape: (batch, labels)
    by : how scores are ranked, `signed` or `size`.
    methods : to recompute scores.
    outputs : for texts with tokens removed, if the measure removes tokens.
    samplings : how word effects are sampled for the present removal method, by the options.
    """

    model: AttentionClassifier
    instances: Sequence[Instance]
    batch: TextBatch
    embeddings: torch.Tensor
    probs: numpy.ndarray
    texts: Sequence[TextScores]
    by: str
    methods: Methods
    outputs: RemovalOutputs | None = None
    samplings: Mapping[SamplingOptions, Sampling] = field(default_factory=dict)
    _samplers: dict[int, PermutationSampler] = field(default_factory=dict)

    def removing(
        self, outputs: RemovalOutputs, samplings: Mapping[SamplingOptions, Sampling]
    ) -> "MeasureInputs":
        """The same for one removal method."""
        return replace(self, outputs=outputs, samplings=samplings, _samplers={})

    def word_effects(self, options: SamplingOptions) -> list[WordEffects]:
        """The effects of the words of each text; measures with the same seed share permutations."""
        sampling = self.samplings[options]
        if options.seed not in self._samplers:
            targets = [text.target for text in self.texts]
            self._samplers[options.seed] = PermutationSampler(
                self.removal_outputs, targets, options.seed
            )
        sampler = self._samplers[options.seed]
        sampler.grow(sampling.permutations)
        return sampler.effects(sampling.output, sampling.permutations)

    @property
    def removal_outputs(self) -> RemovalOutputs:
        """The outputs for texts with tokens removed, of a measure that removes tokens."""
        assert self.outputs is not None
        return self.outputs

    @property
    def targets(self) -> torch.Tensor:
        """The index of the explained label of each text. Shape: (texts,)"""
        targets = [text.target for text in self.texts]
        return torch.tensor(targets, device=self.batch.mask.device)

    def read_by(self, model: AttentionClassifier) -> TextBatch:
        """The same texts as a batch of another model, which encodes the other text of a pair itself."""
        return TextBatch.of(model, self.instances, self.batch.budget)


class ScoreMeasure(Faithfulness):
    """A subclass implements `measure`."""

    def measure(self, inputs: MeasureInputs) -> list[Values]:
        """
        The values of each text by method. If `random` and `search` are among the methods, they are
        the ends of the normalised scale.
        """
        raise NotImplementedError
