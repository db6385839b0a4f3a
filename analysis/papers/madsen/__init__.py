"""Madsen et al. 2021, "Evaluating the Faithfulness of Importance Measures in NLP by Recursively Masking
Allegedly Important Tokens and Retraining".
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy
import pandas
from numpy.typing import ArrayLike

from analysis.claims.claim import Judgement, below
from analysis.claims.table_rows import (
    TableRow,
    Tables,
    TypedTable,
    estimated,
    first_where,
    group_rows,
)
from analysis.errors import AnalysisError
from analysis.figures.bands import Band, BandPanel, bands
from analysis.model_config import PLAIN, ModelConfig
from analysis.output import Output
from analysis.papers.shared.paper import Paper, StudyExhibit, declared_claims
from analysis.papers.shared.study_files import StudyFiles
from analysis.runs import Run
from analysis.statistics.intervals import LEAST_SEEDS, student_interval
from analysis.written import Estimate

RANDOM = "random"
METRIC = "accuracy"


@dataclass
class Chains:
    """
    All runs of one model and seed.

    base : accuracy on complete texts.
    everything : accuracy with all tokens masked.
    reached : accuracy in between, by method and share of masked tokens.
    """

    base: float | None = None
    everything: float | None = None
    reached: dict[str, dict[float, float]] = field(default_factory=dict)

    def curve(self, method: str, shares: Sequence[float]) -> numpy.ndarray | None:
        """Accuracies at these shares, from 0 to 1; None if a run is missing."""
        between = self.reached.get(method, {})
        values = [self.base, *(between.get(share) for share in shares[1:-1]), self.everything]
        return None if None in values else numpy.array(values, dtype=float)


@dataclass(frozen=True)
class Retrained:
    """
    A model with all its seeds.

    shares : shares of masked tokens, from 0 to 1.
    curves : accuracies by method, `random` last. Shape of each: (seeds, shares)
    left_out : messages on what is incomplete.
    """

    corpus: str
    model: str
    shares: tuple[float, ...]
    curves: dict[str, numpy.ndarray]
    left_out: tuple[str, ...]

    @property
    def racu(self) -> dict[str, numpy.ndarray]:
        """RACU of each method against random masking with the same seed. Shape of each: (seeds,)"""
        chance = self.curves[RANDOM]
        return {
            method: numpy.array(
                [racu(self.shares, *both) for both in zip(chance, curve, strict=True)]
            )
            for method, curve in self.curves.items()
            if method != RANDOM
        }


def racu(shares: Sequence[float], chance: ArrayLike, method: ArrayLike) -> float:
    """
    Relative area between curves: the area between the random curve and that of the method, divided by the area between
    the random curve and the accuracy with all tokens masked. 1 would be a method whose first tokens take everything,
    which finite steps cannot reach; below 0 is worse than random. Not clipped. NaN if the random curve has no area.
    """
    at_random, by_method = numpy.asarray(chance), numpy.asarray(method)
    whole = numpy.trapezoid(at_random - at_random[-1], shares)
    between = numpy.trapezoid(at_random - by_method, shares)
    return float(between / whole) if whole > 0 else float("nan")


def complete_curves(runs: Sequence[Run]) -> list[Retrained]:
    """The models with runs on complete texts, with all masked, and in between by two methods."""
    models: dict[tuple[str, str], dict[int | None, Chains]] = {}
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


def _retrained(corpus: str, model: str, seeds: dict[int | None, Chains]) -> Retrained | None:
    every = [chains.reached for chains in seeds.values()]
    between = sorted({share for one in every for shares in one.values() for share in shares})
    shares = (0.0, *between, 1.0)
    # A seed without a complete random curve cannot be compared.
    usable = {
        seed: chains for seed, chains in seeds.items() if chains.curve(RANDOM, shares) is not None
    }
    methods = list(dict.fromkeys(method for one in every for method in one if method != RANDOM))
    curves, left_out = {}, []
    for method in [*methods, RANDOM]:
        of_seeds = [chains.curve(method, shares) for chains in usable.values()]
        complete = [curve for curve in of_seeds if curve is not None]
        if complete and len(complete) == len(of_seeds):
            curves[method] = numpy.stack(complete)
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


def _check_new(known: float | None, run: Run) -> None:
    if known is not None:
        raise AnalysisError(
            f"{run.folder}: is a second run of the same seed with the same tokens masked "
            f"({run.model.name}, seed {run.model.seed}); give one of them"
        )


def _unmasked_name(model: ModelConfig) -> str:
    """The name of the same model on complete texts."""
    reader = model.config["dataset_reader"]
    if model.erased is None:
        return model.name
    whole = {key: value for key, value in reader.items() if key != "erased"}
    return ModelConfig({**model.config, "dataset_reader": whole}).name


ACROSS = "share of tokens masked"
NOTE = (
    "A model is trained, a method explains its predictions on train, dev and test, the tokens with the "
    "largest scores are masked, a model with the same seed is trained on what is left, and so on; "
    f"`{RANDOM}` masks by chance. `(signed)`: the highest scores toward the predicted class instead. Which "
    "harmless words are masked can tell the class, signed more than by magnitude: a curve may be high for that. On the test split where there is one. Intervals (95 %) are over seeds, "
    f"where there are at least {LEAST_SEEDS}."
)
ABOUT_RACU = (
    "RACU: the area between the curves of chance and of the method, by that between the curve of chance and "
    "what is left where all is masked, of each seed. 0: as good as chance; 1: all is gone at once, of which "
    "steps fall short (0.75 if the first of four takes all, and chance falls evenly); not clipped."
)
CLIPPED = "RACU clipped"
FIGURE = "recursive-roar-figure"


@dataclass(frozen=True, kw_only=True)
class AreaRow(TableRow):
    """The RACU of a method, over the seeds of a model."""

    method: str
    seeds: int
    racu: Estimate = estimated("RACU")


AREAS = TypedTable("recursive-roar-racu", AreaRow)


def recursive_roar(study: StudyFiles, output: Output) -> str | None:
    """Add tables of accuracy and RACU by method, the curves, and one sentence per model."""
    models = complete_curves(study.runs)
    about = "; ".join(
        f"{one.corpus}: {one.model} ({_counted(len(one.curves[RANDOM]))})" for one in models
    )
    accuracy = pandas.DataFrame([row for model in models for row in _accuracy_rows(model)])
    caption = f"{METRIC.capitalize()} after retraining, by the {ACROSS} in the order of each method"
    output.table(
        "recursive-roar-accuracy",
        accuracy,
        f"{caption} (Madsen et al. 2021). {about}.",
        NOTE,
        _side_by_side(accuracy),
    )
    areas = pandas.DataFrame([row for model in models for row in _area_rows(model)])
    shown = areas[["corpus", "model", "method", "seeds"]].assign(RACU=_told(areas, "RACU"))
    if CLIPPED in areas:
        shown[CLIPPED] = areas[CLIPPED]
    output.table(
        AREAS.name,
        areas,
        f"How much further than chance each method's tokens take the model down (RACU). {about}.",
        ABOUT_RACU + (" Madsen et al. clip it to [-1, 1]." if CLIPPED in areas else ""),
        shown,
    )
    output.figure(
        FIGURE,
        bands([_panel(model) for model in models], ACROSS, METRIC),
        f"{caption}. {about}.",
        "The lower a method's curve is beneath that of chance, the more of what the model needs is in the "
        f"tokens that it names. Bands: 95 % over seeds, where there are at least {LEAST_SEEDS}.",
    )
    for position, ((corpus, model), rows) in enumerate(
        areas.groupby(["corpus", "model"], sort=False)
    ):
        told = zip(rows["method"], _told(rows, "RACU"), strict=True)
        output.sentence(
            f"recursive-roar-{position}",
            f"{corpus}, {model}: retrained without the tokens that a method calls most important, the model "
            "is worse off than without as many by chance by a RACU of "
            f"{', '.join(f'{number} ({method})' for method, number in told)}; 0 is chance.",
        )
    return "; ".join(sentence for model in models for sentence in model.left_out) or None


def _accuracy_rows(model: Retrained) -> list[dict[str, Any]]:
    return [
        {**_named(model, method), "share": share, **_over_seeds(METRIC, values)}
        for method, curve in model.curves.items()
        for share, values in zip(model.shares, curve.T, strict=True)
    ]


def _area_rows(model: Retrained) -> list[dict[str, Any]]:
    """One row per method, the largest RACU first; with the clipped value if any differs."""
    rows = [
        {**_named(model, method), **_over_seeds("RACU", values), CLIPPED: _clipped(values)}
        for method, values in model.racu.items()
    ]
    if not any(abs(row["RACU"] - row[CLIPPED]) > 0 for row in rows):
        rows = [{key: value for key, value in row.items() if key != CLIPPED} for row in rows]
    return sorted(rows, key=lambda row: -row["RACU"])


def _counted(seeds: int) -> str:
    return f"{seeds} seeds" if seeds > 1 else "1 seed"


def _named(model: Retrained, method: str) -> dict[str, Any]:
    return {"corpus": model.corpus, "model": model.model, "method": method}


def _over_seeds(name: str, values: numpy.ndarray) -> dict[str, Any]:
    number = len(values)
    mean = float(values.mean())
    deviation = float(values.std(ddof=1)) if number > 1 else numpy.nan
    low, high = student_interval(mean, deviation, number)
    return {**Estimate(mean, low, high).columns(name), "seeds": number}


def _clipped(values: numpy.ndarray) -> float:
    return float(numpy.clip(values, -1, 1).mean())


def _told(table: pandas.DataFrame, name: str) -> list[str]:
    return [str(Estimate.of(row, name)) for row in table.to_dict("records")]


def _side_by_side(accuracy: pandas.DataFrame) -> pandas.DataFrame:
    """One row per method, one column per share."""
    names = ["corpus", "model", "method", "seeds"]
    rows: dict[tuple, dict[str, Any]] = {}
    for row, told in zip(accuracy.to_dict("records"), _told(accuracy, METRIC), strict=True):
        key = tuple(row[name] for name in names)
        shown = rows.setdefault(key, dict(zip(names, key, strict=True)))
        shown[f"{100 * row['share']:g} %"] = told
    return pandas.DataFrame(list(rows.values()))


def _panel(model: Retrained) -> BandPanel:
    def band(method: str, curve: numpy.ndarray) -> Band:
        spread: Sequence[dict[str, Any]] = [_over_seeds(METRIC, values) for values in curve.T]
        mean, low, high = (
            numpy.array([point[f"{METRIC}{end}"] for point in spread])
            for end in ("", " low", " high")
        )
        return Band(method, numpy.array(model.shares), mean, low, high, method == RANDOM)

    return BandPanel(
        f"{model.corpus}, {model.model}",
        [band(method, curve) for method, curve in model.curves.items()],
    )


# In RACU: the gain that would justify fifty forward passes.
LITTLE = 0.05


def integrating_is_not_worth_it(tables: Tables) -> Iterator[Judgement]:
    for _, rows in group_rows(tables.rows(AREAS), "corpus", "model", "protocol"):
        integrated = first_where(rows, method="integrated-gradients")
        gradient = first_where(rows, method="gradient-x-input")
        if integrated is not None and gradient is not None:
            words = (
                f"RACU of integrated gradients {integrated.racu}, of gradient x input "
                f"{gradient.racu}; difference"
            )
            more = integrated.racu.minus(gradient.racu)
            yield Judgement.of(integrated, below(words, more, LITTLE))


CLAIMS = declared_claims(
    __file__,
    {"integrating-is-not-worth-it": (AREAS, integrating_is_not_worth_it)},
    {"LITTLE": LITTLE},
)


PAPER = Paper(
    "madsen",
    "Madsen et al. 2021",
    exhibits=(StudyExhibit("recursive-roar", recursive_roar),),
    claims=CLAIMS,
    order=1,
)
