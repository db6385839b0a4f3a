"""
What methods need of a model, the one position where that is matched with what a model has, and what is
known of its embedder: whether the vector of a token is that token alone.
"""

from collections.abc import Sequence

import torch
from allennlp.models import Model
from allennlp.modules import Seq2SeqEncoder, TextFieldEmbedder
from allennlp.modules.text_field_embedders import BasicTextFieldEmbedder
from allennlp.modules.token_embedders import Embedding, EmptyEmbedder, TokenCharactersEncoder

from attention_explain.errors import InputError

# A model that can be explained has a function `lacks(need) -> Optional[str]`: None, or a sentence that
# says why it has not what is needed.
NEEDS = {
    "embeddings": "the embeddings of tokens, and what the model makes of others (embed, logits)",
    "attention": "one attention weight for each token",
    "stages": "hidden states of tokens and attention over them (encode, attend, decode)",
    "encoder": "an encoder that reads the embeddings of the tokens themselves",
    "states": "hidden states as a function of the embeddings of tokens (encode)",
    "parts": "parts that are known one by one, from the embeddings of the tokens to the logits",
    "layers": "layers of self-attention",
    "maps": "the weights of its layers as part of what it computes, for gradients",
}

# Embedders in which the vector of a token depends on that token alone. One that is not known is
# taken to see the others, since the mistake would go unseen; it may declare `context_free = True`.
CONTEXT_FREE = (Embedding, TokenCharactersEncoder, EmptyEmbedder)


def check_needs(model: Model, needs: Sequence[str], purpose: str) -> None:
    """
    One sentence where the model lacks something. `purpose` begins it if the model is none that can
    be explained at all, as in "lrp explains".
    """
    if not hasattr(model, "lacks"):
        raise InputError(f"{purpose} an attention_classifier, not a {type(model).__name__}")
    for need in needs:
        reason = model.lacks(need)
        if reason is not None:
            raise InputError(reason)
    check_texts_are_independent(model)


def encoder_of_tokens(model: Model) -> Seq2SeqEncoder | None:
    """What reads the embeddings of tokens, and may have something faster than passes; or None."""
    return model.encoder if model.lacks("encoder") is None else None


def has_not(model: Model, need: str) -> str:
    """The sentence where there is nothing more to say."""
    return f"it needs {NEEDS[need]}, which a {type(model).__name__} has not"


def ignored_text(name: str, model: Model) -> str:
    """The error for a second text, such as the `query` of a pair, that the model does not read."""
    return (
        f"the dataset reader gives a second text, '{name}', which a {type(model).__name__} does not "
        "read: its output would be that of the first text alone; use a reader of single texts, or a "
        "model of pairs (attention_pair_classifier)"
    )


def check_texts_are_independent(model: Model) -> None:
    """An encoder that goes on from the text before gives a text other scores in another batch."""
    for module in model.modules():
        if getattr(module, "stateful", False):
            raise InputError(
                f"the model's {type(module).__name__} is stateful: it reads a text in the light of "
                "those before it, so that no text has an explanation of its own; set 'stateful' to "
                "false in the model's config (or with --overrides)"
            )


def contextual_part(embedder: TextFieldEmbedder) -> torch.nn.Module | None:
    """What of the embedder may let a token's vector depend on other tokens; None if nothing."""
    if getattr(embedder, "context_free", False):
        return None
    if type(embedder) is not BasicTextFieldEmbedder:
        return embedder
    for part in embedder.children():
        if not _is_context_free(part):
            return part
    return None


def _is_context_free(embedder: torch.nn.Module) -> bool:
    # A subclass with a forward of its own may do anything.
    return getattr(embedder, "context_free", False) or any(
        isinstance(embedder, known) and type(embedder).forward is known.forward
        for known in CONTEXT_FREE
    )
