"""
The agreement of pairs of columns in one model: a value a text and seed, and its controls.

Like with like: a signed method ranks what speaks against the class last, an unsigned one ranks it
high; compared with each other as they are, they disagree by convention. So such a pair is compared
by the sizes of its scores, and only two signed methods by signed scores.
"""

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, NamedTuple

import numpy

from analysis.errors import AnalysisError
from analysis.measures.measure import Measure, Values
from analysis.measures.overlap import TopKOverlap
from analysis.measures.scores import Scores
from analysis.models import Model
from analysis.statistics.samples import (
    DRAWS,
    Control,
    Sample,
    permuted,
    random_scores,
    rescale,
    text_keys,
)
from analysis.text_files import Attributions
from attention_explain.errors import InputError

# The column that the whole project asks about.
ATTENTION = "attention"
# The method whose scores are noise.
CONTROL = "random"
SEPARATOR = " : "
# How a pair was compared, in tables.
BY_MAGNITUDE = "sizes"
SIGNED = "signed scores"
UNSIGNED = "scores"
MIXED = "signed with unsigned"
CONTROLS = ("random", "permuted")
TOP_1 = TopKOverlap(k=1)


class Pair(NamedTuple):
    """Two methods that are compared, or a method and the rationale, by the names of their columns."""

    first: str
    second: str

    def __str__(self) -> str:
        return SEPARATOR.join(self)


class Signs(StrEnum):
    """What is compared: like with like, the sizes of all, or all as they are."""

    LIKE = "like"
    SIZES = "sizes"
    GIVEN = "given"


def compared(file: Attributions, pair: Pair, signs: Signs = Signs.LIKE) -> str:
    """It depends on the two methods alone, whatever else is in the file."""
    signed = [file.signed(name) for name in pair]
    if signs is Signs.SIZES:
        return BY_MAGNITUDE if any(signed) else UNSIGNED
    if all(signed):
        return SIGNED
    if not any(signed):
        return UNSIGNED
    return BY_MAGNITUDE if signs is Signs.LIKE else MIXED


@dataclass(frozen=True)
class Agreement:
    """
    compared : what of their scores, as the function `compared` has it.
    observed : what the measure gives for the two columns.
    ceiling : the best it could give for the two, as `Measure.ceiling` has it; NaN where nothing was
        observed, None where it is not known. Shape: (seeds, texts)
    top_1 : whether both have the same first token; of tokens tied at the top each is the first with
        the same probability.
    controls : what it gives, on the same texts, with chance in place of the second; by the names in
        `CONTROLS`.
    """

    model: Model
    measure: Measure
    pair: Pair
    compared: str
    observed: Sample
    ceiling: numpy.ndarray | None
    top_1: Sample
    controls: dict[str, Control]

    def scaled(self, member: numpy.ndarray | bool = True) -> numpy.ndarray:
        """Between chance and ceiling (`rescale`); NaN without a ceiling. Shape: (seeds, texts)"""
        value = numpy.where(member, self.observed.value, numpy.nan)
        ceiling = numpy.full_like(value, numpy.nan) if self.ceiling is None else self.ceiling
        return rescale(value, self.controls["permuted"].expected, ceiling)


@dataclass
class _Collected:
    """Values of one pair, seed by seed."""

    observed: list[Values] = field(default_factory=list)
    ceiling: list[Values | None] = field(default_factory=list)
    controls: dict[str, list[list[Values]]] = field(
        default_factory=lambda: {name: [] for name in CONTROLS}
    )


def agreements(
    model: Model,
    pairs: Sequence[Pair],
    measures: Sequence[Measure],
    draws: int = DRAWS,
    seed: int = 0,
    signs: Signs = Signs.LIKE,
    step: Callable[[], Any] = lambda: None,
) -> list[Agreement]:
    """
    Of each pair by each measure.

    draws : of each control for each text; one at least, and two for a chance band.
    signs : which pairs are compared by the sizes of their scores.
    step : called `len(model.files) * len(measures) * (1 + draws)` times on the way.
    """
    collected = {(measure.name, pair): _Collected() for measure in measures for pair in pairs}
    how = {pair: compared(model.files[0], pair, signs) for pair in pairs}
    top_1: dict[Pair, list[Values]] = {pair: [] for pair in pairs}
    for file in model.files:
        columns = _Columns.of(file, how)
        _collect(file, columns, measures, draws, seed, step, collected)
        for pair, (first, second) in columns.pairs.items():
            top_1[pair].append(TOP_1(columns.scores[first], columns.scores[second]))
    agreed = []
    for measure in measures:
        for pair in pairs:
            values = collected[measure.name, pair]
            observed = Sample.of(values.observed)
            controls = {
                name: _control(seeds, observed, measure.mean_by_chance)
                for name, seeds in values.controls.items()
            }
            ceiling = _ceiling(values.ceiling, observed)
            same_first = Sample.of(top_1[pair])
            agreed.append(
                Agreement(model, measure, pair, how[pair], observed, ceiling, same_first, controls)
            )
    return agreed


