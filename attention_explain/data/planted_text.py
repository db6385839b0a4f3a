"""
One text of the planted corpus: given opinions are put into clauses, and neutral clauses about the
same thing fill it up to an exact length. Which label the opinions make is not known here, so
nothing but the opinions can depend on it.
"""

from collections import defaultdict
from dataclasses import dataclass
from functools import lru_cache
from random import Random
from typing import Dict, List, Optional, Sequence, Tuple

from attention_explain.data.planted_words import (
    DOMAINS,
    INTENSIFIERS,
    JOINERS,
    JUDGED_CLAUSES,
    OPENERS,
    SHARED_CLAUSES,
    SHARED_WORDS,
    UNNEGATED_CLAUSES,
    WEEKDAY_CLAUSES,
    Domain,
)

SHORTEST_JUDGED = min(JUDGED_CLAUSES, key=lambda clause: len(clause.split()))
SHORTEST_WEEKDAY = min(WEEKDAY_CLAUSES, key=lambda clause: len(clause.split()))
# A clause and the token that ends it.
LONGEST_FILLER = 11
SHORTEST_FILLER = 4

INTENSIFIED = 0.25
JOINED = 0.35
DRAWS_BEFORE_SHORTEST = 20


@dataclass(frozen=True)
class Opinion:
    word: str
    negator: Optional[str] = None


@dataclass(frozen=True)
class PlantedText:
    """Tokens, and where the opinions (negator and opinion word) and the weekday stand in them."""

    tokens: Tuple[str, ...]
    opinions_at: Tuple[Tuple[int, ...], ...]
    weekday_at: Tuple[int, ...]


@dataclass
class _Clause:
    tokens: List[str]
    # What stands here: the opinion's number, and the places of its tokens or of the weekday.
    opinion: Optional[int] = None
    marked: Tuple[int, ...] = ()

    @property
    def cost(self) -> int:
        return len(self.tokens) + 1


def shortest_length(opinions: int, negated: bool, weekday: bool, distance: int) -> int:
    """The length from which on every text with so many opinions can be written."""
    judged = opinions * (len(SHORTEST_JUDGED.split()) + negated + 1)
    neutral = weekday * (len(SHORTEST_WEEKDAY.split()) + 1)
    missing = max(distance - 1 - neutral, 0)
    return judged + neutral + (max(missing, SHORTEST_FILLER) if missing else 0)


def write_text(
    rng: Random,
    length: int,
    opinions: Sequence[Opinion],
    weekday: Optional[str] = None,
    distance: int = 0,
) -> PlantedText:
    """
    A text of exactly `length` tokens with these opinions, in any order, each followed by at least
    `distance` tokens.
    """
    writer = _Writer(rng)
    judged, neutral, room = writer.given_clauses(length, opinions, weekday, distance)
    opener = rng.choice(OPENERS[room]).split() if 0 < room < SHORTEST_FILLER else []
    neutral += writer.fillers(room - len(opener))
    rng.shuffle(neutral)
    return _joined(rng, opener, _placed(rng, judged, neutral, distance))


class _Writer:
    """Draws the clauses of one text: all about one thing, no pattern or aspect twice."""

    def __init__(self, rng: Random) -> None:
        self._rng = rng
        self._domain = rng.choice(DOMAINS)
        self._used: set = set()

    def given_clauses(
        self, length: int, opinions: Sequence[Opinion], weekday: Optional[str], distance: int
    ) -> Tuple[List[_Clause], List[_Clause], int]:
        """The judged clauses, that of the weekday, and the room they leave for neutral ones."""
        for draw in range(DRAWS_BEFORE_SHORTEST + 1):
            shortest = draw == DRAWS_BEFORE_SHORTEST
            judged = self._judged(opinions, shortest)
            neutral = [self._weekday(weekday, shortest)] if weekday else []
            room = length - sum(clause.cost for clause in judged + neutral)
            filled = room if room >= SHORTEST_FILLER else 0
            # An opinion's own clause adds at least its last token to the distance.
            if room >= 0 and sum(clause.cost for clause in neutral) + filled + 1 >= distance:
                return judged, neutral, room
        raise ValueError(f"these opinions do not fit into {length} tokens")

    def fillers(self, room: int) -> List[_Clause]:
        """Neutral clauses that, with the token that ends each, take exactly `room` tokens."""
        clauses = []
        while room:
            costs = [
                cost
                for cost in range(SHORTEST_FILLER, min(room, LONGEST_FILLER) + 1)
                if room == cost or room - cost >= SHORTEST_FILLER
            ]
            cost = self._rng.choice(costs)
            patterns = _fillers_by_cost(self._domain)[cost]
            pattern = self._rng.choice([p for p in patterns if p not in self._used] or patterns)
            self._used.add(pattern)
            clauses.append(_Clause(self._filled(pattern)))
            room -= cost
        return clauses

    def _judged(self, opinions: Sequence[Opinion], shortest: bool) -> List[_Clause]:
        aspects = self._rng.sample(self._domain.aspects, len(opinions))
        clauses = []
        for number, (opinion, aspect) in enumerate(zip(opinions, aspects)):
            patterns = JUDGED_CLAUSES + (() if opinion.negator else UNNEGATED_CLAUSES)
            pattern = SHORTEST_JUDGED if shortest else self._rng.choice(patterns)
            words = [opinion.word]
            if not shortest and self._rng.random() < INTENSIFIED:
                words.insert(0, self._rng.choice(INTENSIFIERS))
            if opinion.negator:
                words.insert(0, opinion.negator)
            start = pattern.split().index("{opinion}")
            tokens = self._filled(pattern, aspect=aspect, opinion=" ".join(words))
            end = start + len(words) - 1
            marked = (start, end) if opinion.negator else (end,)
            clauses.append(_Clause(tokens, number, marked))
        return clauses

    def _weekday(self, weekday: str, shortest: bool) -> _Clause:
        pattern = SHORTEST_WEEKDAY if shortest else self._rng.choice(WEEKDAY_CLAUSES)
        place = pattern.split().index("{weekday}")
        return _Clause(self._filled(pattern, weekday=weekday), marked=(place,))

    def _filled(self, pattern: str, **given: str) -> List[str]:
        drawn: Dict[str, List[str]] = {}
        tokens: List[str] = []
        for part in pattern.split():
            if not part.startswith("{"):
                tokens.append(part)
                continue
            slot = part.strip("{}")
            if slot in given:
                tokens.extend(given[slot].split())
                continue
            if slot not in drawn:
                # Without replacement: "from riga to riga" is no clause.
                drawn[slot] = self._rng.sample(self._slot_words(slot), pattern.count(part))
            tokens.append(drawn[slot].pop())
        return tokens

    def _slot_words(self, slot: str) -> Tuple[str, ...]:
        if slot == "thing":
            return self._domain.things
        return self._domain.words.get(slot) or SHARED_WORDS[slot]
