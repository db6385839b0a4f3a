"""
The answer: how often methods put a known cause first, and how far they come from chance to the best
order of words on SST; the numbers, the figure and the sentences. Unsigned methods, as attention
is one, are compared with it next to the best of all.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import pandas
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from analysis.figures import style
from analysis.figures.dots import (
    FROM_CHANCE_TO_BEST,
    INCHES_A_LINE,
    LEAST,
    Dot,
    apart,
    best_first,
    draw,
    leftmost,
)
from analysis.model_config import PLAIN
from analysis.results.cited import Row, Sheet
from analysis.results.studies import StudyResults
from analysis.results.words import ENCODERS, encoder_name
from analysis.written import Estimate, listed


@dataclass(frozen=True)
class DotPanel:
    """
    label : what the axis across is.
    ticks : where the axis is marked, and what is written there.
    chance : where knowing nothing leads, drawn as a line.
    """

    title: str
    label: str
    dots: Sequence[Dot]
    ticks: dict[float, str]
    chance: float

    @property
    def series(self) -> list[str]:
        return list(dict.fromkeys(dot.series for dot in self.dots))


def side_by_side(panels: Sequence[DotPanel]) -> Figure:
    """Rows of each panel in the order of their means, the best on top."""
    lines = max(len(best_first(panel.dots)) * len(panel.series) for panel in panels)
    with style.applied():
        width = style.DOUBLE if len(panels) > 1 else style.SINGLE + 0.6
        figure, axes = style.figure(width, 1.1 + INCHES_A_LINE * lines, 1, len(panels))
        for one, panel in zip(axes[0], panels, strict=True):
            _draw(one, panel)
    return figure


def _draw(axes: Axes, panel: DotPanel) -> None:
    rows, series = best_first(panel.dots), panel.series
    for dot in panel.dots:
        if dot.row in rows:
            number = series.index(dot.series)
            draw(axes, dot, rows.index(dot.row) + apart(number, len(series)), number)
    axes.axvline(panel.chance, color=style.GREY, linewidth=0.9, zorder=1)
    axes.axvline(1, color=style.GREY, linewidth=0.8, linestyle=":", zorder=0)
    for between in range(1, len(rows)):
        axes.axhline(between - 0.5, color=style.LIGHT_GREY, linewidth=0.4, zorder=0)
    style.titled(axes, panel.title)
    axes.set_xlabel(style.shown(panel.label))
    axes.set_xticks(list(panel.ticks), list(panel.ticks.values()))
    axes.set_yticks(range(len(rows)), list(map(style.shown, rows)))
    axes.tick_params(axis="y", length=0)
    axes.set_ylim(len(rows) - 0.5, -0.5)
    lowest = min([0.0, *(leftmost(dot.estimate) for dot in panel.dots)])
    axes.set_xlim(max(LEAST, lowest) - 0.04, 1.04)
    handles, labels = axes.get_legend_handles_labels()
    named = dict(zip(labels, handles))
    axes.legend(
        list(named.values()),
        list(named),
        loc="upper center",
        bbox_to_anchor=(0.5, -0.5 / style.figure_of(axes).get_figheight()),
        ncols=2,
        columnspacing=1.0,
        handletextpad=0.3,
    )


FILE, COUNTED, DRAWN = "results/answer.csv", "results/answer-counts.csv", "results/answer.svg"
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
# Their scores are magnitudes, as attention's are: a word that speaks against the class comes as early as one for it.
UNSIGNED = ("gradient", "leave-one-out", "smoothgrad")
BY_MAGNITUDE, SIGNED = "leave-one-out", "leave-one-out-signed"
# They explain states, and no words.
OF_STATES = ("gradient-hidden", "leave-one-out-hidden", "input-to-hidden")
ENDS = ("random", "search")
COLUMNS = ["panel", "measure", "method", "encoder", "mean", "low", "high", "chance", "corpora"]
COLUMNS += ["seeds"]


def answer_sheet(studies: Sequence[StudyResults]) -> Sheet:
    """What the figure shows; without rows where no study has the numbers."""
    rows: list[dict[str, Any]] = []
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
    encoders = list(ENCODERS)
    rows.sort(key=lambda row: (row["panel"] == ON_SST, encoders.index(row["encoder"])))
    return Sheet(FILE, pandas.DataFrame(rows, columns=COLUMNS))


def _cause_first(table: pandas.DataFrame) -> list[dict[str, Any]]:
    """Means over the corpora that all encoders have learned; squares of half-intervals add up."""
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
                # Shares, whose intervals were cut nowhere before.
                "low": max(0.0, mean - below),
                "high": min(1.0, mean + above),
                "chance": group["chance"].mean(),
                "corpora": len(corpora),
                "seeds": int(group["seeds"].min()),
            }
        )
    by_all = [
        method
        for method in dict.fromkeys(row["method"] for row in rows)
        if sum(row["method"] == method for row in rows) == len(encoders)
    ]
    return [row for row in rows if row["method"] in by_all]


def _on_the_scale(table: pandas.DataFrame, seeds: int) -> list[dict[str, Any]]:
    whole = table[table["k"].isna() & table["measure"].isin(MEASURES)]
    return [
        {
            "panel": ON_SST,
            "measure": row["measure"],
            "method": row["method"],
            "encoder": MODELS[row["model"]],
            "mean": row["score"],
            "low": row["score low"],
            "high": row["score high"],
            "chance": 0.0,
            "corpora": 1,
            "seeds": seeds,
        }
        for row in whole.to_dict("records")
        if row["method"] not in ENDS
    ]


def counts_sheet(answer: Sheet) -> Sheet:
    """With how many encoders another method is clearly more faithful: intervals do not overlap."""
    rows = []
    for panel, measure in ((PLANTED, CAUSE_FIRST), (ON_SST, MEASURES[0])):
        every = list(_by_encoder(answer.where(panel=panel, measure=measure)).values())
        if every:
            apart = sum(one.own["high"] < one.best["low"] for one in every)
            rows.append({"panel": panel, "encoders": len(every), "apart": apart})
    return Sheet(COUNTED, pandas.DataFrame(rows, columns=["panel", "encoders", "apart"]))


def answer_figure(sheet: Sheet) -> Figure | None:
    """Left the planted corpus, right SST, whichever are there."""
    panels = []
    for name, measure, title, label in (
        (PLANTED, CAUSE_FIRST, "planted corpus", "share of texts, cause ranked first"),
        (ON_SST, MEASURES[0], "SST", f"faithfulness score by {MEASURES[0]}"),
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
                            _with_sign(row["method"]),
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


def _ticks(chance: float) -> dict[float, str]:
    return {chance: "chance", 0.25: "", 0.5: "0.5", 0.75: "", 1.0: "1"}


def _with_sign(method: str) -> str:
    unsigned = method == ATTENTION or method in UNSIGNED
    return f"|{method}|" if unsigned else method


def answer_sentences(sheet: Sheet, counts: Sheet, missing: dict[str, str]) -> Iterator[str]:
    """In short, then from the planted corpus and from SST; of what was not run, that it was not."""
    planted = sheet.where(panel=PLANTED)
    on_sst = sheet.where(panel=ON_SST, measure=MEASURES[0])
    if planted or on_sst:
        yield _in_short(list(counts))
    yield _of_planted(planted) if planted else missing[PLANTED]
    if on_sst:
        yield _of_sst(on_sst, sheet.where(panel=ON_SST, measure=MEASURES[1]))
    else:
        yield missing[ON_SST]


def _in_short(counts: Sequence[Row]) -> str:
    apart, encoders = (sum(row[name] for row in counts) for name in ("apart", "encoders"))
    where = {PLANTED: "encoders on the planted corpora", ON_SST: "on SST"}
    told = listed(
        [f"{row.whole('apart')} of {row.whole('encoders')} {where[row['panel']]}" for row in counts]
    )
    said = f"With {told} another method is clearly more faithful than attention (their intervals do not overlap)"
    if apart == encoders:
        return f"**No, not by itself.** {said}."
    if apart == 0:
        return f"**It may be.** {said}."
    answer = "**Not as a rule.**" if 2 * apart > encoders else "**It depends on the model.**"
    rest = "one" if encoders - apart == 1 else "ones"
    return f"{answer} {said}; with the remaining {rest} they overlap."


@dataclass(frozen=True)
class Compared:
    """
    own : attention.
    best : of all methods.
    unsigned : the best of the others that are unsigned; None if there is none.
    """

    own: Row
    best: Row
    unsigned: Row | None


def _by_encoder(rows: Sequence[Row]) -> dict[str, Compared]:
    """The first of `ENCODERS` first."""
    of: dict[str, Compared] = {}
    for encoder in ENCODERS:
        methods = {row["method"]: row for row in rows if row["encoder"] == encoder}
        if ATTENTION in methods:
            unsigned = [methods[name] for name in UNSIGNED if name in methods]
            of[encoder] = Compared(
                methods[ATTENTION],
                max(methods.values(), key=lambda row: row["mean"]),
                max(unsigned, key=lambda row: row["mean"], default=None),
            )
    return of


def _of_planted(rows: Sequence[Row]) -> str:
    (first, one), *others = _by_encoder(rows).items()
    said = (
        f"On the planted corpora, where the causes of labels are known, the attention of a {encoder_name(first)} ranks a cause first in "
        f"{one.own.shares(mean='mean')} of texts (random: {one.own.percent('chance')}), {one.best['method']} in {one.best.shares(mean='mean')}"
    )
    if one.unsigned:
        said += f", and {one.unsigned['method']}, which is unsigned too, in {one.unsigned.shares(mean='mean')}"
    told = [
        f"{other.own.percent('mean')} ({encoder_name(encoder)}; best: {other.best['method']}, {other.best.percent('mean')}"
        + (f"; best unsigned: {other.unsigned.percent('mean')})" if other.unsigned else ")")
        for encoder, other in others
    ]
    return (
        f"{said}. With other encoders attention does so in {listed(told)}." if told else f"{said}."
    )


def _of_sst(rows: Sequence[Row], sufficiency: Sequence[Row]) -> str:
    (first, one), *others = _by_encoder(rows).items()
    said = (
        f"On SST, where the causes are unknown, the attention of a {encoder_name(first)} has a faithfulness score (0 = random order, 1 = best order found) of "
        f"{one.own.estimate(mean='mean')} by {MEASURES[0]}; {one.best['method']} scores {one.best.estimate(mean='mean')}. "
    )
    said += _of_signs(rows, first)
    also = _by_encoder(sufficiency).get(first)
    if also is not None:
        said += f"By {MEASURES[1]} attention scores {also.own.estimate(mean='mean')}, {also.best['method']} {also.best.estimate(mean='mean')}. "
    told = [
        f"{other.own.estimate(mean='mean')} ({encoder_name(encoder)}; best: {other.best['method']}, {other.best.number('mean')}"
        + (f"; best unsigned: {other.unsigned.number('mean')})" if other.unsigned else ")")
        for encoder, other in others
    ]
    return f"{said}With other encoders attention scores {listed(told)}." if told else said.rstrip()


def _of_signs(rows: Sequence[Row], encoder: str) -> str:
    """What a sign is worth, by a method that is there with and without it."""
    with_it, by_magnitude = (
        next((row for row in rows if (row["encoder"], row["method"]) == (encoder, method)), None)
        for method in (SIGNED, BY_MAGNITUDE)
    )
    if not with_it or not by_magnitude or by_magnitude["high"] >= with_it["low"]:
        return ""
    return (
        f"Much of the difference is due to the sign, which attention lacks: {BY_MAGNITUDE} scores {with_it.estimate(mean='mean')} with it, and "
        f"{by_magnitude.estimate(mean='mean')} by magnitude. "
    )
