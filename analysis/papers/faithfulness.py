"""Tables and figures of faithfulness files: scores on the scale from random to the best order, differences between
methods, agreement of the removal methods, curves, and plausibility next to faithfulness.
"""

from collections.abc import Sequence
from itertools import combinations
from typing import Any

import numpy
import pandas
from scipy.stats import kendalltau

from analysis.errors import AnalysisError
from analysis.faithfulness.scale import Measured, measured, rows_of, shares_tied
from analysis.figures.bands import Band, BandPanel, bands
from analysis.figures.dots import Dot, dots
from analysis.figures.scatter import Scatter, Spot, scatters
from analysis.models import Model
from analysis.output import Output, slug
from analysis.papers.shared.paper import JUDGED, Exhibit, Exhibition, StudyExhibit
from analysis.papers.shared.published import about
from analysis.papers.shared.study_files import StudyFiles, describe
from analysis.performance import NOTHING
from analysis.plausibility.measures import measures
from analysis.plausibility.table import plausibility_table
from analysis.statistics.intervals import ABOUT_INTERVALS, intervals
from analysis.statistics.significance import SignFlips, holm
from analysis.text_files import FaithfulnessFile, FaithfulnessMeasure
from analysis.verdict import tables as verdicts
from analysis.written import Estimate
from attention_explain.files.faithfulness import RANDOM, SEARCH, TIED

KEYS = ["corpus", "model"]
ENDS = (RANDOM, SEARCH)
# The measures that have a figure.
SHOWN_MEASURES = ("comprehensiveness", "sufficiency", "deletion_curve", "insertion_curve")
HOW = (
    "Score: (method - random) / (search - random), the mean of what the method gains over the mean of "
    "what could be gained: 0 is chance, 1 the best order that a search found, less than 0 is worse than "
    f"chance. {ABOUT_INTERVALS}"
)


def long_table(models: Sequence[Model]) -> pandas.DataFrame:
    """One row per model, measure, removal method, bin and method, with all numbers."""
    rows: list[dict[str, Any]] = []
    for model in models:
        of_model = measured(model)
        tied = shares_tied(of_model)
        for each in of_model:
            if each.measure.name != TIED:
                rows += [
                    {**about(model), **row, "tied": tied.get(row["method"], numpy.nan)}
                    for row in rows_of(each)
                ]
    return pandas.DataFrame(rows)


def scale_tables(models: Sequence[Model], output: Output) -> None:
    """Add one table of scores per removal method, and one of the measures without a scale."""
    table = long_table(models)
    whole = table[table["k"].isna()]
    on_scale = whole[whole["score"].notna()]
    for removal in dict.fromkeys(on_scale["erasure"]):
        output.table(
            slug("faithfulness", removal),
            table[(table["erasure"] == removal) & table["score"].notna()],
            f"How faithful each method is, words erased by `{removal}`. {describe(models)}.",
            f"{HOW} The last rows are the values at both ends. Tied: the share of tokens whose rank is also another's; ties are broken at random.",
            _wide(on_scale[on_scale["erasure"] == removal], "score"),
        )
    values = whole[whole["score"].isna() & ~whole["method"].isin(ENDS)]
    if len(values):
        output.table(
            "faithfulness-values",
            values.drop(columns=["score", "score low", "score high"]),
            f"Measures of faithfulness that have no best possible order. {describe(models)}.",
            f"The values themselves. {ABOUT_INTERVALS}",
            _wide(values, ""),
        )
    _figures(models, on_scale, output)
    _findings(on_scale, output)


