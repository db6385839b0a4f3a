"""A token that is taken out becomes another word of the training data, drawn by its frequency."""

from typing import Optional

import torch
from allennlp.data import DatasetReader

from attention_explain.data.vocabulary import count_unigrams, kept_unigrams
from attention_explain.errors import InputError
from attention_explain.faithfulness.erasures.erasure import Erasure
from attention_explain.interpret.text_batch import TextBatch
from attention_explain.models import AttentionClassifier
from attention_explain.passes import generator_for
from attention_explain.symbols import symbol_ids

PURPOSE = "erasure 'marginal' puts drawn words in the place of words"


@Erasure.register("marginal")
class Marginal(Erasure):
    """
    E over w' of p(c | x with w' in the place of the tokens taken out), w' ~ the unigrams of the
    training data: the model's output with what the tokens say averaged out (Kim et al. 2020, with
    unigrams for their language model). Each place of a text has one word a draw, whatever set is
    taken out, so that sets and methods are compared on the same words.

    Registered as an `Erasure` with name "marginal".

    # Parameters

    draws : `int`, optional (default = `5`)
        The probabilities are averaged over so many.
    seed : `int`, optional (default = `0`)
        With the instance's id it decides the words.
    data : `str`, optional
        Training data to count the words in, for the archive's own dataset reader. Needed where the
        archive does not know their frequencies: only vocabularies of type `document_frequency` do,
        and only since they keep them.
    """

    def __init__(self, draws: int = 5, seed: int = 0, data: Optional[str] = None) -> None:
        if draws < 1:
            raise InputError(f"draws is {draws}, but must be 1 or more")
        self.draws = draws
        self.seed = seed
        self.data = data
        # Of each word of the vocabulary, by its number.
        self._counts: Optional[torch.Tensor] = None

    def check(self, model: AttentionClassifier, reader: Optional[DatasetReader] = None) -> None:
        indexers = symbol_ids(model, "unk", PURPOSE)
        embedders = [
            getattr(model.text_field_embedder, f"token_embedder_{name}") for name in indexers
        ]
        namespaces = {embedder._vocab_namespace or "tokens" for embedder in embedders}
        if len(namespaces) > 1:
            raise InputError(
                f"{PURPOSE}, but the words of this model are in several namespaces: "
                f"{', '.join(sorted(namespaces))}"
            )
        (namespace,) = namespaces
        counts = kept_unigrams(model.vocab, namespace)
        if self.data is not None and reader is not None:
            counts = count_unigrams(model.vocab, namespace, reader, self.data)
        if counts is None:
            raise InputError(
                f"{PURPOSE}, but the archive does not know how frequent they were in training; "
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
