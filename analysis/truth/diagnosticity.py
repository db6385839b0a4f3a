"""
Which measures of faithfulness can be trusted, on texts with a known truth: how often each ranks the true order above a
random one, and whether it orders methods as the truth does.
"""

from collections.abc import Sequence

import numpy
import pandas

from analysis.errors import AnalysisError
from analysis.faithfulness.scale import Measured
from analysis.papers.planted_truth import MEASURE, Judged, agreement_rows
from analysis.plausibility.causes import FIRST, PRECISION, causes_table, predicted_right
from analysis.statistics.intervals import intervals
from analysis.text_files import Attributions, FaithfulnessFile
from analysis.written import estimates
from attention_explain.files.faithfulness import RANDOM_ORDER, TRUE_ORDER

WINS = "diagnosticity"
TAU = "tau with truth"
# Fewer models have an interval over texts instead.
LEAST_MODELS = 3


def judged_files(
    attributions: Sequence[Attributions], files: Sequence[FaithfulnessFile]
) -> list[Judged]:
    """Each faithfulness file with the attributions of the same model; an error if it has none."""
    explained = {file.learned: file for file in attributions}
    judged = []
    for file in files:
        if file.learned not in explained:
            raise AnalysisError(f"{file.path}: no attribution file is of the same model")
        of_model = explained[file.learned]
        causes = causes_table(of_model).set_index("method")
        judged.append(Judged(of_model, file, causes[PRECISION].to_dict(), causes[FIRST].to_dict()))
    return judged


def wins(each: Measured, right: numpy.ndarray) -> numpy.ndarray:
    """
    Whether the measure gives the true order a better value than the random one, 1/2 for ties; NaN for texts that are
    not predicted right, or have no value. Shape: (texts,)
    """
    true, chance = each.values[TRUE_ORDER][0], each.values[RANDOM_ORDER][0]
    better = numpy.sign(true - chance) * (1 if each.higher_is_better else -1)
    return numpy.where(right, (1 + better) / 2, numpy.nan)


def diagnosticity_table(judged: Sequence[Judged]) -> pandas.DataFrame:
    """
    For each measure and removal method the mean diagnosticity, from 0 to 1 (0.5: a coin), and the mean of Kendall's tau
    with the truth over methods. Intervals (95 %) are over models if there are three or more; that of the diagnosticity
    is over texts otherwise.
    """
    by_measure: dict[tuple[str, str], list[numpy.ndarray]] = {}
    taus: dict[tuple[str, str], list[float]] = {}
    for one in judged:
        right = predicted_right(one.attributions)
        by_id = dict(zip(one.attributions.table["id"], right, strict=True))
        kept = numpy.array([by_id[text] for text in one.faithfulness.ids])
        for each in one.measures:
            if TRUE_ORDER in each.methods and RANDOM_ORDER in each.methods:
                key = (each.measure.name, each.measure.removal)
                by_measure.setdefault(key, []).append(wins(each, kept))
        for row in agreement_rows(one):
            taus.setdefault((row["measure"], row["erasure"]), []).append(row["tau"])
    if not by_measure:
        raise AnalysisError(
            "no faithfulness file has the true order; make it with `allennlp faithfulness --rationale`"
        )
    rows = []
    for key, of_models in by_measure.items():
        known = [values for values in of_models if not numpy.isnan(values).all()]
        if not known:
            continue
        means = numpy.array([numpy.nanmean(values) for values in known])
        spread = means if len(known) >= LEAST_MODELS else numpy.concatenate(known)
        ends = intervals(spread[None, None, :]).of_shares()
        row = {
            **dict(zip(MEASURE, key, strict=True)),
            WINS: float(means.mean()),
            f"{WINS} low": float(ends.low[0]),
            f"{WINS} high": float(ends.high[0]),
        }
        of_taus = numpy.array(taus.get(key, ()))
        of_taus = of_taus[~numpy.isnan(of_taus)]
        row.update({TAU: numpy.nan, f"{TAU} low": numpy.nan, f"{TAU} high": numpy.nan})
        if len(of_taus):
            row[TAU] = float(of_taus.mean())
        if len(of_taus) >= LEAST_MODELS:
            over = intervals(of_taus[None, None, :])
            row.update({f"{TAU} low": float(over.low[0]), f"{TAU} high": float(over.high[0])})
        texts = sum(int((~numpy.isnan(values)).sum()) for values in known)
        rows.append({**row, "models": len(known), "texts": texts})
    return pandas.DataFrame(rows).sort_values(WINS, ascending=False, ignore_index=True)


def shown_diagnosticity(table: pandas.DataFrame) -> pandas.DataFrame:
    """What people read."""
    shown = table[MEASURE].copy()
    for name in (WINS, TAU):
        shown[f"{name} [95 %]"] = estimates(table, name)
    return shown.join(table[["models", "texts"]])
