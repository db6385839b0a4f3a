"""
Removal methods, and the model's outputs for texts from which tokens were removed. Measures query the
model only here. Equal token sets of a text are evaluated once, in forward passes of similar length
within the token budget.
"""

from collections.abc import Callable, Sequence

import numpy
import torch
from allennlp.common import Registrable
from allennlp.data import DatasetReader

from attention_explain.data.vocabulary import count_unigrams, kept_unigrams
from attention_explain.errors import InputError
from attention_explain.interpret.removal import (
    Readout,
    SetReader,
    TokenSets,
    fast_removal,
    no_state_knows_another_token,
)
from attention_explain.interpret.removal_sets import StateSets
from attention_explain.interpret.text_batch import TextBatch, baseline_embeddings, check_finite
from attention_explain.model_outputs import probabilities
from attention_explain.models import AttentionClassifier
from attention_explain.models.classifier import check_needs, encoder_of_tokens
from attention_explain.modules.capabilities import capability
from attention_explain.named_components import ComponentKind
from attention_explain.passes import generator_for, rows_by_length
from attention_explain.symbols import symbol_ids


class RemovalMethod(Registrable):
    """
    What the model reads instead of removed tokens. A subclass implements `replacements`.
    """

    # Whether hidden states are removed instead of tokens.
    of_states = False

    def check(self, model: AttentionClassifier, reader: DatasetReader | None = None) -> None:
        """Raise if the model does not support this method. `reader` is the model's own."""

    def replacements(
        self, model: AttentionClassifier, batch: TextBatch, embeddings: torch.Tensor
    ) -> torch.Tensor | None:
        """
        The embeddings that replace removed tokens; None if removed tokens are deleted. The model's
        probabilities are averaged over the draws. Shape: (draws, batch, tokens, embedding_dim)
        """
        raise NotImplementedError


ERASURES = ComponentKind(
    noun="removal method", registry=RemovalMethod, base=RemovalMethod, reserved=()
)


@RemovalMethod.register("delete")
class Delete(RemovalMethod):
    """
    Deletes the tokens: the text gets shorter, boundary symbols stay. If no token is left, the output
    is that of the decoder for a context of 0.

    Registered as a `RemovalMethod` with name "delete".
    """

    def replacements(
        self, model: AttentionClassifier, batch: TextBatch, embeddings: torch.Tensor
    ) -> None:
        return None


@RemovalMethod.register("zero")
class Zero(RemovalMethod):
    """
    Sets the embedding of removed tokens to 0. The text keeps its length.

    Registered as a `RemovalMethod` with name "zero".
    """

    def replacements(
        self, model: AttentionClassifier, batch: TextBatch, embeddings: torch.Tensor
    ) -> torch.Tensor:
        return baseline_embeddings(model, batch, embeddings, "zero").unsqueeze(0)


@RemovalMethod.register("attention-mask")
class AttentionMask(RemovalMethod):
    """
    Removes the hidden states of tokens: their attention is 0, that of the others is projected again, and
    the other states stay as they are (Liu et al. 2022).

    Registered as a `RemovalMethod` with name "attention-mask".
    """

    of_states = True

    def check(self, model: AttentionClassifier, reader: DatasetReader | None = None) -> None:
        check_needs(model, ("stages",), "removal method 'attention-mask' is for")

    def replacements(
        self, model: AttentionClassifier, batch: TextBatch, embeddings: torch.Tensor
    ) -> None:
        return None


MASK_PURPOSE = (
    "removal method 'mask' is for models that were trained with masked words (the callback "
    "'erasure_training')"
)


@RemovalMethod.register("mask")
class Mask(RemovalMethod):
    """
    Replaces removed tokens by a mask symbol. The text keeps its length, and is in distribution for a
    model of `erasure_training` (Madsen et al. 2023), which was trained with masked tokens.

    Registered as a `RemovalMethod` with name "mask".
    """

    def check(self, model: AttentionClassifier, reader: DatasetReader | None = None) -> None:
        model.symbol_embedding("mask", MASK_PURPOSE)

    def replacements(
        self, model: AttentionClassifier, batch: TextBatch, embeddings: torch.Tensor
    ) -> torch.Tensor:
        return model.symbol_embedding("mask", MASK_PURPOSE).expand(1, *embeddings.shape)


