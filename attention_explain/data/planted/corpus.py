"""
The planted corpus: invented reviews in which it is known, token by token, what makes the label.
This module gives its splits; `__main__` writes them to files.
"""

import re
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

from attention_explain.data.planted.settings import PRESETS, PlantedSettings, settings_for
from attention_explain.data.planted.text import (
    NEGATORS,
    OPINIONS,
    QUESTIONS,
    WEEKDAYS,
    Opinion,
    PlantedText,
    write_text,
)

__all__ = ["DEFAULT_SIZES", "PRESETS", "PlantedCorpus", "PlantedSentence", "PlantedSettings"]

DEFAULT_SIZES: dict[str, int] = {"train": 2000, "dev": 400, "test": 400}
SPLITS = tuple(DEFAULT_SIZES)
# One draw in three belongs to the wanted split; when all of these fail, no new text is left.
MOST_DRAWS = 500


# What makes a conjunction fail, each equally often.
FAILED_CONJUNCTIONS = ((0, 0), (0, 1), (1, 0))


@dataclass(frozen=True)
class TextPlan:
    """What a text will say, before its words are chosen."""

    label: int
    length: int
    # For each opinion: what it says in the end (0 bad, 1 good), and whether by way of a negator.
    polarities: tuple[int, ...]
    negated: tuple[bool, ...]
    # The label whose weekday stands in the text.
    weekday_of: int | None = None


def plans(settings: PlantedSettings, size: int, split: str, rng: Random) -> list[TextPlan]:
    """
    Plans come in pairs, one of each label with all else equal: length, negators, whether the
    weekday agrees. So none of these, nor their number, says anything about the label.
    """
    pairs = (size + 1) // 2
    lengths = _lengths(settings, pairs, rng)
    negated = [_flags(settings.negation, pairs, rng) for _ in range(settings.opinions)]
    agrees = None
    if settings.shortcut is not None:
        share = settings.shortcut if split == "train" else settings.shortcut_heldout
        agrees = _flags(share, pairs, rng)
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


def _lengths(settings: PlantedSettings, count: int, rng: Random) -> list[int]:
    """Each length equally often; both bounds even where there are fewer texts than lengths."""
    bounds = sorted({settings.min_tokens, settings.max_tokens})
    between = list(range(settings.min_tokens + 1, settings.max_tokens))
    rng.shuffle(between)
    order = bounds + between
    lengths = [order[number % len(order)] for number in range(count)]
    rng.shuffle(lengths)
    return lengths


def _flags(share: float, count: int, rng: Random) -> list[bool]:
    """As many True as the share asks for, in any order."""
    true = round(share * count)
    flags = [True] * true + [False] * (count - true)
    rng.shuffle(flags)
    return flags


def _polarities(
    settings: PlantedSettings, label: int, pair: int, unanimous: bool
) -> tuple[int, ...]:
    if unanimous:
        return (label,) * settings.opinions
    if not settings.conjunction:
        return (label,) * settings.causes + (1 - label,) * settings.contrary
    return (1, 1) if label else FAILED_CONJUNCTIONS[pair % len(FAILED_CONJUNCTIONS)]


@dataclass(frozen=True)
class PlantedSentence:
    """A text with its label; the masks have one 0 or 1 a token and never overlap."""

    id: str
    tokens: tuple[str, ...]
    label: str
    # The opinions (negator and opinion word) that make the label.
    rationale: tuple[int, ...]
    # The opinions that speak against it, outvoted.
    contrary: tuple[int, ...]
    # The weekday, which goes with the label but does not make it; where a question is asked, the
    # opinions on all else.
    distractor: tuple[int, ...]
    # The tokens of the question, where one is asked.
    question: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """The sentence as a string."""
        return _written(self.tokens)

    def as_json(self) -> dict[str, Any]:
        """As `attention_text` reads it; with a question, as `question_passage` does."""
        text, tokens, label = "text", "tokens", "label"
        asked = {}
        if self.question:
            text, tokens, label = "passage", "passage_tokens", "answer"
            asked = {"question": _written(self.question), "question_tokens": list(self.question)}
        return {
            "id": self.id,
            text: self.text,
            tokens: list(self.tokens),
            **asked,
            label: self.label,
            "rationale": list(self.rationale),
            "contrary": list(self.contrary),
            "distractor": list(self.distractor),
        }