def _wide(table: pandas.DataFrame, name: str) -> pandas.DataFrame:
    """Methods by measures, as people read them; the best method by the first measure comes first."""
    rows = []
    for (corpus, model), of_model in table.groupby(KEYS, sort=False):
        column = name or "mean"
        first = of_model[of_model["measure"] == of_model["measure"].iloc[0]]
        order = first.sort_values(column, ascending=False, kind="stable")["method"]
        judged = [method for method in order if method not in ENDS]
        for method in dict.fromkeys([*judged, *of_model["method"]]):
            of_method = of_model[of_model["method"] == method].to_dict("records")
            # The scores of the ends are 0 and 1; their values show the length of the scale.
            shown = ("", "mean") if method in ENDS else (name, column)
            rows.append(
                {
                    "corpus": corpus,
                    "model": model,
                    "method": f"{method} (value)" if method in ENDS else method,
                    **{_measure_title(row): Estimate.of(row, *shown) for row in of_method},
                    "tied": of_method[0]["tied"],
                }
            )
    return pandas.DataFrame(rows)


def _measure_title(row: dict[str, Any]) -> str:
    return row["measure"].replace("_", " ")


def _figures(models: Sequence[Model], table: pandas.DataFrame, output: Output) -> None:
    names = [name for name in SHOWN_MEASURES if name in set(table["measure"])]
    for name in names or list(dict.fromkeys(table["measure"]))[:1]:
        rows = table[(table["measure"] == name) & ~table["method"].isin(ENDS)]
        positions = [
            Dot(
                panel=f"{row['corpus']}, {row['model']}",
                row=row["method"],
                series=row["erasure"] or name,
                estimate=Estimate.of(row, "score"),
            )
            for row in rows.to_dict("records")
        ]
        output.figure(
            slug("faithfulness", name, "scale"),
            dots(positions, name.replace("_", " ")),
            f"Where each method stands between chance and the best possible order of words, by "
            f"{name.replace('_', ' ')}, for each way to erase words. {describe(models)}.",
            HOW,
        )


def _findings(table: pandas.DataFrame, output: Output) -> None:
    """Add one sentence per model on the best method and attention, by the first measure and removal method."""
    for (corpus, model), rows in table.groupby(KEYS, sort=False):
        first = rows.iloc[0]
        rows = rows[(rows["measure"] == first["measure"]) & (rows["erasure"] == first["erasure"])]
        rows = rows[~rows["method"].isin(ENDS)]
        what = FaithfulnessMeasure(first["measure"].replace("_", " "), first["erasure"])
        opening = f"{model} on {corpus} by {what}: "
        if first[NOTHING]:
            output.sentence(
                slug("faithfulness", corpus, model), f"{opening}{NOTHING}: {first[NOTHING]}."
            )
            continue
        best = rows.loc[rows["score"].idxmax()]
        said = f"{best['method']} has the highest score between chance (0) and the best possible (1), {Estimate.of(best, 'score')}"
        attention = rows[rows["method"] == "attention"]
        if len(attention) and best["method"] != "attention":
            said += f"; attention {Estimate.of(attention.iloc[0], 'score')}"
        output.sentence(slug("faithfulness", corpus, model), f"{opening}{said}.")


def removal_rows(of_model: Sequence[Measured]) -> list[dict[str, Any]]:
    """For each measure, how alike two removal methods rank the methods: Kendall's tau-b of their scores."""
    by_name: dict[str, list[Measured]] = {}
    for each in of_model:
        if each.measure.k is None and each.measure.removal and each.has_scale:
            by_name.setdefault(each.measure.name, []).append(each)
    rows = []
    for name, several in by_name.items():
        for first, second in combinations(several, 2):
            methods = [method for method in first.methods if method in second.methods]
            if len(methods) < 2:
                continue
            scores = [each.scores(methods).mean for each in (first, second)]
            best = [methods[int(numpy.nanargmax(values))] for values in scores]
            rows.append(
                {
                    "measure": name,
                    "first": first.measure.removal,
                    "second": second.measure.removal,
                    "tau": float(kendalltau(*scores).statistic),
                    "methods": len(methods),
                    "best by first": best[0],
                    "best by second": best[1],
                }
            )
    return rows


