"""
Like with like. A signed method ranks what speaks against the class last, one without sign ranks it
high: held against each other as they are, they disagree by convention. So such a pair is compared
by the sizes of its scores, and only two signed methods by signed scores.
"""

from enum import StrEnum

from analysis.agreement.pairs import Pair
from analysis.attributions import Attributions


class Signs(StrEnum):
    """What is compared: like with like, the sizes of all, or all as they are."""

    LIKE = "like"
    SIZES = "sizes"
    GIVEN = "given"


# How a pair was compared, in tables.
BY_SIZE = "sizes"
SIGNED = "signed scores"
UNSIGNED = "scores"
MIXED = "signed with unsigned"


def compared(file: Attributions, pair: Pair, signs: Signs = Signs.LIKE) -> str:
    """It depends on the two methods alone, whatever else is in the file."""
    signed = [file.signed(name) for name in pair]
    if signs is Signs.SIZES:
        return BY_SIZE if any(signed) else UNSIGNED
    if all(signed):
        return SIGNED
    if not any(signed):
        return UNSIGNED
    return BY_SIZE if signs is Signs.LIKE else MIXED
