"""The symbols for padding, unknown words and removed words (the mask): their ids and embeddings."""

import torch
from allennlp.models import Model
from allennlp.modules.token_embedders import Embedding

from attention_explain.errors import InputError

# Replaces a removed word in the text of a model trained with it. A word of its own, distinct from unknown
# words; a pretrained tokenizer reads it as its own mask.
MASK_TOKEN = "@@MASK@@"

SYMBOLS = ("pad", "unk", "mask")


def symbol_ids(model: Model, symbol: str, purpose: str) -> dict[str, int]:
    """
    The number that one of `SYMBOLS` has for each token indexer. `purpose` begins the sentence that is
    said where a word has more than one number, or the vocabulary lacks the symbol.
    """
    if not hasattr(model, "text_field_embedder"):
        raise InputError(f"{purpose}, but a {type(model).__name__} has no words of its own")
    vocab = model.vocab
    word = {"pad": vocab._padding_token, "unk": vocab._oov_token, "mask": MASK_TOKEN}[symbol]
    ids = {}
    for indexer in model.text_field_embedder._ordered_embedder_keys:
        embedder = getattr(model.text_field_embedder, f"token_embedder_{indexer}")
        if not isinstance(embedder, Embedding):
            raise InputError(
                f"{purpose}, but the token indexer '{indexer}' gives a word more than one number"
            )
        namespace = embedder._vocab_namespace or "tokens"
        known = vocab.get_token_to_index_vocabulary(namespace)
        if word not in known:
            raise InputError(
                f"{purpose}, but the vocabulary's namespace '{namespace}' lacks '{word}'"
            )
        ids[indexer] = known[word]
    return ids


@torch.no_grad()
def symbol_embedding(model: Model, symbol: str, purpose: str) -> torch.Tensor:
    """What the model's `embed` gives for a symbol. Shape: (embedding_dim,)"""
    ids = symbol_ids(model, symbol, purpose)
    device = next(model.parameters()).device
    one = {
        indexer: {"tokens": torch.full((1, 1), number, device=device)}
        for indexer, number in ids.items()
    }
    return model.embed(one)[0, 0]
