"""
Checks of labels: names that the vocabulary reserves, invisible characters, and one label that is
written in two ways, which would become two classes.
"""

import math
import re
import unicodedata
from collections.abc import Hashable, Iterable
from typing import Any

from allennlp.data.vocabulary import DEFAULT_OOV_TOKEN, DEFAULT_PADDING_TOKEN

RESERVED = (DEFAULT_PADDING_TOKEN, DEFAULT_OOV_TOKEN)
# "1", "1." and "1.0", but neither "01" nor "1.10", which may be codes.
WHOLE_NUMBER = re.compile(r"([+-]?(?:0|[1-9]\d*))(?:\.0*)?", re.ASCII)
TRUTH_VALUES = {"true": 1, "false": 0}
# Some scripts need these two between letters; everywhere else they are invisible mistakes.
JOINERS = "\u200c\u200d"
REMEDY = "use one spelling, or map the labels with the reader's option `labels`"


def is_a_value(label: Any) -> bool:
    """False for NaN and infinities, which JSON files written by Python may contain."""
    return not isinstance(label, float) or math.isfinite(label)


def label_problem(label: str) -> str | None:
    """What is wrong with the name of a class; None if it is valid."""
    if label in RESERVED:
        return "is reserved by the vocabulary; rename it with the reader's option `labels`"
    for index, character in enumerate(label):
        if unicodedata.category(character) == "Cf" and not _joins(label, index):
            name = unicodedata.name(character, "a format character")
            return (
                f"contains an invisible character ({name}, U+{ord(character):04X}); remove it, or "
                "rename the label with the reader's option `labels`"
            )
    return None


def _joins(label: str, index: int) -> bool:
    """Whether a joiner is between two characters of a script that may need it."""
    around = label[max(index - 1, 0) : index] + label[index + 1 : index + 2]
    return label[index] in JOINERS and len(around) == 2 and not any(map(str.isascii, around))


def class_key(label: str) -> Hashable:
    """Equal for spellings of one class: 1, 1.0 and true; composed and decomposed characters."""
    visible = "".join(each for each in label if unicodedata.category(each) != "Cf")
    text = unicodedata.normalize("NFC", visible)
    number = WHOLE_NUMBER.fullmatch(text)
    return int(number[1]) if number else TRUTH_VALUES.get(text.lower(), text)


def same_class(labels: Iterable[str]) -> tuple[str, str] | None:
    """The first two labels that are the same class; None if all are different."""
    seen: dict[Hashable, str] = {}
    for label in labels:
        first = seen.setdefault(class_key(label), label)
        if first != label:
            return first, label
    return None


def shown(label: str, other: str) -> str:
    """The label for a message, in ASCII if it looks like the other one."""
    alike = unicodedata.normalize("NFC", label) == unicodedata.normalize("NFC", other)
    return ascii(label) if alike else repr(label)
