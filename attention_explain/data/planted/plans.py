"""
What is decided of each text of a planted split before its first word is written. Labels, lengths,
negators and weekdays are dealt out in exact shares, so that no chance correlation is left.
"""

from dataclasses import dataclass
from random import Random
from typing import List, Optional, Tuple

from attention_explain.data.planted.settings import PlantedSettings

# What makes a conjunction fail, each equally often.
FAILED_CONJUNCTIONS = ((0, 0), (0, 1), (1, 0))


@dataclass(frozen=True)
class TextPlan:
    """What a text will say, before its words are chosen."""

    label: int
    length: int
    # For each opinion: what it says in the end (0 bad, 1 good), and whether by way of a negator.
    polarities: Tuple[int, ...]
    negated: Tuple[bool, ...]
    # The label whose weekday stands in the text.
    weekday_of: Optional[int] = None


def plans(settings: PlantedSettings, size: int, split: str, rng: Random) -> List[TextPlan]:
    """
    Plans come in pairs, one of each label with all else equal: length, negators, whether the
    weekday agrees. So none of these, nor their number, says anything about the label.
    """
    pairs = (size + 1) // 2
    lengths = _lengths(settings, pairs, rng)
    negated = [_flags(settings.negation, pairs, rng) for _ in range(settings.opinions)]
    share = settings.shortcut if split == "train" else settings.shortcut_heldout
    agrees = None if settings.shortcut is None else _flags(share, pairs, rng)
    share = settings.unanimous if split == "train" else 0
    unanimous = _flags(share, pairs, rng) if share else [False] * pairs
    dealt = [
        TextPlan(
            label=label,
            length=lengths[pair],
            polarities=_polarities(settings, label, pair, unanimous[pair]),
            negated=tuple(flags[pair] for flags in negated),
            weekday_of=None if agrees is None else label if agrees[pair] else 1 - label,
        )
        for pair in range(pairs)
        for label in (0, 1)
    ][:size]
    rng.shuffle(dealt)
    return dealt


def _lengths(settings: PlantedSettings, count: int, rng: Random) -> List[int]:
    """Each length equally often; both bounds even where there are fewer texts than lengths."""
    bounds = sorted({settings.min_tokens, settings.max_tokens})
    between = list(range(settings.min_tokens + 1, settings.max_tokens))
    rng.shuffle(between)
    order = bounds + between
    lengths = [order[number % len(order)] for number in range(count)]
    rng.shuffle(lengths)
    return lengths


def _flags(share: float, count: int, rng: Random) -> List[bool]:
    """As many True as the share asks for, in any order."""
    true = round(share * count)
    flags = [True] * true + [False] * (count - true)
    rng.shuffle(flags)
    return flags


def _polarities(
    settings: PlantedSettings, label: int, pair: int, unanimous: bool
) -> Tuple[int, ...]:
    if unanimous:
        return (label,) * settings.opinions
    if not settings.conjunction:
        return (label,) * settings.causes + (1 - label,) * settings.contrary
    return (1, 1) if label else FAILED_CONJUNCTIONS[pair % len(FAILED_CONJUNCTIONS)]
