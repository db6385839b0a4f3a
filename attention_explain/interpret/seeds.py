"""Random numbers that belong to an instance, and not to its place in a batch or in a run."""

import hashlib
from typing import Sequence

import torch

from attention_explain.interpret.text_batch import TextBatch


def generator_for(seed: int, instance_id: str, purpose: str = "") -> torch.Generator:
    """
    A generator of its own for each seed, instance and purpose (the method that draws). It lives on
    the CPU, so that a GPU draws the same numbers.
    """
    key = "\0".join((str(seed), instance_id, purpose))
    digest = hashlib.sha256(key.encode("utf-8", "surrogatepass")).digest()
    # torch takes a signed 64-bit seed, of which all bits count.
    return torch.Generator().manual_seed(int.from_bytes(digest[:8], "big", signed=True))


def noise(
    batch: TextBatch, embeddings: torch.Tensor, generators: Sequence[torch.Generator]
) -> torch.Tensor:
    """
    The next standard normal numbers of each text's own generator, in the places of its tokens, and
    0 elsewhere. Drawn on the host for the whole batch, and brought to the device together.
    Shape: as `embeddings`
    """
    drawn = torch.zeros(embeddings.shape)
    for row, (seen, generator) in enumerate(zip(batch.seen, generators, strict=True)):
        drawn[row, seen] = torch.randn(int(seen.sum()), drawn.size(-1), generator=generator)
    return drawn.to(embeddings)
