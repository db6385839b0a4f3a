"""
Which texts are too long for a method that cannot work in pieces. A method that can needs nothing
of this: `attention_explain.passes` bounds its pieces.
"""

from collections.abc import Callable

from attention_explain.errors import InputError

# In GB: what a method may take, and what of it program and model have taken before.
MEMORY = 2.0
PROGRAM = 0.7

# Longer than any text.
ENDLESS = 2**24


def most_tokens(numbers: Callable[[int], float], bytes_a_number: float, memory: float) -> int:
    """
    The tokens of the longest text that fits.

    # Parameters

    numbers : `Callable[[int], float]`
        What the method holds for a text of so many tokens; grows with them.
    bytes_a_number : `float`
        With all copies that are there at once; measured.
    memory : `float`
        In GB.
    """
    if not memory > PROGRAM:
        raise InputError(
            f"memory is {memory}, but must be above {PROGRAM} GB, which program and model take"
        )
    fits, too_long = 1, ENDLESS
    while too_long - fits > 1:
        tokens = (fits + too_long) // 2
        if numbers(tokens) * bytes_a_number <= (memory - PROGRAM) * 1e9:
            fits = tokens
        else:
            too_long = tokens
    return fits


def too_long(max_tokens: int) -> str:
    """Why a method skips a text; the same for all texts, so that they can be counted."""
    return (
        f"more than {max_tokens} tokens, the most that fit into its memory (its option 'memory', "
        "in GB, allows more)"
    )