UNK_PURPOSE = "removal method 'unk' replaces words by the symbol of unknown words"


@RemovalMethod.register("unk")
class Unk(RemovalMethod):
    """
    Replaces removed tokens by the symbol of unknown words. The text keeps its length. If the
    vocabulary has all training words, the vector of that symbol was never trained.

    Registered as a `RemovalMethod` with name "unk".
    """

    def check(self, model: AttentionClassifier, reader: DatasetReader | None = None) -> None:
        model.symbol_embedding("unk", UNK_PURPOSE)

    def replacements(
        self, model: AttentionClassifier, batch: TextBatch, embeddings: torch.Tensor
    ) -> torch.Tensor:
        return model.symbol_embedding("unk", UNK_PURPOSE).expand(1, *embeddings.shape)


MARGINAL_PURPOSE = "removal method 'marginal' replaces words by random words"


@RemovalMethod.register("marginal")
class Marginal(RemovalMethod):
    """
    E over w' of p(c | x with the removed tokens replaced by w'), w' ~ the unigrams of the training
    data: the model's output marginalised over the removed tokens (Kim et al. 2020, with unigrams for
    their language model). Each position has one word per draw, whatever set is removed, so that sets
    and methods are compared on the same words.

    Registered as a `RemovalMethod` with name "marginal".

    # Parameters

    draws : `int`, optional (default = `5`)
        The number of draws that the probabilities are averaged over.
    seed : `int`, optional (default = `0`)
        Determines the words, together with the instance's id.
    data : `str`, optional
        Training data to count the words in, for the archive's own dataset reader. Needed if the
        archive does not have word frequencies: only vocabularies of type `document_frequency` do.
    """

    def __init__(self, draws: int = 5, seed: int = 0, data: str | None = None) -> None:
        if draws < 1:
            raise InputError(f"draws is {draws}, but must be 1 or more")
        self.draws = draws
        self.seed = seed
        self.data = data
        # Counts by index in the vocabulary.
        self._counts: torch.Tensor | None = None

    def check(self, model: AttentionClassifier, reader: DatasetReader | None = None) -> None:
        indexers = symbol_ids(model, "unk", MARGINAL_PURPOSE)
        embedders = [
            getattr(model.text_field_embedder, f"token_embedder_{name}") for name in indexers
        ]
        namespaces = {embedder._vocab_namespace or "tokens" for embedder in embedders}
        if len(namespaces) > 1:
            raise InputError(
                f"{MARGINAL_PURPOSE}, but this model has words in several namespaces: "
                f"{', '.join(sorted(namespaces))}"
            )
        (namespace,) = namespaces
        counts = kept_unigrams(model.vocab, namespace)
        if self.data is not None and reader is not None:
            counts = count_unigrams(model.vocab, namespace, reader, self.data)
        if counts is None:
            raise InputError(
                f"{MARGINAL_PURPOSE}, but the archive has no word frequencies of the training data; "
                'give the training data: {"type": "marginal", "data": "train.jsonl"}'
            )
        self._counts = torch.tensor(counts, dtype=torch.double)

    def replacements(
        self, model: AttentionClassifier, batch: TextBatch, embeddings: torch.Tensor
    ) -> torch.Tensor:
        if self._counts is None:
            self.check(model)
        assert self._counts is not None
        drawn = torch.zeros(self.draws, *batch.mask.shape, dtype=torch.long)
        for row, instance_id in enumerate(batch.ids):
            generator = generator_for(self.seed, instance_id, "marginal")
            tokens = int(batch.mask[row].sum())
            words = self._counts.multinomial(self.draws * tokens, True, generator=generator)
            drawn[:, row, :tokens] = words.view(self.draws, tokens)
        ids = drawn.to(batch.mask.device)
        return torch.stack(
            [model.embed({key: {"tokens": some} for key in batch.tokens}) for some in ids]
        )