def removal_table(models: Sequence[Model], output: Output) -> None:
    """Add a table on whether the ranking of the methods depends on the removal method."""
    rows = [{**about(model), **row} for model in models for row in removal_rows(measured(model))]
    if rows:
        table = pandas.DataFrame(rows)
        columns = [*KEYS, "measure", "first", "second", "tau", "methods"]
        output.table(
            "faithfulness-erasures",
            table,
            "Whether methods come in the same order whichever way words are erased. "
            f"{describe(models)}.",
            "Kendall's tau-b of the methods' scores under the first and the second removal method: 1 is the "
            "same order.",
            table[[*columns, "best by first", "best by second"]],
        )


def difference_rows(each: Measured, flips: SignFlips = SignFlips()) -> list[dict[str, Any]]:
    """One row per pair of methods, the better one first; p-values are also corrected (Holm)."""
    if not each.has_scale or len(each.methods) < 2:
        return []
    scores = dict(zip(each.methods, each.scores(each.methods).mean.tolist()))
    better_first = sorted(each.methods, key=lambda method: -scores[method])
    first, second = zip(*combinations(better_first, 2))
    differences = each.apart(first, second, flips)
    differences = {**differences, "p Holm": holm(differences["p"])}
    return [
        {
            "measure": each.measure.name,
            "erasure": each.measure.removal,
            "first": one,
            "second": other,
            **{column: values[position] for column, values in differences.items()},
        }
        for position, (one, other) in enumerate(zip(first, second, strict=True))
    ]


def difference_table(models: Sequence[Model], output: Output) -> None:
    """Add a table of all pairs of methods; people read the pairs with the best method or attention."""
    rows = [
        {**about(model), **row}
        for model in models
        for each in measured(model)
        if each.measure.k is None
        for row in difference_rows(each)
    ]
    if not rows:
        return
    table = pandas.DataFrame(rows)
    best = table.groupby(["corpus", "model", "measure", "erasure"])["first"].transform("first")
    named = (table["first"] == best) | (table[["first", "second"]] == "attention").any(axis=1)
    shown = table[named]
    shown = shown.assign(
        difference=[Estimate.of(row, mean="difference") for row in shown.to_dict("records")]
    )
    columns = ["corpus", "model", "measure", "erasure", "first", "second", "difference", "p Holm"]
    output.table(
        "faithfulness-differences",
        table,
        "Differences between methods on the scale from chance to the best possible. "
        f"{describe(models)}.",
        "First less second, on the same texts; p: sign-flip permutation test on the values of the "
        f"texts, corrected for the pairs of a measure (Holm). {ABOUT_INTERVALS}",
        shown[[*columns, "texts"]],
    )


CURVES = {"deletion_curve": "share of words deleted", "insertion_curve": "share of words inserted"}
# Texts differ in length: their curves are interpolated at these shares.
SHARES = numpy.linspace(0, 1, 21)


def curves_of(model: Model, measure: FaithfulnessMeasure) -> dict[str, numpy.ndarray]:
    """Curves by method, at the shares; NaN for texts without a curve. Shape: (shares, seeds, texts)"""
    first: FaithfulnessFile = model.files[0]
    methods = list(dict.fromkeys(first.by_measure[measure]["method"]))
    positions = {text: position for position, text in enumerate(first.ids)}
    shape = (len(SHARES), len(model.files), len(positions))
    by_method = {method: numpy.full(shape, numpy.nan) for method in methods}
    for seed, file in enumerate(model.files):
        for method, rows in file.by_measure[measure].groupby("method"):
            for text, curve in zip(rows["id"], rows["curve"], strict=True):
                if curve is not None and len(curve) > 1:
                    at = numpy.linspace(0, 1, len(curve))
                    by_method[method][:, seed, positions[text]] = numpy.interp(SHARES, at, curve)
    return by_method


def curve_figures(models: Sequence[Model], output: Output) -> None:
    """Add one figure per kind of curve and removal method, with one panel per model."""
    measures = dict.fromkeys(
        measure
        for model in models
        for measure in model.files[0].by_measure
        if measure.name in CURVES and measure.k is None
    )
    for measure in measures:
        having = [model for model in models if measure in model.files[0].by_measure]
        panels = [_curve_panel(model, measure) for model in having]
        output.figure(
            slug("faithfulness", measure.name, measure.removal),
            bands(panels, CURVES[measure.name], "probability of the class"),
            f"The probability of the explained class by the {CURVES[measure.name]} in the order of each "
            f"method's scores (`{measure.removal}`). {describe(having)}.",
            f"Between the words of a text the curve is drawn straight. Bands: {ABOUT_INTERVALS}",
        )


