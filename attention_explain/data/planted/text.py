"""
One text of the planted corpus: given opinions are put into clauses, and neutral clauses about the
same thing fill it up to an exact length. Which label the opinions make is not known here, so
nothing but the opinions can depend on it. The words and clause patterns are those of `words.toml`.
"""

import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random

Words = tuple[str, ...]

_LISTS = tomllib.loads(Path(__file__).with_name("words.toml").read_text("utf-8"))


def _words(text: str) -> Words:
    return tuple(text.split())


def _lines(text: str) -> Words:
    return tuple(text.strip().splitlines())


# By polarity: 0 negative, 1 positive.
OPINIONS: tuple[Words, Words] = (
    _words(_LISTS["opinions"]["negative"]),
    _words(_LISTS["opinions"]["positive"]),
)
WEEKDAYS: tuple[Words, Words] = (
    _words(_LISTS["weekdays"]["negative"]),
    _words(_LISTS["weekdays"]["positive"]),
)
NEGATORS = _words(_LISTS["modifiers"]["negators"])
INTENSIFIERS = _words(_LISTS["modifiers"]["intensifiers"])
NEGATORS_OF_INTENSIFIERS = _words(_LISTS["modifiers"]["negators_of_intensifiers"])

WEEKDAY_CLAUSES = _lines(_LISTS["clauses"]["weekday"])
JUDGED_CLAUSES = _lines(_LISTS["clauses"]["judged"])
UNNEGATED_CLAUSES = _lines(_LISTS["clauses"]["unnegated"])
SHARED_CLAUSES = _lines(_LISTS["clauses"]["shared"])
QUESTIONS = _lines(_LISTS["clauses"]["questions"])
# By their number of tokens.
OPENERS = {int(tokens): _lines(lines) for tokens, lines in _LISTS["openers"].items()}
# Of one token each, so that they do not change the length.
JOINERS = ("and", ";")
# For the slots of clauses.
SHARED_WORDS = {slot: _words(words) for slot, words in _LISTS["words"].items()}


@dataclass(frozen=True)
class Domain:
    """
    What is reviewed: the aspects that can be judged, the neutral clauses about it, and the words for
    their slots in addition to the shared ones.
    """

    aspects: Words
    clauses: Words
    words: dict[str, Words]


DOMAINS: tuple[Domain, ...] = tuple(
    Domain(
        aspects=_words(domain["aspects"]),
        clauses=_lines(domain["clauses"]),
        words={slot: _words(words) for slot, words in domain["words"].items()},
    )
    for domain in _LISTS["domains"]
)


SHORTEST_JUDGED = min(JUDGED_CLAUSES, key=lambda clause: len(clause.split()))
SHORTEST_WEEKDAY = min(WEEKDAY_CLAUSES, key=lambda clause: len(clause.split()))
ASPECT = "{aspect}"
# A clause and the token that ends it.
LONGEST_FILLER = 11
SHORTEST_FILLER = 4

INTENSIFIED = 0.25
JOINED = 0.35
DRAWS_BEFORE_SHORTEST = 20


@dataclass(frozen=True)
class Opinion:
    """An opinion word, with its negator if it has one."""

    word: str
    negator: str | None = None


@dataclass(frozen=True)
class PlantedText:
    """
    Tokens, and the positions of the opinions (negator and opinion word), of the aspects that they
    name (none where an opinion is about the thing as a whole) and of the weekday.
    """

    tokens: tuple[str, ...]
    opinions_at: tuple[tuple[int, ...], ...]
    aspects_at: tuple[int, ...]
    weekday_at: tuple[int, ...]


@dataclass
class _Clause:
    tokens: list[str]
    # What stands here: the opinion's number, and the positions of its tokens or of the weekday.
    opinion: int | None = None
    marked: tuple[int, ...] = ()
    aspect: int | None = None

    @property
    def cost(self) -> int:
        return len(self.tokens) + 1


def shortest_length(opinions: int, negated: bool, weekday: bool, distance: int) -> int:
    """The length from which on every text with the given number of opinions can be written."""
    judged = opinions * (len(SHORTEST_JUDGED.split()) + negated + 1)
    neutral = weekday * (len(SHORTEST_WEEKDAY.split()) + 1)
    missing = max(distance - 1 - neutral, 0)
    return judged + neutral + (max(missing, SHORTEST_FILLER) if missing else 0)


def write_text(
    rng: Random,
    length: int,
    opinions: Sequence[Opinion],
    weekday: str | None = None,
    distance: int = 0,
    of_aspects: bool = False,
    aspects: int | None = None,
    things: int | None = None,
) -> PlantedText:
    """
    A text of exactly `length` tokens with these opinions, in any order, each followed by at least
    `distance` tokens; each with its aspect, if they are to be `of_aspects`. Only the given number of `aspects`
    of the given number of `things` are judged; None: all that there are.
    """
    writer = _Writer(rng, of_aspects, aspects, things)
    judged, neutral, room = writer.given_clauses(length, opinions, weekday, distance)
    opener = rng.choice(OPENERS[room]).split() if 0 < room < SHORTEST_FILLER else []
    neutral += writer.fillers(room - len(opener))
    rng.shuffle(neutral)
    return _joined(rng, opener, _placed(rng, judged, neutral, distance))


