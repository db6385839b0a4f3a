"""Measures that look at the scores themselves, or at the method that made them."""

from dataclasses import dataclass
from typing import Dict, List, Optional, Sequence

import numpy
import torch
from allennlp.data import Instance

from attention_explain.faithfulness.faithfulness import Faithfulness
from attention_explain.faithfulness.methods import Methods
from attention_explain.faithfulness.outputs import ErasedOutputs
from attention_explain.faithfulness.values import Values
from attention_explain.interpret.text_batch import TextBatch
from attention_explain.models import AttentionClassifier


@dataclass
class JudgedText:
    """
    scores : of each method that has some. Shape: (tokens,)
    chance : random orders, as ranks. Shape: (orders, tokens)
    """

    id: str
    target: int
    scores: Dict[str, numpy.ndarray]
    chance: numpy.ndarray

    @property
    def tokens(self) -> int:
        """The number of tokens."""
        return self.chance.shape[1]

    def chance_scores(self) -> numpy.ndarray:
        """Scores in (0, 1] with the random orders. Shape: (orders, tokens)"""
        return 1.0 - self.chance / self.tokens


@dataclass
class Setting:
    """
    What a measure gets to see of a batch.

    instances : of which the batch was made.
    embeddings : of the batch. Shape: (batch, tokens, embedding_dim)
    probs : of the whole texts. Shape: (batch, labels)
    by : how scores are ranked, `signed` or `size`.
    methods : to apply them again.
    outputs : of erased texts, for measures with erasures.
    """

    model: AttentionClassifier
    instances: Sequence[Instance]
    batch: TextBatch
    embeddings: torch.Tensor
    probs: numpy.ndarray
    texts: Sequence[JudgedText]
    by: str
    methods: Methods
    outputs: Optional[ErasedOutputs] = None

    @property
    def targets(self) -> torch.Tensor:
        """The index of the explained label of each text. Shape: (texts,)"""
        targets = [text.target for text in self.texts]
        return torch.tensor(targets, device=self.batch.mask.device)

    def read_by(self, model: AttentionClassifier) -> TextBatch:
        """The same texts for another model: of a pair, what it makes of the text beside is in the batch."""
        return TextBatch.of(model, self.instances, self.batch.budget)


class ScoreMeasure(Faithfulness):
    """A subclass implements `measure`."""

    def measure(self, setting: Setting) -> List[Values]:
        """
        Of each text what its methods have; `random` and `search` may be among them, and are then
        the ends of the scale.
        """
        raise NotImplementedError
