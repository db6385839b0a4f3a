"""The knobs of the planted corpus, checked, and its presets."""

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Any

from attention_explain.data.planted.text import DOMAINS, OPINIONS, shortest_length

MOST_OPINION_WORDS = min(len(words) for words in OPINIONS)
MOST_OPINIONS = min(len(domain.aspects) for domain in DOMAINS)


def _is_number(value: Any, kind: Any) -> bool:
    # True and False are whole numbers to Python, but not to a reader of the config. A NaN is in
    # no range, and passes every comparison that looks for values outside.
    return isinstance(value, kind) and not isinstance(value, bool) and value == value


@dataclass(frozen=True)
class PlantedSettings:
    """
    How hard the corpus is. A knob that is out of range, or that contradicts another, raises a
    `ValueError` of one sentence.
    """

    # Shortest and longest text; all lengths between are equally frequent.
    min_tokens: int = 8
    max_tokens: int = 24
    # How many opinions speak for the label, and how many against it.
    causes: int = 1
    contrary: int = 0
    # Share of the opinions that a negator reverses.
    negation: float = 0.0
    # Two aspects are judged and the label is 1 if both are good; in place of causes and contrary.
    conjunction: bool = False
    # A question names an aspect, and the label is what is said of that one; as many opinions on others
    # speak for the label as against it.
    question: bool = False
    # With a question, share of the training texts in which the other opinions say the same: so that an
    # opinion word means something before a model has learned whose it is. None in dev and test.
    unanimous: float = 0.0
    # Share of the texts in which a weekday of their own label's set stands; None: no weekday.
    shortcut: float | None = None
    # The same in dev and test. A half means that the weekday says nothing.
    shortcut_heldout: float = 0.5
    # How many tokens follow every opinion at least.
    min_distance_from_end: int = 0
    # How many different words each polarity has.
    opinion_words: int = MOST_OPINION_WORDS
    # How many aspects of a thing are judged, in all texts about it; None: all that it has.
    aspects: int | None = None
    # What texts are about: films alone, films and restaurants, ...; None: all things.
    things: int | None = None

    @property
    def opinions(self) -> int:
        """The number of opinions in a text."""
        return 2 if self.conjunction else self.causes + self.contrary

    def __post_init__(self) -> None:
        self._check_types()
        self._check_range("causes", 1, MOST_OPINIONS)
        self._check_range("contrary", 0, MOST_OPINIONS)
        self._check_range("negation", 0, 1)
        self._check_range("unanimous", 0, 1)
        self._check_range("shortcut", 0, 1)
        self._check_range("shortcut_heldout", 0, 1)
        self._check_range("min_distance_from_end", 0, None)
        self._check_range("opinion_words", 1, MOST_OPINION_WORDS)
        self._check_range("aspects", 1, MOST_OPINIONS)
        self._check_range("things", 1, len(DOMAINS))
        if self.conjunction and (self.causes, self.contrary) != (1, 0):
            raise ValueError(
                "conjunction always judges two aspects, so causes and contrary cannot be set with "
                "it"
            )
        if self.question and (self.conjunction or self.contrary != self.causes):
            raise ValueError(
                "a question is asked of as many good opinions as bad ones, so contrary "
                f"({self.contrary}) must be equal to causes ({self.causes}), without conjunction"
            )
        if self.unanimous and not self.question:
            raise ValueError(
                f"unanimous is {self.unanimous}, but opinions that agree with each other are set with "
                "contrary: 0 where no question is asked"
            )
        if self.contrary >= self.causes and not self.question:
            raise ValueError(
                f"contrary is {self.contrary}, but must be smaller than causes ({self.causes}), "
                "since the majority makes the label"
            )
        aspects = MOST_OPINIONS if self.aspects is None else self.aspects
        if self.opinions > min(aspects, self.opinion_words):
            raise ValueError(
                f"a text would hold {self.opinions} different opinions, but opinion_words is "
                f"{self.opinion_words} and no more than {aspects} aspects can be judged"
            )
        if self.min_tokens > self.max_tokens:
            raise ValueError(
                f"min_tokens ({self.min_tokens}) is larger than max_tokens ({self.max_tokens})"
            )
        shortest = shortest_length(
            self.opinions,
            negated=self.negation > 0,
            weekday=self.shortcut is not None,
            distance=self.min_distance_from_end,
        )
        if self.min_tokens < shortest:
            raise ValueError(
                f"min_tokens is {self.min_tokens}, but with these knobs a text needs {shortest} "
                "tokens"
            )

    def _check_types(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            if field.type is bool:
                kind, fits = "true or false", isinstance(value, bool)
            elif field.type is int:
                kind, fits = "a whole number", _is_number(value, int)
            else:
                kind, fits = "a number", _is_number(value, (int, float))
                fits = fits or (value is None and field.default is None)
            if not fits:
                raise ValueError(f"{field.name} is {value!r}, but must be {kind}")

    def _check_range(self, knob: str, least: float, most: float | None) -> None:
        value = getattr(self, knob)
        if value is None:
            return
        if value < least or (most is not None and value > most):
            bounds = f"at least {least}" if most is None else f"between {least} and {most}"
            raise ValueError(f"{knob} is {value}, but must be {bounds}")


KNOBS = tuple(field.name for field in fields(PlantedSettings))

PRESETS: dict[str, PlantedSettings] = {
    "easy": PlantedSettings(),
    # Neither negator nor opinion word says anything alone, so a model must see each pair often.
    "negation": PlantedSettings(min_tokens=10, negation=0.5, opinion_words=10),
    "conjunction": PlantedSettings(min_tokens=14, max_tokens=32, conjunction=True),
    "shortcut": PlantedSettings(min_tokens=16, max_tokens=32, negation=0.5, shortcut=0.95),
    # Few aspects, since a model must learn of each to find it again.
    "question": PlantedSettings(
        min_tokens=12,
        max_tokens=20,
        question=True,
        unanimous=0.3,
        contrary=1,
        opinion_words=10,
        aspects=3,
        things=1,
    ),
}


def settings_for(preset: str, overrides: Mapping[str, Any] | None = None) -> PlantedSettings:
    """The preset with some knobs turned; a `ValueError` names what is allowed."""
    if preset not in PRESETS:
        raise ValueError(f"preset is {preset!r}, but must be one of {', '.join(PRESETS)}")
    overrides = dict(overrides or {})
    unknown = [repr(knob) for knob in overrides if knob not in KNOBS]
    if unknown:
        raise ValueError(
            f"{', '.join(unknown)} is no knob of the planted corpus; the knobs are "
            f"{', '.join(KNOBS)}"
        )
    return replace(PRESETS[preset], **overrides)