class _Writer:
    """Draws the clauses of one text: all about one thing, no pattern or aspect twice."""

    def __init__(
        self, rng: Random, of_aspects: bool, aspects: int | None, things: int | None
    ) -> None:
        self._rng = rng
        self._aspects = aspects
        self._of_aspects = of_aspects
        self._domain, self._fillers = rng.choice(_FILLERS[:things])
        self._words = {**SHARED_WORDS, **self._domain.words}
        self._used: set[str] = set()

    def given_clauses(
        self, length: int, opinions: Sequence[Opinion], weekday: str | None, distance: int
    ) -> tuple[list[_Clause], list[_Clause], int]:
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

    def fillers(self, room: int) -> list[_Clause]:
        """Neutral clauses that, with the token that ends each, take exactly `room` tokens."""
        clauses = []
        while room:
            fitting = [pattern for cost in _costs(room) for pattern in self._fillers[cost]]
            fresh = [pattern for pattern in fitting if pattern not in self._used]
            pattern = self._rng.choice(fresh or fitting)
            self._used.add(pattern)
            clauses.append(_Clause(self._filled(pattern)))
            room -= clauses[-1].cost
        return clauses

    def _judged(self, opinions: Sequence[Opinion], shortest: bool) -> list[_Clause]:
        aspects = self._rng.sample(self._domain.aspects[: self._aspects], len(opinions))
        clauses = []
        for number, (opinion, aspect) in enumerate(zip(opinions, aspects, strict=True)):
            patterns = JUDGED_CLAUSES + (() if opinion.negator else UNNEGATED_CLAUSES)
            if self._of_aspects:
                patterns = tuple(pattern for pattern in patterns if ASPECT in pattern.split())
            pattern = SHORTEST_JUDGED if shortest else self._rng.choice(patterns)
            words = [opinion.negator] if opinion.negator else []
            intensifiable = not words or opinion.negator in NEGATORS_OF_INTENSIFIERS
            if intensifiable and not shortest and self._rng.random() < INTENSIFIED:
                words.append(self._rng.choice(INTENSIFIERS))
            words.append(opinion.word)
            start = pattern.split().index("{opinion}")
            tokens = self._filled(pattern, aspect=aspect, opinion=" ".join(words))
            end = start + len(words) - 1
            marked = (start, end) if opinion.negator else (end,)
            named = tokens.index(aspect) if ASPECT in pattern.split() else None
            clauses.append(_Clause(tokens, number, marked, named))
        return clauses

    def _weekday(self, weekday: str, shortest: bool) -> _Clause:
        pattern = SHORTEST_WEEKDAY if shortest else self._rng.choice(WEEKDAY_CLAUSES)
        position = pattern.split().index("{weekday}")
        return _Clause(self._filled(pattern, weekday=weekday), marked=(position,))

    def _filled(self, pattern: str, **given: str) -> list[str]:
        drawn: dict[str, list[str]] = {}
        tokens: list[str] = []
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
                drawn[slot] = self._rng.sample(self._words[slot], pattern.count(part))
            tokens.append(drawn[slot].pop())
        return tokens


def _costs(room: int) -> list[int]:
    """What a clause may cost so that other clauses can take the rest."""
    return [
        cost
        for cost in range(SHORTEST_FILLER, min(room, LONGEST_FILLER) + 1)
        if room == cost or room - cost >= SHORTEST_FILLER
    ]


def _by_cost(domain: Domain) -> dict[int, list[str]]:
    patterns: dict[int, list[str]] = {}
    for pattern in domain.clauses + SHARED_CLAUSES:
        patterns.setdefault(len(pattern.split()) + 1, []).append(pattern)
    return patterns


_FILLERS = [(domain, _by_cost(domain)) for domain in DOMAINS]


def _placed(
    rng: Random, judged: list[_Clause], neutral: list[_Clause], distance: int
) -> list[_Clause]:
    """The neutral clauses with the judged ones between them, far enough from the end."""
    gaps = [
        gap
        for gap in range(len(neutral) + 1)
        if sum(clause.cost for clause in neutral[gap:]) + 1 >= distance
    ]
    by_gap: dict[int, list[_Clause]] = {}
    for clause in rng.sample(judged, len(judged)):
        by_gap.setdefault(rng.choice(gaps), []).append(clause)
    placed = []
    for gap in range(len(neutral) + 1):
        placed += by_gap.get(gap, []) + neutral[gap : gap + 1]
    return placed


def _joined(rng: Random, opener: list[str], clauses: list[_Clause]) -> PlantedText:
    tokens = list(opener)
    opinions_at: dict[int, tuple[int, ...]] = {}
    aspects_at: dict[int, int] = {}
    weekday_at: tuple[int, ...] = ()
    ending = "."
    for clause in clauses:
        positions = tuple(len(tokens) + position for position in clause.marked)
        if clause.opinion is not None:
            opinions_at[clause.opinion] = positions
            if clause.aspect is not None:
                aspects_at[clause.opinion] = len(tokens) + clause.aspect
        elif positions:
            weekday_at = positions
        # Two joiners in a row would make one endless sentence.
        joined = ending == "." and clause is not clauses[-1] and rng.random() < JOINED
        ending = rng.choice(JOINERS) if joined else "."
        tokens += [*clause.tokens, ending]
    numbers = range(len(opinions_at))
    return PlantedText(
        tokens=tuple(tokens),
        opinions_at=tuple(opinions_at[number] for number in numbers),
        aspects_at=tuple(aspects_at[number] for number in numbers if number in aspects_at),
        weekday_at=weekday_at,
    )
