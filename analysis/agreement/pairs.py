"""
Which two columns are compared, and by what of their scores.

Like with like: a signed method ranks what speaks against the class last, one without sign ranks it
high; held against each other as they are, they disagree by convention. So such a pair is compared
by the sizes of its scores, and only two signed methods by signed scores.
"""

from enum import StrEnum
from itertools import combinations
from typing import List, NamedTuple, Optional, Sequence

from analysis.attributions import RATIONALE, Attributions
from analysis.errors import AnalysisError

# The column that the whole project asks about.
ATTENTION = "attention"
# The method whose scores are noise.
CONTROL = "random"
SEPARATOR = " : "


class Pair(NamedTuple):
    """Two methods that are compared, or a method and the rationale, by the names of their columns."""

    first: str
    second: str

    def __str__(self) -> str:
        return SEPARATOR.join(self)


def columns_of(file: Attributions) -> List[str]:
    """The methods, and the rationale if the texts have one."""
    has_rationale = RATIONALE in file.table and file.table[RATIONALE].notna().any()
    return file.methods + ([RATIONALE] if has_rationale else [])


def chosen_pairs(files: Sequence[Attributions], wanted: Optional[Sequence[str]]) -> List[Pair]:
    """As `first:second`; without a choice, every two columns that all files have."""
    if wanted:
        pairs = [_parsed(text) for text in wanted]
        for pair in pairs:
            for name in pair:
                _check(name, files)
        return list(dict.fromkeys(pairs))
    common = common_columns(files)
    if not common:
        raise AnalysisError(f"no method is in all of {_names(files)}")
    if len(common) == 1:
        where = files[0].path if len(files) == 1 else _names(files)
        raise AnalysisError(f"{where}: {common[0]} is the only method, and it takes two to agree")
    return [Pair(*pair) for pair in combinations(common, 2)]


def common_columns(files: Sequence[Attributions]) -> List[str]:
    """In the order of the first file."""
    others = [set(columns_of(file)) for file in files[1:]]
    return [name for name in columns_of(files[0]) if all(name in other for other in others)]


def left_out(files: Sequence[Attributions]) -> List[str]:
    """A sentence for each method that some file has and another has not."""
    common = common_columns(files)
    names = dict.fromkeys(name for file in files for name in columns_of(file))
    sentences = []
    for name in names:
        if name not in common:
            lacking = next(file for file in files if name not in columns_of(file))
            sentences.append(f"{name} is left out: {lacking.path} does not have it")
    return sentences


def _parsed(text: str) -> Pair:
    names = text.split(":")
    if len(names) != 2 or not all(names):
        raise AnalysisError(f"'{text}' is no pair of methods; write one as attention:gradient")
    if names[0] == names[1]:
        raise AnalysisError(f"'{text}' pairs a method with itself")
    return Pair(*names)


def _check(name: str, files: Sequence[Attributions]) -> None:
    for file in files:
        columns = columns_of(file)
        if name not in columns:
            raise AnalysisError(f"{file.path}: has no method '{name}'; it has {', '.join(columns)}")


def _names(files: Sequence[Attributions]) -> str:
    return ", ".join(str(file.path) for file in files)


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
