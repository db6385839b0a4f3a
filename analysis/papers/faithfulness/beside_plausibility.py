"""
Plausible is not faithful: how near a method comes to what people have marked, and how true it is to
the model, on two axes, one point per method. Models count that have both an attribution file with
rationales and a faithfulness file; the two are joined by the weights of their seeds.
"""

from typing import Dict, List, Optional, Tuple

import pandas

from analysis.errors import AnalysisError
from analysis.faithfulness.scale import Measured, measured
from analysis.figures.scatter import Scatter, Spot, scatters
from analysis.models import Model
from analysis.output import Output
from analysis.papers.shared.published import about
from analysis.papers.shared.study_files import StudyFiles, described
from analysis.plausibility.measures import measures
from analysis.plausibility.table import plausibility_table
from analysis.statistics.intervals import ABOUT_INTERVALS
from analysis.written import Estimate
from attention_explain.files.faithfulness import RANDOM

PLAUSIBILITY = "average-precision"
FAITHFULNESS = "comprehensiveness"
ATTENTION = "attention"


def joined(study: StudyFiles) -> List[Tuple[Model, Model]]:
    """The same model as attribution files with rationales have it, and faithfulness files."""
    with_rationales = {
        frozenset(file.learned for file in model.files): model
        for model in study.models
        if all("rationale" in file.table for file in model.files)
    }
    pairs = []
    for judged in study.judged:
        explained = with_rationales.get(frozenset(file.learned for file in judged.files))
        if explained is not None:
            pairs.append((explained, judged))
    return pairs


def method_rows(explained: Model, judged: Model) -> List[Dict[str, object]]:
    """One row per method: average precision of the marked tokens, and the score on the scale."""
    chosen = [each for each in measures() if each.name == PLAUSIBILITY]
    plausible = plausibility_table([explained], chosen).set_index("method")
    faithful = _measured(judged)
    methods = [name for name in faithful.methods if name in plausible.index and name != RANDOM]
    scores = faithful.scores(methods)
    rows = []
    for number, method in enumerate(methods):
        row = plausible.loc[method]
        rows.append(
            {
                **about(explained),
                "method": method,
                "erasure": faithful.measure.removal,
                "plausible": row["mean"],
                "plausible low": row["low"],
                "plausible high": row["high"],
                "plausible by chance": row["chance"],
                "faithful": scores.mean[number],
                "faithful low": scores.low[number],
                "faithful high": scores.high[number],
            }
        )
    return rows


def _measured(judged: Model) -> Measured:
    """By the first erasure that the file has."""
    for each in measured(judged):
        if each.measure.name == FAITHFULNESS and each.measure.k is None and each.has_scale:
            return each
    raise AnalysisError(f"{judged.files[0].path}: has no {FAITHFULNESS} on the scale")


def plausibility_figure(study: StudyFiles, output: Output) -> Optional[str]:
    """One panel per model."""
    pairs = joined(study)
    if not pairs:
        raise AnalysisError(
            "it takes models with a faithfulness file and an attribution file of texts with rationales, "
            "and there are none"
        )
    rows = [row for explained, judged in pairs for row in method_rows(explained, judged)]
    table = pandas.DataFrame(rows)
    models = described([explained for explained, _ in pairs])
    shown = table[["corpus", "model", "method"]].copy()
    for column in ("plausible", "faithful"):
        shown[column] = [Estimate.of(row, column) for row in rows]
    shown["plausible by chance"] = table["plausible by chance"]
    note = f"Plausible: average precision of the tokens that the rationale marks; faithful: score between chance (0) and the best possible order (1), by {FAITHFULNESS}. {ABOUT_INTERVALS}"
    output.table(
        "faithfulness-plausibility",
        table,
        f"How plausible and how faithful each method is. {models}.",
        note,
        shown,
    )
    panels = [
        Scatter(
            f"plausible: {corpus}, {model}",
            "faithful",
            [
                Spot(
                    row["method"],
                    ATTENTION if row["method"] == ATTENTION else "other methods",
                    row["plausible"],
                    row["faithful"],
                    (row["plausible low"], row["plausible high"]),
                    (row["faithful low"], row["faithful high"]),
                )
                # Attention is drawn last, on top of what lies at the same position.
                for row in sorted(
                    group.to_dict("records"), key=lambda row: row["method"] == ATTENTION
                )
            ],
            group["plausible by chance"].iloc[0],
        )
        for (corpus, model), group in table.groupby(["corpus", "model"], sort=False)
    ]
    output.figure(
        "faithfulness-plausibility-plane",
        scatters(panels, top=1.0, bottom=min(0.0, float(table["faithful"].min()) - 0.1)),
        "Plausible is not faithful: how near each method comes to what the rationale marks (across), and "
        f"how true it is to the model (up). {models}.",
        f"{note} Lines: chance.",
    )
    return None