class PlantedCorpus:
    """
    The splits of a planted corpus, generated when asked for. Same preset, knobs, sizes and seed:
    same bytes.

    No text is in two splits, whatever their sizes and seeds, because a checksum of the text says
    to which split it belongs.
    """

    def __init__(
        self,
        preset: str = "easy",
        overrides: Mapping[str, Any] | None = None,
        sizes: Mapping[str, int] | None = None,
        seed: int = 1,
    ) -> None:
        self.preset = preset
        self.settings = settings_for(preset, overrides)
        self.sizes = {**DEFAULT_SIZES, **(sizes or {})}
        self.seed = seed
        for split, size in self.sizes.items():
            _check_split(split)
            if not isinstance(size, int) or size < 1:
                raise ValueError(f"the size of {split} is {size!r}, but must be 1 or more")

    def split(self, name: str) -> list[PlantedSentence]:
        """All sentences of `train`, `dev` or `test`."""
        _check_split(name)
        rng = Random(f"{self.seed} {name}")
        seen: set[tuple[str, ...]] = set()
        sentences = []
        for number, plan in enumerate(plans(self.settings, self.sizes[name], name, rng)):
            text = self._unseen_text(rng, plan, name, seen)
            sentence_id = f"planted-{self.preset}-{name}-{number}"
            if self.settings.question:
                question = rng.choice(QUESTIONS).format(aspect=text.tokens[text.aspects_at[0]])
                sentences.append(_asked(sentence_id, plan, text, tuple(question.split())))
            else:
                sentences.append(_sentence(sentence_id, plan, text))
        return sentences

    def _unseen_text(
        self, rng: Random, plan: TextPlan, split: str, seen: set[tuple[str, ...]]
    ) -> PlantedText:
        for _ in range(MOST_DRAWS):
            opinions = _opinions(rng, plan, self.settings.opinion_words)
            weekday = None if plan.weekday_of is None else rng.choice(WEEKDAYS[plan.weekday_of])
            distance = self.settings.min_distance_from_end
            text = write_text(
                rng,
                plan.length,
                opinions,
                weekday,
                distance,
                of_aspects=self.settings.question,
                aspects=self.settings.aspects,
                things=self.settings.things,
            )
            if text.tokens in seen or _split_of(text.tokens) != split:
                continue
            # Who asks for an aspect must not find it in a neutral clause.
            if not self.settings.question or _each_named_once(text):
                seen.add(text.tokens)
                return text
        raise ValueError(
            f"no more than {len(seen)} different texts were found for {split}; ask for fewer or "
            "for longer ones"
        )


def _check_split(name: str) -> None:
    if name not in SPLITS:
        raise ValueError(
            f"{name!r} is no split of the planted corpus; the splits are {', '.join(SPLITS)}"
        )


def _split_of(tokens: Sequence[str]) -> str:
    return SPLITS[zlib.crc32(" ".join(tokens).encode()) % len(SPLITS)]


def _opinions(rng: Random, plan: TextPlan, words: int) -> list[Opinion]:
    """Opinion words without repetition, of the polarity that their negator turns as planned."""
    decks = [rng.sample(lexicon[:words], len(plan.polarities)) for lexicon in OPINIONS]
    return [
        Opinion(decks[1 - polarity if negated else polarity].pop(), _negator(rng, negated))
        for polarity, negated in zip(plan.polarities, plan.negated, strict=True)
    ]


def _negator(rng: Random, negated: bool) -> str | None:
    return rng.choice(NEGATORS) if negated else None


def _sentence(sentence_id: str, plan: TextPlan, text: PlantedText) -> PlantedSentence:
    # A conjunction fails by its bad aspects alone, as a majority wins by its own votes alone: the
    # opinions that share the label's polarity are its cause.
    for_label: list[int] = []
    against: list[int] = []
    for polarity, positions in zip(plan.polarities, text.opinions_at, strict=True):
        (for_label if polarity == plan.label else against).extend(positions)
    return PlantedSentence(
        id=sentence_id,
        tokens=text.tokens,
        label=str(plan.label),
        rationale=_mask(text.tokens, for_label),
        contrary=_mask(text.tokens, against),
        distractor=_mask(text.tokens, text.weekday_at),
    )


def _asked(
    sentence_id: str, plan: TextPlan, text: PlantedText, question: tuple[str, ...]
) -> PlantedSentence:
    """The first opinion is asked for: its aspect and its words together make the label."""
    others = [position for positions in text.opinions_at[1:] for position in positions]
    return PlantedSentence(
        id=sentence_id,
        tokens=text.tokens,
        label=str(plan.label),
        rationale=_mask(text.tokens, (text.aspects_at[0], *text.opinions_at[0])),
        contrary=_mask(text.tokens, ()),
        distractor=_mask(text.tokens, (*others, *text.weekday_at)),
        question=question,
    )


def _each_named_once(text: PlantedText) -> bool:
    return all(text.tokens.count(text.tokens[position]) == 1 for position in text.aspects_at)


def _written(tokens: Sequence[str]) -> str:
    return re.sub(r" (?=[.;?])", "", " ".join(tokens))


def _mask(tokens: Sequence[str], positions: Sequence[int]) -> tuple[int, ...]:
    return tuple(int(position in positions) for position in range(len(tokens)))
