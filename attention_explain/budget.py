"""How much goes through a model at once, where nobody says otherwise."""

# How many tokens, padding included, one pass through the model may hold at once. On a CPU larger
# passes are slower, because they leave the cache: for a BiLSTM of 128, leave-one-out takes a third
# more time at 16384, gradients a third, deeplift five times as much.
DEFAULT_BUDGET = 4096
# A GPU has no such cache, and stands idle in small passes.
GPU_BUDGET = 32768

# What looks at all pairs of tokens holds so many numbers at once: 40 MB, 256 on a GPU, and up to
# twenty times as much in between. A text of 3200 tokens is a single piece. Smaller pieces take more
# memory: up to 32 MB the C library keeps what is freed, with holes between what is not.
PAIRS = 10 * 2**20
GPU_PAIRS = 2**26


def default_budget(device: str) -> int:
    """For a device of that type."""
    return DEFAULT_BUDGET if device == "cpu" else GPU_BUDGET


def rows_at_once(numbers: int, device: str) -> int:
    """How many rows, each of so many numbers, are held at once by what looks at pairs of tokens."""
    return max(1, (PAIRS if device == "cpu" else GPU_PAIRS) // numbers)
