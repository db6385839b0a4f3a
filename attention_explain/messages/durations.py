"""How long something takes or took, in words: the same for every command of the project."""

MINUTE = 60
HOUR = 60 * MINUTE
DAY = 24 * HOUR


def in_words(seconds: float) -> str:
    """In the unit in which a person thinks of it."""
    if seconds < 1.5 * MINUTE:
        return f"{seconds:.0f} s"
    if seconds < 1.5 * HOUR:
        return f"{seconds / MINUTE:.0f} min"
    if seconds < 2 * DAY:
        return f"{seconds / HOUR:.1f} h"
    return f"{seconds / DAY:.1f} days"