# A method, and whether the sizes of its scores stand for them.
Column = tuple[str, bool]


@dataclass(frozen=True)
class _Columns:
    """The columns of a file that are compared, and which two of them a pair is."""

    scores: dict[Column, Scores]
    pairs: dict[Pair, tuple[Column, Column]]

    @classmethod
    def of(cls, file: Attributions, how: dict[Pair, str]) -> "_Columns":
        plain = {name: file.scores(name) for name in dict.fromkeys(itertools.chain(*how))}
        sizes = {name: scores.absolute() for name, scores in plain.items()}
        scores: dict[Column, Scores] = {}
        pairs: dict[Pair, tuple[Column, Column]] = {}
        for pair, compared_by in how.items():
            # What is unsigned is one column either way.
            first, second = (
                (name, compared_by == BY_MAGNITUDE and sizes[name] is not plain[name])
                for name in pair
            )
            pairs[pair] = first, second
            for name, by_magnitude in pairs[pair]:
                scores[name, by_magnitude] = (sizes if by_magnitude else plain)[name]
        return cls(scores, pairs)


def _collect(
    file: Attributions,
    columns: _Columns,
    measures: Sequence[Measure],
    draws: int,
    seed: int,
    step: Callable[[], Any],
    collected: dict[tuple[str, Pair], _Collected],
) -> None:
    scores = columns.scores
    for measure in measures:
        for pair, (first, second) in columns.pairs.items():
            try:
                values = measure(scores[first], scores[second])
            except InputError as error:
                raise AnalysisError(f"{file.path}: {pair}: {error}") from error
            collected[measure.name, pair].observed.append(values)
            ceiling = measure.ceiling(scores[first], scores[second])
            collected[measure.name, pair].ceiling.append(ceiling)
        step()
    for of_pair in collected.values():
        for name in CONTROLS:
            of_pair.controls[name].append([])
    keys = text_keys(file.table["id"])
    for draw in range(draws):
        # Seeds of a model draw independently of each other.
        stream = (seed, file.learned, draw)
        firsts, seconds = (dict.fromkeys(side) for side in zip(*columns.pairs.values()))
        shuffled = {column: permuted(scores[column], keys, *stream) for column in seconds}
        noise = {column: random_scores(scores[column], keys, *stream) for column in firsts}
        for measure in measures:
            by_noise = {column: measure(scores[column], drawn) for column, drawn in noise.items()}
            for pair, (first, second) in columns.pairs.items():
                controls = collected[measure.name, pair].controls
                controls["random"][-1].append(by_noise[first])
                controls["permuted"][-1].append(measure(scores[first], shuffled[second]))
            step()


def _ceiling(seeds: Sequence[Values | None], observed: Sample) -> numpy.ndarray | None:
    known = [values.value for values in seeds if values is not None]
    if len(known) < len(seeds):
        return None
    return numpy.where(numpy.isnan(observed.value), numpy.nan, numpy.array(known))


def _control(seeds: Sequence[Sequence[Values]], observed: Sample, mean: float | None) -> Control:
    """From the draws of each seed, on the texts for which the two columns have a value."""
    draws = [Sample.of(seeds_of_draw) for seeds_of_draw in zip(*seeds, strict=True)]
    with_p = all(sample.p_value is not None for sample in draws)
    control = Control(
        value=numpy.array([sample.value for sample in draws]),
        p_value=numpy.array([sample.p_value for sample in draws]) if with_p else None,
        mean=mean,
    )
    return control.where(~numpy.isnan(observed.value))
