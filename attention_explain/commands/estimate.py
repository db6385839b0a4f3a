"""
How long a job will take, told from what its first two batches really took here: no table of costs
knows the model, the texts and the machine.
"""

from typing import Dict, Optional, Sequence

from command_line.durations import in_words

# Seconds. Of a job that takes less nothing is said.
WORTH_A_WORD = 60.0


def seconds_left(
    taken: Dict[int, float], left: Sequence[int], tokens: Sequence[int], longest: Sequence[int]
) -> float:
    """
    What the batches that are left will take, if a token takes what it took in the two batches
    that are done: in texts between those two in length, something between; in shorter ones what it
    took in the shorter.

    # Parameters

    taken : `Dict[int, float]`
        Seconds of the two, by number.
    tokens, longest : `Sequence[int]`
        Of each batch, its tokens and the length of its longest text.
    """
    long, short = sorted(taken, key=lambda number: -longest[number])
    slow, fast = (taken[number] / tokens[number] for number in (long, short))
    span = longest[long] - longest[short]

    def a_token(number: int) -> float:
        share = min(1.0, max(0.0, (longest[number] - longest[short]) / span)) if span else 0.5
        return fast + share * (slow - fast)

    return sum(tokens[number] * a_token(number) for number in left)


def estimate(
    seconds: float, texts: int, steps: Dict[str, float], enough: float = WORTH_A_WORD
) -> Optional[str]:
    """
    The sentence for so many texts that are left; None for a short job.

    # Parameters

    steps : `Dict[str, float]`
        What each step has taken so far.
    """
    if seconds < enough:
        return None
    slowest = max(steps, key=steps.get)
    share = steps[slowest] / sum(steps.values()) if len(steps) > 1 else 1.0
    most = f", {share:.0%} of it for {slowest}" if share < 1 else ""
    return (
        f"about {in_words(seconds)} on this machine for the {texts} texts that are left{most}; "
        "--limit takes fewer texts"
    )
