"""
What explanations take for granted about a model, and the sentence for a model that breaks it: a
text is read by itself, and what `embed` gives for a token is the token.
"""

from typing import Optional

import torch
from allennlp.common.checks import ConfigurationError
from allennlp.modules import TextFieldEmbedder
from allennlp.modules.text_field_embedders import BasicTextFieldEmbedder
from allennlp.modules.token_embedders import Embedding, EmptyEmbedder, TokenCharactersEncoder

from attention_explain.models import AttentionClassifier

# Embedders in which the vector of a token depends on that token alone. One that is not known is
# taken to see the others, since the mistake would go unseen; it may declare `context_free = True`.
CONTEXT_FREE = (Embedding, TokenCharactersEncoder, EmptyEmbedder)


def check_texts_are_independent(model: AttentionClassifier) -> None:
    """An encoder that goes on from the text before gives a text other scores in another batch."""
    for module in model.modules():
        if getattr(module, "stateful", False):
            raise ConfigurationError(
                f"the model's {type(module).__name__} is stateful: it reads a text in the light of "
                "those before it, so that no text has an explanation of its own; set 'stateful' to "
                "false in the model's config (or with --overrides)"
            )


def check_embeddings_are_tokens(model: AttentionClassifier) -> None:
    """
    Who changes one vector of a contextual embedder has not changed one token: the other vectors
    still know of it.
    """
    part = contextual_part(model.text_field_embedder)
    if part is not None:
        raise ConfigurationError(
            "it takes the vector that the embedder gives a token for the token itself, but in this "
            f"model's {type(part).__name__} that vector may know of the other tokens; 'attention' "
            'can be used, and methods of the hidden states (\'gradient\' with "at": "hidden", '
            "'leave-one-out' and 'occlusion' with \"of\": \"hidden\")"
        )


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
