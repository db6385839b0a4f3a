"""How much goes through a model at once, where nobody says otherwise."""

# How many tokens, padding included, one pass through the model may hold at once. On a CPU larger
# passes are slower, because they leave the cache: for a BiLSTM of 128, leave-one-out takes a third
# more time at 16384, gradients a third, deeplift five times as much.
DEFAULT_BUDGET = 4096
# A GPU has no such cache, and stands idle in small passes.
GPU_BUDGET = 32768


def default_budget(device: str) -> int:
    """For a device of that type."""
    return DEFAULT_BUDGET if device == "cpu" else GPU_BUDGET
