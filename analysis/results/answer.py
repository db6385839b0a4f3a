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
CORPUS, MODEL = "sst", "bilstm tanh softmax"
MEASURES = ("comprehensiveness", "sufficiency")
PLANTED, ON_SST = "planted", "SST"
ATTENTION, RANDOM = "attention", "random"
# They explain states, and no words.
OF_STATES = ("gradient-hidden", "leave-one-out-hidden", "input-to-hidden")
ENDS = ("random", "search")
COLUMNS = ["panel", "method", "series", "mean", "low", "high", "chance", "corpora", "seeds"]


def answer_sheet(studies: Sequence[StudyResults]) -> Sheet:
    """What the figure shows; without rows where no study has the numbers."""
    rows: List[Dict[str, Any]] = []
    planted = next((study.table(CAUSES) for study in studies if len(study.table(CAUSES))), None)
    if planted is not None and "cause first low" in planted:
        rows += _cause_first(planted)
    for study in studies:
        table = study.table(SCALE)
        of_model = (
            table[(table["corpus"] == CORPUS) & (table["model"] == MODEL)] if len(table) else table
        )
        if len(of_model):
            rows += _on_the_scale(of_model, len(study.account["seeds"]))
            break
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
                "method": method,
                "series": encoder,
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
            "method": row["method"],
            "series": row["measure"],
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
    for name, title, label in (
        (PLANTED, "planted corpus", "share of texts with a known cause first"),
        (ON_SST, "SST, BiLSTM", "place from a random to the best order of words"),
    ):
        rows = sheet.where(panel=name)
        if rows:
            shown = encoder_name if name == PLANTED else str
            chance = sum(row["chance"] for row in rows) / len(rows)
            panels.append(
                DotPanel(
                    title,
                    label,
                    [
                        Dot(name, row["method"], shown(row["series"]), Estimate.of(row.values))
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
    on_sst = sheet.where(panel=ON_SST, series=MEASURES[0])
    if on_sst:
        yield _of_sst(on_sst, sheet.where(panel=ON_SST, series=MEASURES[1]))
    else:
        yield missing[ON_SST]


def _of_planted(rows: Sequence[Row]) -> str:
    encoders = list(dict.fromkeys(row["series"] for row in rows))
    encoders.sort(key=lambda encoder: encoder != "bilstm")
    of = {encoder: _attention_and_best(rows, encoder) for encoder in encoders}
    apart = [encoder for encoder, (own, best) in of.items() if own["high"] < best["low"]]
    answer = {len(of): "**No, not by itself.**", 0: "**It may be.**"}.get(
        len(apart), "**It depends on the model.**"
    )
    own, best = of[encoders[0]]
    said = (
        f"{answer} Where the cause of a label is planted, and so known, the attention of a "
        f"{encoder_name(encoders[0])} puts it first in {own.shares(mean='mean')} of texts; chance is "
        f"{own.percent('chance')}, and {best['method']} does so in {best.shares(mean='mean')}"
    )
    others = [
        f"{own.percent('mean')} ({encoder_name(encoder)}; {best['method']} {best.percent('mean')})"
        for encoder, (own, best) in list(of.items())[1:]
    ]
    return (
        f"{said}. With other encoders attention does in {listed(others)}." if others else f"{said}."
    )


def _attention_and_best(rows: Sequence[Row], encoder: str) -> Tuple[Row, Row]:
    of_encoder = [row for row in rows if row["series"] == encoder]
    own = next(row for row in of_encoder if row["method"] == ATTENTION)
    return own, max(of_encoder, key=lambda row: row["mean"])


def _of_sst(rows: Sequence[Row], sufficiency: Sequence[Row]) -> str:
    own = next(row for row in rows if row["method"] == ATTENTION)
    best = max(rows, key=lambda row: row["mean"])
    said = (
        "On SST, whose causes nobody knows, a BiLSTM's attention comes "
        f"{own.estimate(mean='mean')} of the way from a random order of words (0) to the best (1), by "
        f"{MEASURES[0]}; {best['method']} comes {best.estimate(mean='mean')}"
    )
    other = next((row for row in sufficiency if row["method"] == ATTENTION), None)
    if other is None:
        return f"{said}."
    best = max(sufficiency, key=lambda row: row["mean"])
    return (
        f"{said}. By {MEASURES[1]} it is {other.estimate(mean='mean')}, and "
        f"{best.estimate(mean='mean')} for {best['method']}."
    )
