"""
Removal methods: what the model reads instead of removed tokens. The choice affects the results, so
it is an option.
"""

import torch
from allennlp.common import Registrable
from allennlp.data import DatasetReader

from attention_explain.data.vocabulary import count_unigrams, kept_unigrams
from attention_explain.errors import InputError
from attention_explain.interpret.baselines import baseline_embeddings
from attention_explain.interpret.text_batch import TextBatch
from attention_explain.models import AttentionClassifier
from attention_explain.named_components import ComponentKind
from attention_explain.passes import generator_for
from attention_explain.symbols import symbol_ids


class RemovalMethod(Registrable):
    """
    What the model reads instead of removed tokens. A subclass implements `replacements`.
    """

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
