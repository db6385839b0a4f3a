"""Embedders in which the vector of a token is that token alone, and those of which nobody knows."""

from typing import Optional

import torch
from allennlp.modules import TextFieldEmbedder
from allennlp.modules.text_field_embedders import BasicTextFieldEmbedder
from allennlp.modules.token_embedders import Embedding, EmptyEmbedder, TokenCharactersEncoder

# Embedders in which the vector of a token depends on that token alone. One that is not known is
# taken to see the others, since the mistake would go unseen; it may declare `context_free = True`.
CONTEXT_FREE = (Embedding, TokenCharactersEncoder, EmptyEmbedder)


def contextual_part(embedder: TextFieldEmbedder) -> Optional[torch.nn.Module]:
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
