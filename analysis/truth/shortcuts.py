"""
Shortcuts planted into a corpus (Bastings et al. 2022): whether a model has learned one, and how well each method
finds its tokens.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy
import pandas
from scipy.stats import binomtest, kendalltau

from analysis.errors import AnalysisError
from analysis.performance import accuracy
from analysis.plausibility.causes import (
    LAST,
    PRECISION,
    PRECISION_AT_K,
    chance_by_text,
    truth_by_text,
)
from analysis.statistics.intervals import intervals
from analysis.text_files import Attributions
from analysis.written import NONE, Estimate, estimates, number

MEASURES = (PRECISION_AT_K, LAST, PRECISION)
# A model has learned the shortcut if its accuracy on synthetic texts is at least this.
LEARNED = 0.99
# Of the interval that has to include chance for the model without a shortcut; many models are checked.
LEVEL = 0.999
# Below this number of texts nothing is said about methods.
LEAST_TEXTS = 20
RANDOM_SCORES = "random scores"


@dataclass(frozen=True)
class ShortcutRun:
    """
    The files of one kind of shortcut and one seed.

    synthetic : attributions of the model trained with the shortcut, on texts with the shortcut.
    swapped : its predictions on the same texts with the tokens of another class.
    original : the predictions of the model trained without the shortcut, on the first texts.
    """

    kind: str
    seed: int
    synthetic: Attributions
    swapped: Attributions
    original: Attributions

    def __post_init__(self) -> None:
        ids = self.synthetic.table["id"].tolist()
        for other in (self.swapped, self.original):
            if other.table["id"].tolist() != ids:
                raise AnalysisError(
                    f"{other.path}: its texts are not those of {self.synthetic.path}"
                )

    @property
    def flips(self) -> numpy.ndarray:
        """Whether swapping the shortcut changes a correct prediction. Shape: (texts,)"""
        before, after = self.synthetic.table, self.swapped.table
        changed = before["predicted"].to_numpy() != after["predicted"].to_numpy()
        return changed & (before["predicted"] == before["label"]).to_numpy(dtype=bool)

    @property
    def why_not(self) -> str:
        """Why the model cannot be said to use the shortcut; empty if it does."""
        mixed = accuracy(self.synthetic)
        if mixed < LEARNED:
            return f"the accuracy on texts with the shortcut is {mixed:.3f}, below {LEARNED}"
        table = self.original.table
        right = int((table["predicted"] == table["label"]).sum())
        interval = binomtest(right, len(table)).proportion_ci(LEVEL, method="wilson")
        chance = 1 / len(self.original.metadata["labels"])
        if not interval.low <= chance <= interval.high:
            return (
                f"the model trained without the shortcut has an accuracy of {right / len(table):.3f} on "
                f"these texts, not {chance:.3f}: the tokens had a meaning before"
            )
        if self.flips.sum() < LEAST_TEXTS:
            return (
                f"swapping the shortcut changes the prediction of {self.flips.sum()} texts, fewer than "
                f"{LEAST_TEXTS}"
            )
        return ""


def checks_table(runs: Sequence[ShortcutRun]) -> pandas.DataFrame:
    """For each kind and seed whether the shortcut was learned, and the numbers that decide it."""
    return pandas.DataFrame(
        {
            "kind": run.kind,
            "seed": run.seed,
            "accuracy with shortcut": accuracy(run.synthetic),
            "accuracy of original model": accuracy(run.original),
            "texts": len(run.flips),
            "left out": int((~run.flips).sum()),
            "learned": run.why_not or "yes",
        }
        for run in runs
    )


def truth_table(
    runs: Sequence[ShortcutRun], verdicts: Mapping[str, Mapping[str, float]]
) -> pandas.DataFrame:
    """
    For each kind and method the mean of every measure with a 95 % interval, its value for random scores,
    and the method's score in the verdict; only models that have learned the shortcut count. `verdicts`
    has for each kind the scores by method.
    """
    rows: list[dict[str, Any]] = []
    for kind in dict.fromkeys(run.kind for run in runs):
        learned = [run for run in runs if run.kind == kind and not run.why_not]
        if not learned:
            continue
        of_kind = []
        chance = _means([chance_by_text(run.synthetic) for run in learned], learned)
        for method in learned[0].synthetic.methods:
            found = _means([truth_by_text(run.synthetic, method) for run in learned], learned)
            row: dict[str, Any] = {"kind": kind, "method": method}
            for name in MEASURES:
                row.update(found[name].columns(name))
                row[f"{name} chance"] = chance[name].mean
            row["verdict"] = verdicts.get(kind, {}).get(method, numpy.nan)
            of_kind.append({**row, "seeds": len(learned), "texts": _texts(learned)})
        rows += sorted(of_kind, key=lambda row: -row[PRECISION])
    return pandas.DataFrame(rows)


def agreement_with_verdict(table: pandas.DataFrame) -> float:
    """Kendall's tau between the verdict's scores of methods and their average precision; of one kind."""
    known = table[table["verdict"].notna()]
    if len(known) < 3:
        return numpy.nan
    return float(kendalltau(known["verdict"], known[PRECISION]).statistic)


def shown_truth(table: pandas.DataFrame) -> pandas.DataFrame:
    """What people read of one kind; the last row is what random scores would have."""
    chance = {name: [number(table.iloc[0][f"{name} chance"])] for name in MEASURES}
    shown = {"method": [*table["method"], RANDOM_SCORES]}
    for name in MEASURES:
        shown[f"{name} [95 %]"] = [*map(str, estimates(table, name)), *chance[name]]
    shown["verdict's score"] = [*map(number, table["verdict"]), NONE]
    return pandas.DataFrame(shown)


def _means(by_text: Sequence[pandas.DataFrame], runs: Sequence[ShortcutRun]) -> dict[str, Estimate]:
    """Over the texts whose prediction depends on the shortcut, and over seeds if there are enough."""
    values = numpy.array(
        [
            [
                numpy.where(run.flips, table[name].to_numpy(dtype=float), numpy.nan)
                for run, table in zip(runs, by_text, strict=True)
            ]
            for name in MEASURES
        ]
    )
    means = intervals(values)
    shares = means.of_shares()
    found = {}
    for index, name in enumerate(MEASURES):
        ends = means if name == LAST else shares
        found[name] = Estimate(
            float(means.mean[index]), float(ends.low[index]), float(ends.high[index])
        )
    return found


def _texts(runs: Sequence[ShortcutRun]) -> int:
    """Texts that count for at least one seed."""
    return int(numpy.any([run.flips for run in runs], axis=0).sum())
