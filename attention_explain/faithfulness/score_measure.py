"""Measures of the scores themselves, or of the method that computed them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy
import torch
from allennlp.data import Instance

from attention_explain.faithfulness.faithfulness import Faithfulness, Values
from attention_explain.faithfulness.methods import Methods
from attention_explain.faithfulness.outputs import RemovalOutputs
from attention_explain.faithfulness.permutations import (
    PermutationSampler,
    Sampling,
    SamplingOptions,
    WordEffects,
)
from attention_explain.interpret.text_batch import TextBatch
from attention_explain.models import AttentionClassifier


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
            assert self.outputs is not None
            targets = [text.target for text in self.texts]
            self._samplers[options.seed] = PermutationSampler(self.outputs, targets, options.seed)
        sampler = self._samplers[options.seed]
        sampler.grow(sampling.permutations)
        return sampler.effects(sampling.output, sampling.permutations)

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
