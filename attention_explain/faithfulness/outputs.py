"""
What the model says of texts that have only some of their tokens left: the one place where any
measure of erased texts asks the model. Equal token sets of a text are run once, in passes of like
length within the token budget.
"""

from typing import Callable, Dict, List, Optional, Sequence

import numpy
import torch

from attention_explain.faithfulness.erasures.erasure import Erasure
from attention_explain.interpret.removal import (
    Readout,
    SetReader,
    TokenSets,
    fast_erasure,
    no_state_knows_another_token,
)
from attention_explain.interpret.removal_sets import StateSets
from attention_explain.interpret.text_batch import TextBatch, check_finite
from attention_explain.models import AttentionClassifier
from attention_explain.models.requirements import encoder_of_tokens
from attention_explain.modules.capabilities import capability
from attention_explain.passes import rows_by_length


class ErasedOutputs:
    """
    The model's probabilities for sets of the tokens of each text in a batch, under one erasure.

    # Parameters

    model : `AttentionClassifier`
    batch : `TextBatch`
    embeddings : `torch.Tensor`
        Of the batch. Shape: (batch, places, embedding_dim)
    erasure : `Erasure`
    """

    @torch.no_grad()
    def __init__(
        self,
        model: AttentionClassifier,
        batch: TextBatch,
        embeddings: torch.Tensor,
        erasure: Erasure,
    ) -> None:
        self.model = model
        self.batch = batch
        self._embeddings = embeddings
        self._replacements = erasure.replacements(model, batch, embeddings)
        # Of each text: what a set of tokens, as bytes of its bits, has in `_known`.
        self._places: List[Dict[bytes, int]] = [{} for _ in range(len(batch))]
        self._known = [numpy.empty((0, len(model.labels))) for _ in range(len(batch))]
        self._own = [seen.nonzero().squeeze(-1).numpy() for seen in batch.seen]
        self._bounds = (batch.inputs.token_mask.cpu() & ~batch.seen).numpy()
        # How many places each token has, and those of no token.
        sizes = batch.inputs.of_tokens(batch.mask.int(), "sum").cpu().numpy()
        self._sizes = sizes
        self._specials = batch.mask.sum(dim=1).cpu().numpy() - sizes.sum(axis=1)
        self._reader = self.fast_reader()

    def fast_reader(self) -> Optional[SetReader]:
        """Where the encoder allows more than a pass for each set."""
        kind = set_reader(self.model)
        given = (self.model, self.batch, self._embeddings, self._replacements)
        return None if kind is None else kind(*given)

    @property
    def sets_run(self) -> int:
        """How many distinct sets were run."""
        return sum(map(len, self._known))

    def known_sets(self) -> List[numpy.ndarray]:
        """Of each text the sets that were run. Shape: (sets, tokens)"""
        return [
            numpy.unpackbits(
                numpy.frombuffer(b"".join(places), dtype=numpy.uint8).reshape(len(places), -1),
                axis=1,
                count=len(own),
            ).astype(bool)
            for places, own in zip(self._places, self._own, strict=True)
        ]

    def __call__(self, asked: Sequence[numpy.ndarray]) -> List[numpy.ndarray]:
        """
        # Parameters

        asked : `Sequence[numpy.ndarray]`
            Of each text the sets of tokens that it keeps. Shape: (sets, tokens of the text), bool

        # Returns

        probabilities : `List[numpy.ndarray]`
            Shape: (sets, labels), float64
        """
        new, keys = [], []
        for text, sets in enumerate(asked):
            bits = _keys(sets)
            keys.append(bits)
            places = self._places[text]
            fresh = []
            for number, key in enumerate(bits):
                if key not in places:
                    places[key] = len(places)
                    fresh.append(number)
            new.append(sets[fresh])
        self._run(new)
        return [
            self._known[text][[places[key] for key in bits]]
            for text, (places, bits) in enumerate(zip(self._places, keys))
        ]

    @torch.no_grad()
    def remember_leave_one_out(self) -> None:
        """Runs all sets that lack one token, the fast way where the model allows it."""
        fast = fast_erasure(self.model)
        if fast is None:
            self([~numpy.eye(len(own), dtype=bool) for own in self._own])
            return
        draws = [None] if self._replacements is None else list(self._replacements)
        probs = sum(
            fast.erase_tokens(self.model, self.batch, self._embeddings, replacement)
            .without.double()
            .softmax(dim=-1)
            for replacement in draws
        )
        values = (probs / len(draws)).cpu().numpy()
        for text, own in enumerate(self._own):
            places = self._places[text]
            keys = _keys(~numpy.eye(len(own), dtype=bool))
            fresh = [number for number, key in enumerate(keys) if key not in places]
            for number in fresh:
                places[keys[number]] = len(places)
            self._known[text] = numpy.concatenate([self._known[text], values[text, own[fresh]]])

    @torch.no_grad()
    def _run(self, new: Sequence[numpy.ndarray]) -> None:
        """Runs sets that were never run, of each text, and keeps the results."""
        numbers = [len(sets) for sets in new]
        if not any(numbers):
            return
        texts = numpy.repeat(numpy.arange(len(new)), numbers)
        # With boundary symbols, which always stay. Shape: (sets, tokens of the batch)
        kept = self._bounds[texts]
        ends = numpy.cumsum(numbers)
        for text, sets in enumerate(new):
            kept[ends[text] - len(sets) : ends[text], self._own[text]] = sets
        outputs = numpy.empty((len(texts), self._known[0].shape[1]))
        there = kept | (self._replacements is not None)
        lengths = (there * self._sizes[texts]).sum(axis=1) + self._specials[texts]
        device, budget = self.batch.mask.device, self.batch.budget
        if self._reader is not None:
            budget = self._reader.tokens_at_once(budget)
        # At least 1: no text may be without length.
        for rows in rows_by_length(numpy.maximum(1, lengths).tolist(), budget):
            some = torch.from_numpy(texts[rows]).to(device)
            here = torch.from_numpy(kept[rows]).to(device)
            if self._reader is not None:
                probs = self._reader.probabilities(some, here)
            elif self._replacements is None:
                probs = self._shortened(some, here)
            else:
                probs = self._replaced(some, here)
            check_finite(self.model, [self.batch.ids[text] for text in texts[rows]], probs)
            outputs[rows] = probs.cpu().numpy()
        for text, probs in enumerate(numpy.split(outputs, ends[:-1])):
            self._known[text] = numpy.concatenate([self._known[text], probs])

    def _shortened(self, texts: torch.Tensor, kept: torch.Tensor) -> torch.Tensor:
        """The tokens that stay, moved together. Shape: (sets,), (sets, tokens) -> (sets, labels)"""
        places, inputs = self.batch.inputs.keeping(texts, kept)
        rows = self._embeddings[texts.unsqueeze(-1), places]
        return self.model.logits(rows, inputs).double().softmax(dim=-1)

    def _replaced(self, texts: torch.Tensor, kept: torch.Tensor) -> torch.Tensor:
        """Something else in the others' place. Shape: as above"""
        whole = self.batch.inputs.rows(texts)
        erased = whole.at_places(whole.attendable & ~kept).unsqueeze(-1)
        inputs = whole.trimmed()
        here = slice(inputs.mask.size(1))
        probs = [
            self.model.logits(
                torch.where(erased[:, here], other[texts, here], self._embeddings[texts, here]),
                inputs,
            )
            .double()
            .softmax(dim=-1)
            for other in self._replacements
        ]
        return sum(probs) / len(probs)


def set_reader(model: AttentionClassifier) -> Optional[Callable[..., SetReader]]:
    """What reads sets of tokens of this model faster than by a pass for each; None if nothing does."""
    if no_state_knows_another_token(model):
        return StateSets
    encoder = encoder_of_tokens(model)
    # On a GPU steps in Python are slower than passes.
    on_host = next(model.parameters()).device.type == "cpu"
    if encoder is None or not on_host or not Readout.knows(model.attention.scorer):
        return None
    if Readout.is_of_one_text(model.attention.scorer):
        return None
    fast = capability(encoder, TokenSets)
    return None if fast is None else fast.token_sets


def reads_sets_apart(model: AttentionClassifier) -> bool:
    """Whether each set of tokens takes a pass of its own."""
    return set_reader(model) is None


def _keys(sets: numpy.ndarray) -> List[bytes]:
    """The bits of each set. Shape: (sets, tokens)"""
    bits = numpy.packbits(sets, axis=1)
    width = bits.shape[1]
    whole = bits.tobytes()
    return [whole[first : first + width] for first in range(0, len(whole), width)]
