"""
Other evidence than known causes and removed words, one sentence each, from the studies that have it: a retrained
model, a pretrained transformer, the facts that an answer is known to depend on, what people mark (another question),
and what agreement with the gradient depends on.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence

import pandas

from analysis.results.cited import Row, Sheet
from analysis.results.words import ENCODERS, corpus_name

RETRAINED, ON_THE_SCALE, FACTS = "recursive-roar-racu", "faithfulness-delete", "supporting-facts"
DEFINITIONS, TAU = "gradient-definitions", "tau-b"
MARKED, PRECISION = "plausibility", "average-precision"
# The study whose models are pretrained transformers.
PRETRAINED = "pretrained_debate"
ATTENTION = "attention"
ENDS = ("random", "search")
MEASURE = "comprehensiveness"


def sentences(sheets: Callable[[str], Sequence[Sheet]]) -> Iterator[str]:
    """`sheets`: from the name of a table to those of all studies that have it."""
    for sheet in sheets(RETRAINED):
        for rows in _models(list(sheet)):
            yield from _retrained(rows)
    for sheet in sheets(ON_THE_SCALE):
        if f"/{PRETRAINED}" in sheet.file:
            whole = [row for row in sheet if pandas.isna(row["k"]) and row["measure"] == MEASURE]
            yield from _on_transformers(list(_models(whole)))
    yield from _facts(
        [_of_attention(rows) for sheet in sheets(FACTS) for rows in _models(_judged(sheet))]
    )
    yield from _marked([rows for sheet in sheets(MARKED) for rows in _first_models(list(sheet))])
    defined = [
        row
        for sheet in sheets(DEFINITIONS)
        for row in sheet
        if row["measure"] == TAU and not pandas.isna(row["mean"])
    ]
    yield from _definitions(defined)


def _judged(rows: Iterable[Row]) -> list[Row]:
    """Those of models that have something to judge."""
    return [row for row in rows if not isinstance(row["nothing to judge"], str)]


def _first_models(rows: Sequence[Row]) -> Iterator[list[Row]]:
    """Of each corpus the model with the first of `ENCODERS` that has something to judge, by average precision."""
    seen, encoders = set(), list(ENCODERS)
    known = [row for row in _judged(rows) if row["measure"] == PRECISION]
    known.sort(
        key=lambda row: next(
            (encoders.index(word) for word in row["model"].split() if word in encoders),
            len(encoders),
        )
    )
    for of_model in _models(known):
        if of_model[0]["corpus"] not in seen:
            seen.add(of_model[0]["corpus"])
            yield of_model


def _marked(models: Sequence[Sequence[Row]]) -> Iterator[str]:
    names = list(dict.fromkeys(rows[0]["model"] for rows in models))
    told = []
    for rows in models:
        own = _of_attention(rows)
        best = max((row for row in rows if row["method"] not in ENDS), key=lambda row: row["mean"])
        said = f"attention {own.estimate(mean='mean')}"
        if best is not own:
            said += f", {best['method']} {best.estimate(mean='mean')}"
        told.append(f"{said} on {_name_without_model(own, names)} (chance {own.number('chance')})")
    if told:
        yield (
            f"**What people mark** ({', '.join(names)}), whether or not the model uses it: average precision of "
            f"{'; '.join(told)}."
        )


def _definitions(rows: Sequence[Row]) -> Iterator[str]:
    """The model whose tau depends most on the definition in full, of the others the range."""
    ends = []
    for model in dict.fromkeys((row["corpus"], row["model"]) for row in rows):
        of_model = [row for row in rows if (row["corpus"], row["model"]) == model]
        ends.append([choose(of_model, key=lambda row: row["mean"]) for choose in (min, max)])
    if not ends:
        return
    ends.sort(key=lambda pair: pair[0]["mean"] - pair[1]["mean"])
    (least, most), *others = ends
    names = list(dict.fromkeys(low["model"] for low, _ in ends))
    said = (
        f"**Agreement with the gradient** ({', '.join(names)}) depends on its definition: tau of attention is, on {_name_without_model(least, names)}, "
        f"{least.estimate(mean='mean')} with {_defined(least)}, and {most.estimate(mean='mean')} with {_defined(most)}"
    )
    for low, high in others:
        said += (
            f"; {low.number('mean')} to {high.number('mean')} on {_name_without_model(low, names)}"
        )
    yield f"{said}."


def _defined(row: Row) -> str:
    """`the norm of the gradient of the logit, attention held fixed`."""
    what = "the norm of the gradient" if row["gradient"] == "norm" else "gradient x input"
    fixed = "held fixed" if row["attention fixed"] == "yes" else "not held fixed"
    return f"{what} of the {row['of']}, {row['scores']}, attention {fixed}"


def _models(rows: Sequence[Row]) -> Iterator[list[Row]]:
    """Those of each corpus and model that have attention among the methods."""
    keys = dict.fromkeys((row["corpus"], row["model"]) for row in rows)
    for key in keys:
        of_model = [row for row in rows if (row["corpus"], row["model"]) == key]
        if any(row["method"] == ATTENTION for row in of_model):
            yield of_model


def _retrained(rows: Sequence[Row]) -> Iterator[str]:
    own = _of_attention(rows)
    best = max(rows, key=lambda row: row["RACU"])
    others = (
        "; no method has more"
        if best["method"] == ATTENTION
        else f"; without those of {best['method']} {best.estimate('RACU')}"
    )
    yield (
        f"**Retrained** ({_named(own)}, {own.whole('seeds')} seeds): without the words that attention ranks first, a model "
        f"loses more accuracy than without as many random words: RACU (0: no more, 1: all at once) {own.estimate('RACU')}{others}."
    )


def _on_transformers(models: Sequence[Sequence[Row]]) -> Iterator[str]:
    told = []
    for rows in models:
        own = _of_attention(rows)
        best = max((row for row in rows if row["method"] not in ENDS), key=lambda row: row["score"])
        told.append(
            f"{own.estimate('score')} with {_named(own)} ({best['method']} {best.estimate('score')}; {own.whole('texts')} texts)"
        )
    if told:
        yield (
            f"**Pretrained transformers**: attention's faithfulness score by {MEASURE}: {' and '.join(told)}."
        )


def _facts(models: Sequence[Row]) -> Iterator[str]:
    """Of each the row of attention."""
    names = list(dict.fromkeys(own["model"] for own in models))
    told = [
        f"{own.shares('mass')} (chance {own.percent('chance')}) and {own.estimate(MEASURE)} on "
        f"{_name_without_model(own, names)} (accuracy {own.percent('accuracy')})"
        for own in models
    ]
    if told:
        yield (
            f"**Known supporting facts** ({', '.join(names)}): the share of attention on the facts that an answer depends on, and "
            f"its faithfulness score by {MEASURE}: {'; '.join(told)}."
        )


def _of_attention(rows: Sequence[Row]) -> Row:
    return next(row for row in rows if row["method"] == ATTENTION)


def _name_without_model(row: Row, models: Sequence[str]) -> str:
    """With the model, unless it is the only one, which is named before."""
    return corpus_name(row["corpus"]) if len(models) == 1 else _named(row)


def _named(row: Row) -> str:
    return f"{corpus_name(row['corpus'])}, {row['model']}"
