"""The agreement of pairs of columns in one model: a value a text and seed, and its controls."""

from dataclasses import dataclass, field
from typing import Any, Callable, Dict, List, Sequence, Tuple

import numpy

from analysis.agreement.pairs import Pair
from analysis.attributions import Attributions
from analysis.errors import AnalysisError
from analysis.measures.measure import Measure, Values
from analysis.measures.scores import Scores
from analysis.seeds import Model
from analysis.statistics.controls import DRAWS, Control, permuted, random_scores
from analysis.statistics.sample import Sample
from analysis.statistics.seeded import text_keys

CONTROLS = ("random", "permuted")


@dataclass(frozen=True)
class Agreement:
    """
    observed : what the measure gives for the two columns.
    controls : what it gives, on the same texts, with chance in place of the second; by the names in
        `CONTROLS`.
    """

    model: Model
    measure: Measure
    pair: Pair
    observed: Sample
    controls: Dict[str, Control]


@dataclass
class _Collected:
    """Values of one pair, seed by seed."""

    observed: List[Values] = field(default_factory=list)
    controls: Dict[str, List[List[Values]]] = field(
        default_factory=lambda: {name: [] for name in CONTROLS}
    )


def agreements(
    model: Model,
    pairs: Sequence[Pair],
    measures: Sequence[Measure],
    draws: int = DRAWS,
    seed: int = 0,
    absolute: bool = False,
    step: Callable[[], Any] = lambda: None,
) -> List[Agreement]:
    """
    Of each pair by each measure.

    draws : of each control for each text; one at least, and two for a chance band.
    absolute : compare the sizes of scores, whatever their signs.
    step : called `len(model.files) * len(measures) * (1 + draws)` times on the way.
    """
    collected = {(measure.name, pair): _Collected() for measure in measures for pair in pairs}
    for file in model.files:
        columns = {
            name: file.scores(name, absolute)
            for name in dict.fromkeys(name for pair in pairs for name in pair)
        }
        _collect(file, columns, pairs, measures, draws, seed, step, collected)
    found = []
    for measure in measures:
        for pair in pairs:
            values = collected[measure.name, pair]
            observed = Sample.of(values.observed)
            controls = {name: _control(seeds, observed) for name, seeds in values.controls.items()}
            found.append(Agreement(model, measure, pair, observed, controls))
    return found


def _collect(
    file: Attributions,
    columns: Dict[str, Scores],
    pairs: Sequence[Pair],
    measures: Sequence[Measure],
    draws: int,
    seed: int,
    step: Callable[[], Any],
    collected: Dict[Tuple[str, Pair], _Collected],
) -> None:
    for measure in measures:
        for pair in pairs:
            try:
                values = measure(columns[pair.first], columns[pair.second])
            except AnalysisError as error:
                raise AnalysisError(f"{file.path}: {pair}: {error}") from error
            collected[measure.name, pair].observed.append(values)
        step()
    for found in collected.values():
        for name in CONTROLS:
            found.controls[name].append([])
    keys = text_keys(file.table["id"])
    for draw in range(draws):
        # Seeds of a model draw independently of each other.
        stream = (seed, file.metadata.get("archive_sha256"), draw)
        shuffled = {
            name: permuted(columns[name], keys, *stream)
            for name in dict.fromkeys(pair.second for pair in pairs)
        }
        noise = {
            name: random_scores(columns[name], keys, *stream)
            for name in dict.fromkeys(pair.first for pair in pairs)
        }
        for measure in measures:
            by_noise = {name: measure(columns[name], scores) for name, scores in noise.items()}
            for pair in pairs:
                controls = collected[measure.name, pair].controls
                controls["random"][-1].append(by_noise[pair.first])
                controls["permuted"][-1].append(measure(columns[pair.first], shuffled[pair.second]))
            step()


def _control(seeds: Sequence[Sequence[Values]], observed: Sample) -> Control:
    """
    From the draws of each seed, on the texts that the two columns themselves have a value for:
    noise has one for more.
    """
    draws = [Sample.of(seeds_of_draw) for seeds_of_draw in zip(*seeds, strict=True)]
    with_p = all(sample.p_value is not None for sample in draws)
    control = Control(
        value=numpy.array([sample.value for sample in draws]),
        p_value=numpy.array([sample.p_value for sample in draws]) if with_p else None,
    )
    return control.where(~numpy.isnan(observed.value))
