"""Random numbers that belong to an instance, and not to its place in a batch or in a run."""

import hashlib

import torch


def generator_for(seed: int, instance_id: str, purpose: str = "") -> torch.Generator:
    """
    A generator of its own for each seed, instance and purpose (the method that draws). It lives on
    the CPU, so that a GPU draws the same numbers.
    """
    key = "\0".join((str(seed), instance_id, purpose))
    digest = hashlib.sha256(key.encode("utf-8", "surrogatepass")).digest()
    # torch takes a signed 64-bit seed, of which all bits count.
    return torch.Generator().manual_seed(int.from_bytes(digest[:8], "big", signed=True))
