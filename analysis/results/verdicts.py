"""The verdicts of all studies: the table of models, and how often verdicts are right where ground-truth words are known."""

from collections.abc import Iterator, Sequence
from typing import Any

import pandas

from analysis.formats import pipe_table
from analysis.results.cited import Row, Sheet
from analysis.results.studies import StudyResults, joined
from analysis.results.words import corpus_name, corpus_position, encoder_name
from analysis.verdict import tables
from analysis.verdict.against_truth import ALL_VERDICTS, count_errors, count_outcomes, share_wrong
from analysis.verdict.question import Answer
from analysis.written import NONE, markdown_text
from attention_explain.files.verdict_names import column_in, present_answer

TABLE = tables.NAME
INTRODUCTION = (
    "Is attention's faithfulness score above a half? The [verdict](docs/explanation/verdict-rule.md) decides only if "
    "the interval is on one side of it for *each* removal method. Cells have the mean over them, and the recommended method with its score."
)
Cells = dict[tuple[str, str], Row]


def models_verdicts(sheets: Sequence[Sheet]) -> Iterator[str]:
    """The table, from those of all studies."""
    cells = _cells(sheets)
    if not cells:
        return
    models = dict.fromkeys(model for model, _ in cells)
    corpora = dict.fromkeys(corpus for _, corpus in cells)
    yield INTRODUCTION + "\n"
    yield pipe_table(
        ["model", *map(markdown_text, corpora)],
        [
            [markdown_text(model), *(_cell(cells.get((model, corpus))) for corpus in corpora)]
            for model in models
        ],
    )


def where_decided(sheets: Sequence[Sheet]) -> Iterator[str]:
    """A sentence: where attention's score is above a half, and where it is below."""
    models: dict[str, dict[str, list[str]]] = {Answer.YES: {}, Answer.NO: {}}
    others: dict[str, None] = {}
    for (model, corpus), row in _cells(sheets).items():
        if _is_empty(row):
            continue
        answer = present_answer(row["answer"])
        if answer in models:
            of_corpus = models[answer].setdefault(corpus, [])
            of_corpus.append(encoder_name(model.split()[0]) if _is_plain(model) else model)
        else:
            others[str(answer) if answer == Answer.DEPENDS else f"is {answer}"] = None
    clauses = [
        f"{side} a half on "
        + " and ".join(f"{corpus} ({', '.join(of)})" for corpus, of in by_corpus.items())
        for side, by_corpus in zip(("above", "below"), models.values(), strict=True)
        if by_corpus
    ]
    if clauses:
        rest = f"; elsewhere the verdict {' or '.join(others)}" if others else ""
        yield f"By both measures together, attention scores {' and '.join(clauses)}{rest}.\n"


def _cells(sheets: Sequence[Sheet]) -> Cells:
    """By model and corpus, in the order of the corpora; the first if two studies judge a model on one corpus."""
    cells: Cells = {}
    rows = [row for sheet in sheets for row in sheet]
    for row in sorted(rows, key=lambda row: corpus_position(row["corpus"])):
        cells.setdefault((row["model"], corpus_name(row["corpus"])), row)
    return cells


def _is_plain(model: str) -> bool:
    """Whether it has the published attention, so that the name of its encoder is enough."""
    return model.split()[1:] == ["tanh", "softmax"]


def _is_empty(row: Row) -> bool:
    return isinstance(row["nothing to judge"], str) and bool(row["nothing to judge"])


def _cell(row: Row | None) -> str:
    if row is None:
        return NONE
    if _is_empty(row):
        return "nothing to judge"
    cell = f"**{present_answer(row['answer'])}** {row.estimate('attention')}"
    if tables.DEPENDS in row.values and row[tables.DEPENDS] == "no":
        cell += " (barely uses attention)"
    method = row[column_in(row.values, "recommended")]
    if not isinstance(method, str) or not method:
        return f"{cell}; no method"
    return f"{cell}; {method} {row.number(column_in(row.values, 'recommended score'))}"


ABOUT = {"attention": "verdicts on attention", "recommended": "recommendations"}
VERDICT = (
    "On the planted corpus `allennlp verdict` can be checked against the ground-truth words: attention finds them if its average precision, rescaled "
    "(0 = random order, 1 = these words first), is above a half ([details](docs/explanation/verdict-rule.md#how-often-the-verdict-is-wrong))."
)
MEASURES = "planted-truth-measures"
# The measure that the page uses.
MEASURE = {"measure": "comprehensiveness", "erasure": "delete"}
# Columns to show even if they are all 0.
ALWAYS = ("right", "wrong")


def verdict_counts_sheet(studies: Sequence[StudyResults]) -> Sheet:
    """The number of each outcome, by what the verdict is about and how models were trained, over all studies."""
    rows = joined(studies, ALL_VERDICTS)
    table = pandas.concat([count_outcomes(rows, about) for about in ABOUT]) if len(rows) else rows
    return Sheet("results/verdict-counts.csv", table.reset_index(drop=True))


def verdicts_sheet(studies: Sequence[StudyResults]) -> Sheet:
    """
    How often verdicts are wrong among those that decide and whose truth is clear, with Wilson's interval. And how many
    of all that decide disagree with the mean of the truth, however wide its interval is.
    """
    every = joined(studies, ALL_VERDICTS)
    rows: list[dict[str, Any]] = []
    for about in ABOUT if len(every) else ():
        errors = count_errors(every, about)
        if errors["clear"]:
            wrong = share_wrong(errors)
            ends = {"share": wrong.mean, "low": wrong.low, "high": wrong.high}
            rows.append({"about": about, **errors, **ends})
    return Sheet("results/verdicts.csv", pandas.DataFrame(rows))


def how_often_right(counts: Sheet, verdicts: Sheet, measures: Sequence[Sheet]) -> Iterator[str]:
    yield VERDICT + "\n"
    outcomes = [
        name for name in counts.table.columns[3:] if name in ALWAYS or counts.table[name].sum()
    ]
    yield pipe_table(
        ["about", "models trained", "models", *outcomes],
        [
            [row["about"], row["trained"], row.whole("models"), *map(row.whole, outcomes)]
            for row in counts
            if row["about"] == "attention" or row["trained"] == "all"
        ],
        ["---", "---", *["---:"] * (1 + len(outcomes))],
    )
    yield " ".join(map(_wrong, verdicts)) + "\n"
    yield from _measures(measures)


def _wrong(row: Row) -> str:
    sentence = (
        f"{row.whole('wrong')} of {row.whole('clear')} decided {ABOUT[row['about']]} with a clear truth are wrong: "
        f"{row.percent('share', 1)} [{row.percent('low', 1)}, {row.percent('high', 1)}]; with ambiguous models, "
        f"{row.whole('contradicted')} of {row.whole('decided')}"
    )
    if row["about"] == "attention":
        sentence += f" ({row.whole('contradicted yes')} of {row.whole('yes')} that say yes)"
    return f"{sentence}."


def _measures(sheets: Sequence[Sheet]) -> Iterator[str]:
    """How the measure of the page ranks methods, compared with the best measure."""
    for sheet in sheets:
        usual = [row for row in sheet if not row["erasure training"]]
        for own in usual:
            if all(own[name] == value for name, value in MEASURE.items()):
                highest = max(usual, key=lambda row: row["tau"])
                yield (
                    f"By {own['measure']} ({own['erasure']}) methods rank as by the truth with a tau of {own.estimate('tau')}, over {own.whole('models')} kinds of models; "
                    f"the highest of [all measures]({own.file}) has {highest.number('tau')}.\n"
                )
                return
