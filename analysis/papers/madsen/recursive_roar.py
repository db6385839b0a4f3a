"""Madsen et al. 2021: is a model that is trained anew worse off without what a method calls important?"""

from dataclasses import dataclass
from typing import Any, Dict, List, Optional, Sequence, Tuple

import numpy
import pandas

from analysis.claims.table_rows import TableRow, TypedTable, estimated
from analysis.figures.bands import Band, BandPanel, bands
from analysis.output import Output
from analysis.papers.madsen.chains import METRIC, RANDOM, Retrained, retrained
from analysis.papers.shared.study_files import StudyFiles
from analysis.statistics.intervals import LEAST_SEEDS, student_interval
from analysis.written import Estimate

ACROSS = "share of tokens masked"
NOTE = (
    "A model is trained, a method explains its predictions on train, dev and test, the tokens with the "
    "largest scores are masked, a model with the same seed is trained on what is left, and so on; "
    f"`{RANDOM}` masks by chance. `(signed)`: the highest scores toward the predicted class instead. Which "
    "harmless words are masked can tell the class, signed more than by size: a curve may be high for that. On the test split where there is one. Intervals (95 %) are over seeds, "
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
    """How far a method's curve is below that of chance, over the seeds of a model."""

    method: str
    seeds: int
    racu: Estimate = estimated("RACU")


AREAS = TypedTable("recursive-roar-racu", AreaRow)


def recursive_roar(study: StudyFiles, output: Output) -> Optional[str]:
    """Adds accuracies and areas by method, the curves, and a sentence a model."""
    models = retrained(study.runs)
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
    for place, ((corpus, model), rows) in enumerate(areas.groupby(["corpus", "model"], sort=False)):
        told = zip(rows["method"], _told(rows, "RACU"), strict=True)
        output.sentence(
            f"recursive-roar-{place}",
            f"{corpus}, {model}: trained anew without the tokens that a method calls most important, the model "
            "is worse off than without as many by chance by a RACU of "
            f"{', '.join(f'{number} ({method})' for method, number in told)}; 0 is chance.",
        )
    return "; ".join(sentence for model in models for sentence in model.left_out) or None


def _accuracy_rows(model: Retrained) -> List[Dict[str, Any]]:
    return [
        {
            **_named(model, method),
            "share": share,
            **_over_seeds(METRIC, values),
        }
        for method, curve in model.curves.items()
        for share, values in zip(model.shares, curve.T, strict=True)
    ]


def _area_rows(model: Retrained) -> List[Dict[str, Any]]:
    """The furthest from chance first; the clipped value stands beside where it is another one."""
    rows = [
        {**_named(model, method), **_over_seeds("RACU", values), CLIPPED: _clipped(values)}
        for method, values in model.racu.items()
    ]
    if not any(abs(row["RACU"] - row[CLIPPED]) > 0 for row in rows):
        rows = [{key: value for key, value in row.items() if key != CLIPPED} for row in rows]
    return sorted(rows, key=lambda row: -row["RACU"])


def _counted(seeds: int) -> str:
    return f"{seeds} seeds" if seeds > 1 else "1 seed"


def _named(model: Retrained, method: str) -> Dict[str, Any]:
    return {"corpus": model.corpus, "model": model.model, "method": method}


def _over_seeds(name: str, values: numpy.ndarray) -> Dict[str, Any]:
    number = len(values)
    mean = float(values.mean())
    deviation = float(values.std(ddof=1)) if number > 1 else numpy.nan
    low, high = student_interval(mean, deviation, number)
    return {name: mean, f"{name} low": low, f"{name} high": high, "seeds": number}


def _clipped(values: numpy.ndarray) -> float:
    return float(numpy.clip(values, -1, 1).mean())


def _told(table: pandas.DataFrame, name: str) -> List[str]:
    return [str(Estimate.of(row, name)) for row in table.to_dict("records")]


def _side_by_side(accuracy: pandas.DataFrame) -> pandas.DataFrame:
    """A row a method, a column a share."""
    names = ["corpus", "model", "method", "seeds"]
    rows: Dict[Tuple, Dict[str, Any]] = {}
    for row, told in zip(accuracy.to_dict("records"), _told(accuracy, METRIC), strict=True):
        key = tuple(row[name] for name in names)
        shown = rows.setdefault(key, dict(zip(names, key, strict=True)))
        shown[f"{100 * row['share']:g} %"] = told
    return pandas.DataFrame(list(rows.values()))


def _panel(model: Retrained) -> BandPanel:
    def band(method: str, curve: numpy.ndarray) -> Band:
        spread: Sequence[Dict[str, Any]] = [_over_seeds(METRIC, values) for values in curve.T]
        mean, low, high = (
            numpy.array([point[f"{METRIC}{end}"] for point in spread])
            for end in ("", " low", " high")
        )
        return Band(method, numpy.array(model.shares), mean, low, high, method == RANDOM)

    return BandPanel(
        f"{model.corpus}, {model.model}",
        [band(method, curve) for method, curve in model.curves.items()],
    )
