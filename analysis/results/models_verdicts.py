"""The verdict on each model of the studies that measured faithfulness: one row per model, one column per corpus."""

from collections.abc import Iterator, Sequence

from analysis.formats import pipe_table
from analysis.results.cited import Row, Sheet
from analysis.results.names import corpus_name, corpus_position, encoder_name
from analysis.verdict import tables
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
    method = row[column_in(row.values, "recommended")]
    if not isinstance(method, str) or not method:
        return f"{cell}; no method"
    return f"{cell}; {method} {row.number(column_in(row.values, 'recommended score'))}"