def _curve_panel(model: Model, measure: FaithfulnessMeasure) -> BandPanel:
    bands_of: list[Band] = []
    of_model = curves_of(model, measure)
    for method in sorted(of_model, key=lambda name: name in (RANDOM, SEARCH)):
        spread = intervals(of_model[method])
        if numpy.isnan(spread.mean).all():
            # The search finds one set per number of words, not an order, so it has no curve.
            continue
        bands_of.append(
            Band(method, SHARES, spread.mean, spread.low, spread.high, method in (RANDOM, SEARCH))
        )
    return BandPanel(f"{model.config.corpus}, {model.name}", bands_of)


PLAUSIBILITY = "average-precision"
COMPREHENSIVENESS = "comprehensiveness"
ATTENTION = "attention"


def joined(study: StudyFiles) -> list[tuple[Model, Model]]:
    """Pairs of models: attribution files with rationales, and faithfulness files of the same weights."""
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


def method_rows(explained: Model, judged: Model) -> list[dict[str, object]]:
    """One row per method: average precision of the marked tokens, and the score on the scale."""
    chosen = [each for each in measures() if each.name == PLAUSIBILITY]
    plausible = plausibility_table([explained], chosen).set_index("method")
    faithful = _on_scale(judged)
    methods = [name for name in faithful.methods if name in plausible.index and name != RANDOM]
    scores = faithful.scores(methods)
    rows = []
    for method, *score in zip(methods, scores.mean, scores.low, scores.high, strict=True):
        row = plausible.loc[method]
        rows.append(
            {
                **about(explained),
                "method": method,
                "erasure": faithful.measure.removal,
                **Estimate.of(row).columns("plausible"),
                "plausible by chance": row["chance"],
                **Estimate(*score).columns("faithful"),
            }
        )
    return rows


def _on_scale(judged: Model) -> Measured:
    """Comprehensiveness by the first removal method of the file."""
    for each in measured(judged):
        if each.measure.name == COMPREHENSIVENESS and each.measure.k is None and each.has_scale:
            return each
    raise AnalysisError(f"{judged.files[0].path}: has no {COMPREHENSIVENESS} on the scale")


def plausibility_figure(study: StudyFiles, output: Output) -> str | None:
    """Add a table and a figure of plausibility and faithfulness, with one panel per model."""
    pairs = joined(study)
    if not pairs:
        raise AnalysisError(
            "it takes models with a faithfulness file and an attribution file of texts with rationales, "
            "and there are none"
        )
    rows = [row for explained, judged in pairs for row in method_rows(explained, judged)]
    table = pandas.DataFrame(rows)
    models = describe([explained for explained, _ in pairs])
    shown = table[["corpus", "model", "method"]].copy()
    for column in ("plausible", "faithful"):
        shown[column] = [Estimate.of(row, column) for row in rows]
    shown["plausible by chance"] = table["plausible by chance"]
    note = f"Plausible: average precision of the tokens that the rationale marks; faithful: score between chance (0) and the best possible order (1), by {COMPREHENSIVENESS}. {ABOUT_INTERVALS}"
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
                # Attention is drawn last, on top of other points.
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


FAITHFULNESS = Exhibition(
    "faithfulness",
    "Faithfulness",
    (
        Exhibit("faithfulness-scale", (), scale_tables, of=JUDGED),
        Exhibit("faithfulness-differences", (), difference_table, of=JUDGED),
        Exhibit("faithfulness-erasures", (), removal_table, of=JUDGED),
        Exhibit("faithfulness-curves", (), curve_figures, of=JUDGED),
        StudyExhibit("faithfulness-plausibility", plausibility_figure),
        StudyExhibit(verdicts.NAME, verdicts.verdict_table),
    ),
)