class RemovalOutputs:
    """
    The model's probabilities for token sets of each text in a batch, under one removal method.

    # Parameters

    model : `AttentionClassifier`
    batch : `TextBatch`
    embeddings : `torch.Tensor`
        Of the batch. Shape: (batch, positions, embedding_dim)
    erasure : `RemovalMethod`
    """

    @torch.no_grad()
    def __init__(
        self,
        model: AttentionClassifier,
        batch: TextBatch,
        embeddings: torch.Tensor,
        erasure: RemovalMethod,
    ) -> None:
        self.model = model
        self.batch = batch
        self._embeddings = embeddings
        self._replacements = erasure.replacements(model, batch, embeddings)
        # For each text: the index in `_known` of a token set, given as bytes of its bits.
        self._indices: list[dict[bytes, int]] = [{} for _ in range(len(batch))]
        self._known = [numpy.empty((0, len(model.labels))) for _ in range(len(batch))]
        self._own = [seen.nonzero().squeeze(-1).numpy() for seen in batch.seen]
        self._bounds = (batch.inputs.token_mask.cpu() & ~batch.seen).numpy()
        # The number of positions of each token, and those of no token.
        sizes = batch.inputs.of_tokens(batch.mask.int(), "sum").cpu().numpy()
        self._sizes = sizes
        self._specials = batch.mask.sum(dim=1).cpu().numpy() - sizes.sum(axis=1)
        self._of_states = erasure.of_states
        self._reader = self.fast_reader()

    def fast_reader(self) -> SetReader | None:
        """A reader that is faster than one forward pass per set; None if the encoder has none."""
        kind = StateSets if self._of_states else set_reader(self.model)
        if kind is None:
            return None
        return kind(self.model, self.batch, self._embeddings, self._replacements)

    @property
    def sets_run(self) -> int:
        """The number of distinct sets that were evaluated."""
        return sum(map(len, self._known))

    def known_sets(self) -> list[numpy.ndarray]:
        """For each text, the evaluated sets. Shape: (sets, tokens)"""
        return [
            numpy.unpackbits(
                numpy.frombuffer(b"".join(indices), dtype=numpy.uint8).reshape(len(indices), -1),
                axis=1,
                count=len(own),
            ).astype(bool)
            for indices, own in zip(self._indices, self._own, strict=True)
        ]

    @property
    def labels(self) -> int:
        """The number of labels."""
        return self._known[0].shape[1]

    def __call__(
        self, asked: Sequence[numpy.ndarray], remember: bool = True
    ) -> list[numpy.ndarray]:
        """
        # Parameters

        asked : `Sequence[numpy.ndarray]`
            For each text, the tokens that each set keeps. Shape: (sets, tokens of the text), bool
        remember : `bool`, optional (default = `True`)
            Whether each set is evaluated once, now and later. Needs memory for all sets.

        # Returns

        probabilities : `List[numpy.ndarray]`
            Shape: (sets, labels), float64
        """
        if not remember:
            return self._run(asked)
        new, keys = [], []
        for text, sets in enumerate(asked):
            bits = _keys(sets)
            keys.append(bits)
            indices = self._indices[text]
            fresh = []
            for number, key in enumerate(bits):
                if key not in indices:
                    indices[key] = len(indices)
                    fresh.append(number)
            new.append(sets[fresh])
        for text, probs in enumerate(self._run(new)):
            self._known[text] = numpy.concatenate([self._known[text], probs])
        return [
            self._known[text][[indices[key] for key in bits]]
            for text, (indices, bits) in enumerate(zip(self._indices, keys))
        ]

    @torch.no_grad()
    def remember_leave_one_out(self) -> None:
        """Evaluate all sets that lack one token, by the fast method if the model supports it."""
        fast = None if self._of_states else fast_removal(self.model)
        if fast is None:
            self([~numpy.eye(len(own), dtype=bool) for own in self._own])
            return
        draws = [None] if self._replacements is None else list(self._replacements)
        probs = sum(
            probabilities(
                self.model,
                fast.remove_tokens(
                    self.model, self.batch, self._embeddings, replacement
                ).without.double(),
            )
            for replacement in draws
        )
        values = (probs / len(draws)).cpu().numpy()
        for text, own in enumerate(self._own):
            indices = self._indices[text]
            keys = _keys(~numpy.eye(len(own), dtype=bool))
            fresh = [number for number, key in enumerate(keys) if key not in indices]
            for number in fresh:
                indices[keys[number]] = len(indices)
            self._known[text] = numpy.concatenate([self._known[text], values[text, own[fresh]]])

    @torch.no_grad()
    def _run(self, new: Sequence[numpy.ndarray]) -> list[numpy.ndarray]:
        """Evaluate sets of each text. Shape: (sets, labels)"""
        numbers = [len(sets) for sets in new]
        texts = numpy.repeat(numpy.arange(len(new)), numbers)
        # With boundary symbols, which always stay. Shape: (sets, tokens of the batch)
        kept = self._bounds[texts]
        ends = numpy.cumsum(numbers)
        for text, sets in enumerate(new):
            kept[ends[text] - len(sets) : ends[text], self._own[text]] = sets
        outputs = numpy.empty((len(texts), self.labels))
        read = kept | (self._of_states or self._replacements is not None)
        lengths = (read * self._sizes[texts]).sum(axis=1) + self._specials[texts]
        device, budget = self.batch.mask.device, self.batch.budget
        if self._reader is not None:
            budget = self._reader.tokens_at_once(budget)
        # Lengths must be at least 1.
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
        return numpy.split(outputs, ends[:-1])

    def _shortened(self, texts: torch.Tensor, kept: torch.Tensor) -> torch.Tensor:
        """Without the removed tokens. Shape: (sets,), (sets, tokens) -> (sets, labels)"""
        positions, inputs = self.batch.inputs.keeping(texts, kept)
        rows = self._embeddings[texts.unsqueeze(-1), positions]
        return probabilities(self.model, self.model.logits(rows, inputs).double())

    def _replaced(self, texts: torch.Tensor, kept: torch.Tensor) -> torch.Tensor:
        """With the removed tokens replaced. Shape: as above"""
        full = self.batch.inputs.rows(texts)
        removed = full.at_positions(full.attendable & ~kept).unsqueeze(-1)
        inputs = full.trimmed()
        here = slice(inputs.mask.size(1))
        assert self._replacements is not None
        probs = [
            probabilities(
                self.model,
                self.model.logits(
                    torch.where(
                        removed[:, here], other[texts, here], self._embeddings[texts, here]
                    ),
                    inputs,
                ).double(),
            )
            for other in self._replacements
        ]
        return sum(probs) / len(probs)


def set_reader(model: AttentionClassifier) -> Callable[..., SetReader] | None:
    """A reader that is faster than one forward pass per token set; None if there is none."""
    if no_state_knows_another_token(model):
        return StateSets
    encoder = encoder_of_tokens(model)
    # On a GPU, steps in Python are slower than forward passes.
    on_host = next(model.parameters()).device.type == "cpu"
    if encoder is None or not on_host or not Readout.knows(model.attention.scorer):
        return None
    if Readout.is_of_one_text(model.attention.scorer):
        return None
    fast = capability(encoder, TokenSets)
    return None if fast is None else fast.token_sets


def reads_sets_apart(model: AttentionClassifier) -> bool:
    """Whether each token set takes a forward pass of its own."""
    return set_reader(model) is None


def _keys(sets: numpy.ndarray) -> list[bytes]:
    """The bits of each set. Shape: (sets, tokens)"""
    bits = numpy.packbits(sets, axis=1)
    width = bits.shape[1]
    joined = bits.tobytes()
    return [joined[first : first + width] for first in range(0, len(joined), width)]
