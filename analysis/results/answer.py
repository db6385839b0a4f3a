"""
The answer: how often methods put a known cause first, and how far they come from chance to the best
order of words on SST; the numbers, the figure and the sentences.
"""

import math
from typing import Any, Dict, Iterator, List, Optional, Sequence, Tuple

import pandas
from matplotlib.figure import Figure

from analysis.figures.dot_panels import DotPanel, side_by_side
from analysis.figures.dots import FROM_CHANCE_TO_BEST, Dot
from analysis.model_config import PLAIN
from analysis.results.cited import Row, Sheet
from analysis.results.names import ENCODERS, encoder_name
from analysis.results.studies import StudyResults
from analysis.written import Estimate, listed

FILE, DRAWN = "results/answer.csv", "results/answer.svg"
CAUSES = "planted-truth-methods"
# Words are removed, the simplest way; the other ways are on the study's page.
SCALE = "faithfulness-delete"
CORPUS = "sst"
# The models of SST, an encoder each.
MODELS = {f"{encoder} tanh softmax": encoder for encoder in ENCODERS}
MEASURES = ("comprehensiveness", "sufficiency")
CAUSE_FIRST = "cause first"
PLANTED, ON_SST = "planted", "SST"
ATTENTION, RANDOM = "attention", "random"
# They explain states, and no words.
OF_STATES = ("gradient-hidden", "leave-one-out-hidden", "input-to-hidden")
ENDS = ("random", "search")
COLUMNS = ["panel", "measure", "method", "encoder", "mean", "low", "high", "chance", "corpora"]
COLUMNS += ["seeds"]


def answer_sheet(studies: Sequence[StudyResults]) -> Sheet:
    """What the figure shows; without rows where no study has the numbers."""
    rows: List[Dict[str, Any]] = []
    planted = next((study.table(CAUSES) for study in studies if len(study.table(CAUSES))), None)
    if planted is not None and "cause first low" in planted:
        rows += _cause_first(planted)
    for study in studies:
        table = study.table(SCALE)
        of_models = (
            table[(table["corpus"] == CORPUS) & table["model"].isin(MODELS)]
            if len(table)
            else table
        )
        if len(of_models):
            rows += _on_the_scale(of_models, len(study.account["seeds"]))
            break
    places = list(ENCODERS)
    rows.sort(key=lambda row: (row["panel"] == ON_SST, places.index(row["encoder"])))
    return Sheet(FILE, pandas.DataFrame(rows, columns=COLUMNS))


def _cause_first(table: pandas.DataFrame) -> List[Dict[str, Any]]:
    """
    By method and encoder the mean over the corpora that all encoders have learned, each of texts
    and models of its own, so that the squares of the intervals' halves add up.
    """
    plain = table[
        (table["role"] == PLAIN) & (table["projection"] == "softmax") & ~table["erasure training"]
    ]
    encoders = [encoder for encoder in ENCODERS if encoder in set(plain["encoder"])]
    learned = [set(plain[plain["encoder"] == encoder]["corpus"]) for encoder in encoders]
    corpora = sorted(set.intersection(*learned)) if learned else []
    rows = []
    chosen = plain[plain["corpus"].isin(corpora) & plain["encoder"].isin(encoders)]
    for (encoder, method), group in chosen.groupby(["encoder", "method"], sort=False):
        if method in (RANDOM, *OF_STATES) or len(group) < len(corpora):
            continue
        mean = group["cause first"].mean()
        below, above = (
            math.sqrt(((group["cause first"] - group[f"cause first {end}"]) ** 2).sum())
            / len(group)
            for end in ("low", "high")
        )
        rows.append(
            {
                "panel": PLANTED,
                "measure": CAUSE_FIRST,
                "method": method,
                "encoder": encoder,
                "mean": mean,
                "low": max(0.0, mean - below),
                "high": min(1.0, mean + above),
                "chance": group["chance"].mean(),
                "corpora": len(corpora),
                "seeds": int(group["seeds"].max()),
            }
        )
    by_all = [
        method
        for method in dict.fromkeys(row["method"] for row in rows)
        if sum(row["method"] == method for row in rows) == len(encoders)
    ]
    return [row for row in rows if row["method"] in by_all]


