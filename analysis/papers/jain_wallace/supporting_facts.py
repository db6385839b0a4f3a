"""
Does attention point to the facts where it is needed? Of texts whose labels were made from tokens that
are known (the supporting facts of bAbI's answers, planted words): how often the model is right, how much
of each method's mass is on these tokens, and how true the same scores are to the model, beside chance.
"""

from typing import Any, Dict, FrozenSet, List, Mapping, Optional, Sequence, Tuple

import numpy
import pandas

from analysis.errors import AnalysisError
from analysis.faithfulness.scale import Measured, measured
from analysis.models import Model
from analysis.papers.jain_wallace.accuracies import accuracy_table
from analysis.papers.shared.published import about
from analysis.papers.shared.study_files import StudyFiles
from analysis.performance import guessed
from analysis.plausibility.measures import measures
from analysis.plausibility.table import values_by_text
from analysis.statistics.intervals import Intervals, intervals, mean_of_known
from analysis.statistics.samples import placed

MASS, LIFT, ABOVE, PRECISION = "mass", "lift", "above chance", "average precision"
MASS_PLACE = "mass place"
FAITHFUL = ("comprehensiveness", "sufficiency")
NOT_JUDGED = {
    "judged texts": 0,
    **{f"{name}{end}": numpy.nan for name in FAITHFUL for end in ("", " low", " high")},
}


def with_known_causes(study: StudyFiles) -> List[Tuple[Model, Optional[Model]]]:
    """Models of texts with known causes; each with its faithfulness files, where it has any."""
    judged = {_weights(model): model for model in study.judged}
    return [
        (model, judged.get(_weights(model)))
        for model in study.models
        if all(file.has_known_causes for file in model.files)
    ]


def _weights(model: Model) -> FrozenSet[Optional[str]]:
    return frozenset(file.learned for file in model.files)


def facts_table(pairs: Sequence[Tuple[Model, Optional[Model]]]) -> pandas.DataFrame:
    """A row a model and method."""
    rows: List[Dict[str, Any]] = []
    models = [explained for explained, _ in pairs]
    accurate = accuracy_table(models).to_dict("records")
    for (explained, judged), row in zip(pairs, accurate, strict=True):
        guess = guessed(explained.files[0])
        about_model = {
            **about(explained),
            "seeds": row["seeds"],
            "accuracy": row["mean"],
            "accuracy low": row["low"],
            "accuracy high": row["high"],
            "published accuracy": row["published"],
            "guess": numpy.nan if guess is None else float(guess.mean()),
        }
        rows += [{**about_model, **of_method} for of_method in method_rows(explained, judged)]
    return pandas.DataFrame(rows)


def method_rows(explained: Model, judged: Optional[Model] = None) -> List[Dict[str, Any]]:
    """A row a method; no place where it was not judged, as the control is not, which is one end."""
    methods = explained.files[0].methods
    of_name = {each.name: each for each in measures()}
    mass, chance = values_by_text(explained, of_name["mass"])
    precision, precision_chance = values_by_text(explained, of_name["average-precision"])
    columns = {
        MASS: intervals(mass).of_shares(),
        ABOVE: intervals(mass - chance),
        LIFT: intervals(placed(mass, numpy.zeros_like(mass), chance)),
        MASS_PLACE: intervals(placed(mass, chance, numpy.ones_like(mass))),
        PRECISION: intervals(precision).of_shares(),
    }
    places = {} if judged is None else _places(judged, methods)
    return [
        {
            "method": method,
            "texts": int((~numpy.isnan(mass[place])).any(axis=0).sum()),
            **_estimated(columns, place),
            "chance": float(mean_of_known(chance[place], (0, 1))),
            f"{PRECISION} chance": float(mean_of_known(precision_chance[place], (0, 1))),
            **places.get(method, NOT_JUDGED),
        }
        for place, method in enumerate(methods)
    ]


def _estimated(columns: Mapping[str, Intervals], place: int) -> Dict[str, float]:
    """The columns of one method, as `Estimate.of` reads them."""
    return {
        f"{name} {end}".strip(): float(values[place])
        for name, of_methods in columns.items()
        for end, values in (
            ("", of_methods.mean),
            ("low", of_methods.low),
            ("high", of_methods.high),
        )
    }


def _places(judged: Model, methods: Sequence[str]) -> Dict[str, Dict[str, Any]]:
    """By method, where it stands by each measure; by the first erasure of the files."""
    by_name: Dict[str, Measured] = {}
    for each in measured(judged):
        if each.measure.name in FAITHFUL and each.measure.k is None and each.has_scale:
            by_name.setdefault(each.measure.name, each)
    if not by_name:
        raise AnalysisError(f"{judged.files[0].path}: has no {' or '.join(FAITHFUL)} on the scale")
    places: Dict[str, Dict[str, Any]] = {}
    for name, each in by_name.items():
        of_both = [method for method in methods if method in each.methods]
        columns = {name: each.places(of_both)}
        for place, method in enumerate(of_both):
            row = places.setdefault(
                method, {**NOT_JUDGED, "judged texts": len(judged.files[0].ids)}
            )
            row.update(_estimated(columns, place))
    return places
