"""
Runs that were trained on texts with more and more tokens masked: which belong together, and how far the
curve of a method is below that of chance.
"""

from dataclasses import dataclass, field
from typing import Dict, List, Optional, Sequence, Tuple

import numpy

from analysis.errors import AnalysisError
from analysis.model_config import PLAIN, ModelConfig
from analysis.runs import Run

RANDOM = "random"
METRIC = "accuracy"


@dataclass
class Chains:
    """
    All runs of one model and seed.

    base : what it reaches on whole texts.
    everything : what it reaches where all tokens are masked, by whomever.
    reached : by method and share what it reaches in between.
    """

    base: Optional[float] = None
    everything: Optional[float] = None
    reached: Dict[str, Dict[float, float]] = field(default_factory=dict)

    def curve(self, method: str, shares: Sequence[float]) -> Optional[numpy.ndarray]:
        """At these shares, the first of which is 0 and the last 1; None if a run is not there."""
        between = self.reached.get(method, {})
        values = [self.base, *(between.get(share) for share in shares[1:-1]), self.everything]
        return None if None in values else numpy.array(values, dtype=float)


@dataclass(frozen=True)
class Retrained:
    """
    A model with all its seeds.

    shares : of the tokens masked, from 0 to 1.
    curves : by method, `random` the last. Shape of each: (seeds, shares)
    left_out : what is incomplete, in words.
    """

    corpus: str
    model: str
    shares: Tuple[float, ...]
    curves: Dict[str, numpy.ndarray]
    left_out: Tuple[str, ...]

    @property
    def racu(self) -> Dict[str, numpy.ndarray]:
        """Of each method, against chance with the same seed. Shape of each: (seeds,)"""
        chance = self.curves[RANDOM]
        return {
            method: numpy.array(
                [racu(self.shares, *both) for both in zip(chance, curve, strict=True)]
            )
            for method, curve in self.curves.items()
            if method != RANDOM
        }


def racu(shares: Sequence[float], chance: Sequence[float], method: Sequence[float]) -> float:
    """
    The relative area between curves: of the area between the curve of chance and what is left where all
    is masked, the share that lies between the curves of chance and of the method. 1 would be a method that
    takes all there is at once, of which steps fall short; below 0 is one that is worse than chance. It is
    not clipped. NaN where chance is no better than nothing.
    """
    chance, method = numpy.asarray(chance), numpy.asarray(method)
    whole = numpy.trapezoid(chance - chance[-1], shares)
    return float(numpy.trapezoid(chance - method, shares) / whole) if whole > 0 else float("nan")


def retrained(runs: Sequence[Run]) -> List[Retrained]:
    """
    Each model that there are complete curves of: on whole texts, with all tokens masked, and in between
    by chance and by a method. Other runs are passed over.
    """
    models: Dict[Tuple[str, str], Dict[Optional[int], Chains]] = {}
    for run in runs:
        if run.model.erased is not None or run.model.role == PLAIN:
            seeds = models.setdefault((run.model.corpus, _unmasked_name(run.model)), {})
            _add(seeds.setdefault(run.model.seed, Chains()), run)
    chains = [_retrained(*model, seeds) for model, seeds in models.items()]
    complete = [one for one in chains if one is not None]
    if not complete:
        raise AnalysisError(
            "it takes run folders of models trained with the reader's option `erased`: of one seed on "
            "whole texts, with share 1, and with the same shares in between by `random` and by a method"
        )
    return complete


def _retrained(corpus: str, model: str, seeds: Dict[Optional[int], Chains]) -> Optional[Retrained]:
    every = [chains.reached for chains in seeds.values()]
    between = sorted({share for one in every for shares in one.values() for share in shares})
    shares = (0.0, *between, 1.0)
    # Seeds for which there is nothing to compare a method with have no part in it.
    usable = {
        seed: chains for seed, chains in seeds.items() if chains.curve(RANDOM, shares) is not None
    }
    methods = list(dict.fromkeys(method for one in every for method in one if method != RANDOM))
    curves, left_out = {}, []
    for method in [*methods, RANDOM]:
        of_seeds = [chains.curve(method, shares) for chains in usable.values()]
        if of_seeds and all(curve is not None for curve in of_seeds):
            curves[method] = numpy.stack(of_seeds)
        else:
            left_out.append(method)
    if not between or len(curves) < 2:
        return None
    lacking = [f"{corpus}, {model}, {method}: some of its runs are missing" for method in left_out]
    lacking += [
        f"{corpus}, {model}, seed {seed}: there is no whole curve by chance"
        for seed in seeds
        if seed not in usable
    ]
    return Retrained(corpus, model, shares, curves, tuple(lacking))


def _add(chains: Chains, run: Run) -> None:
    value, erased = run.metric(METRIC), run.model.erased
    if erased is None:
        _check_new(chains.base, run)
        chains.base = value
    elif erased.share == 1:
        _check_new(chains.everything, run)
        chains.everything = value
    else:
        of_method = chains.reached.setdefault(erased.by, {})
        _check_new(of_method.get(erased.share), run)
        of_method[erased.share] = value


def _check_new(known: Optional[float], run: Run) -> None:
    if known is not None:
        raise AnalysisError(
            f"{run.folder}: is a second run of the same seed with the same tokens masked "
            f"({run.model.name}, seed {run.model.seed}); give one of them"
        )


def _unmasked_name(model: ModelConfig) -> str:
    """Of the same model on whole texts."""
    reader = model.config["dataset_reader"]
    if model.erased is None:
        return model.name
    whole = {key: value for key, value in reader.items() if key != "erased"}
    return ModelConfig({**model.config, "dataset_reader": whole}).name