def _on_the_scale(table: pandas.DataFrame, seeds: int) -> List[Dict[str, Any]]:
    whole = table[table["k"].isna() & table["measure"].isin(MEASURES)]
    return [
        {
            "panel": ON_SST,
            "measure": row["measure"],
            "method": row["method"],
            "encoder": MODELS[row["model"]],
            "mean": row["place"],
            "low": row["place low"],
            "high": row["place high"],
            "chance": 0.0,
            "corpora": 1,
            "seeds": seeds,
        }
        for row in whole.to_dict("records")
        if row["method"] not in ENDS
    ]


def answer_figure(sheet: Sheet) -> Optional[Figure]:
    """Left the planted corpus, right SST, whichever are there."""
    panels = []
    for name, measure, title, label in (
        (PLANTED, CAUSE_FIRST, "planted corpus", "share of texts, known cause first"),
        (ON_SST, MEASURES[0], "SST", f"place by {MEASURES[0]}"),
    ):
        rows = sheet.where(panel=name, measure=measure)
        if rows:
            chance = sum(row["chance"] for row in rows) / len(rows)
            panels.append(
                DotPanel(
                    title,
                    label,
                    [
                        Dot(
                            name,
                            row["method"],
                            encoder_name(row["encoder"]),
                            Estimate.of(row.values),
                        )
                        for row in rows
                    ],
                    _ticks(chance) if name == PLANTED else FROM_CHANCE_TO_BEST,
                    chance,
                )
            )
    return side_by_side(panels) if panels else None


def _ticks(chance: float) -> Dict[float, str]:
    return {chance: "chance", 0.25: "", 0.5: "0.5", 0.75: "", 1.0: "1"}


def answer_sentences(sheet: Sheet, missing: Dict[str, str]) -> Iterator[str]:
    """Two, from the planted corpus and from SST; of what was not run, that it was not."""
    planted = sheet.where(panel=PLANTED)
    if planted:
        yield _of_planted(planted)
    else:
        yield missing[PLANTED]
    on_sst = sheet.where(panel=ON_SST, measure=MEASURES[0])
    if on_sst:
        yield _of_sst(on_sst, sheet.where(panel=ON_SST, measure=MEASURES[1]))
    else:
        yield missing[ON_SST]


def _of_planted(rows: Sequence[Row]) -> str:
    of = _by_encoder(rows)
    apart = [encoder for encoder, (own, best) in of.items() if own["high"] < best["low"]]
    answer = {len(of): "**No, not by itself.**", 0: "**It may be.**"}.get(
        len(apart), "**It depends on the model.**"
    )
    (first, (own, best)), *others = of.items()
    said = (
        f"{answer} Where the cause of a label is planted, and so known, the attention of a "
        f"{encoder_name(first)} puts it first in {own.shares(mean='mean')} of texts; chance is "
        f"{own.percent('chance')}, and {best['method']} does so in {best.shares(mean='mean')}"
    )
    told = [
        f"{own.percent('mean')} ({encoder_name(encoder)}; {best['method']} {best.percent('mean')})"
        for encoder, (own, best) in others
    ]
    return f"{said}. With other encoders attention does in {listed(told)}." if told else f"{said}."


def _by_encoder(rows: Sequence[Row]) -> Dict[str, Tuple[Row, Row]]:
    """Attention and the best method with each; the first of `ENCODERS` first."""
    of: Dict[str, Tuple[Row, Row]] = {}
    for encoder in ENCODERS:
        of_encoder = [row for row in rows if row["encoder"] == encoder]
        own = [row for row in of_encoder if row["method"] == ATTENTION]
        if own:
            of[encoder] = own[0], max(of_encoder, key=lambda row: row["mean"])
    return of


def _of_sst(rows: Sequence[Row], sufficiency: Sequence[Row]) -> str:
    (first, (own, best)), *others = _by_encoder(rows).items()
    said = (
        f"On SST, whose causes nobody knows, the attention of a {encoder_name(first)} comes "
        f"{own.estimate(mean='mean')} of the way from a random order of words (0) to the best (1), by "
        f"{MEASURES[0]}; {best['method']} comes {best.estimate(mean='mean')}."
    )
    also = _by_encoder(sufficiency).get(first)
    if also is not None:
        said += (
            f" By {MEASURES[1]} it is {also[0].estimate(mean='mean')}, and "
            f"{also[1].estimate(mean='mean')} for {also[1]['method']}."
        )
    told = [
        f"{own.estimate(mean='mean')} ({encoder_name(encoder)}; {best['method']} {best.number('mean')})"
        for encoder, (own, best) in others
    ]
    return f"{said} With other encoders attention comes {listed(told)}." if told else said
