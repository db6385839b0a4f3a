"""What one text is known by when files are joined: its id, and its tokens."""

import hashlib
from typing import Sequence


def text_key(id: str, tokens: Sequence[str]) -> bytes:
    """
    The tokens count too, because an id may be that of another text in another split (`line-7`).
    Halves of characters, which no file can hold, are equal to the marks that stand for them there.
    """
    content = "\0".join((id, *tokens)).encode("utf-8", "replace")
    return hashlib.blake2b(content, digest_size=16).digest()
