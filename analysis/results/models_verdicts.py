"""The verdict on each model of the studies that measured faithfulness: a row a model, a column a corpus."""

from typing import Dict, Iterator, List, Optional, Sequence, Tuple

from analysis.formats import pipe_table
from analysis.results.cited import Row, Sheet
from analysis.results.names import corpus_name, corpus_place, encoder_name
from analysis.verdict import of_study
from analysis.verdict.answers import Answer
from analysis.written import NONE, markdown_text

TABLE = of_study.NAME
SAID = (
    "Does attention come half of the way from a random (0) to the best order of words (1)? The [verdict](docs/how-to/verdict.md) tells only where under *each* "
    "way of removing words the interval lies on one side of a half. Given are the mean over these ways, and the method to show readers with its place."
)
Cells = Dict[Tuple[str, str], Row]


def models_verdicts(sheets: Sequence[Sheet]) -> Iterator[str]:
    """Of the tables of all studies."""
    cells = _cells(sheets)
    if not cells:
        return
    models = dict.fromkeys(model for model, _ in cells)
    corpora = dict.fromkeys(corpus for _, corpus in cells)
    yield SAID + "\n"
    yield pipe_table(
        ["model", *map(markdown_text, corpora)],
        [
            [markdown_text(model), *(_cell(cells.get((model, corpus))) for corpus in corpora)]
            for model in models
        ],
    )


def where_it_is_told(sheets: Sequence[Sheet]) -> Iterator[str]:
    """A sentence: where attention comes half of the way, where it does not."""
    models: Dict[str, Dict[str, List[str]]] = {Answer.YES: {}, Answer.NO: {}}
    others: Dict[str, None] = {}
    for (model, corpus), row in _cells(sheets).items():
        if _is_empty(row):
            continue
        if row["answer"] in models:
            of_corpus = models[row["answer"]].setdefault(corpus, [])
            of_corpus.append(encoder_name(model.split()[0]) if _is_plain(model) else model)
        else:
            others[f"that {row['answer']}"] = None
    said = [
        f"it {does} on "
        + " and ".join(f"{corpus} ({', '.join(of)})" for corpus, of in told.items())
        for does, told in zip(("does", "does not"), models.values(), strict=True)
        if told
    ]
    if said:
        rest = f"; elsewhere {' or '.join(others)}" if others else ""
        yield f"By both measures together, whether attention comes half of the way varies: {' and '.join(said)}{rest}.\n"


def _cells(sheets: Sequence[Sheet]) -> Cells:
    """By model and corpus, in the order of the corpora; of a model that two studies judge on one corpus the first."""
    cells: Cells = {}
    rows = [row for sheet in sheets for row in sheet]
    for row in sorted(rows, key=lambda row: corpus_place(row["corpus"])):
        cells.setdefault((row["model"], corpus_name(row["corpus"])), row)
    return cells


def _is_plain(model: str) -> bool:
    """Of the published attention, so that its encoder says enough."""
    return model.split()[1:] == ["tanh", "softmax"]


def _is_empty(row: Row) -> bool:
    return isinstance(row["nothing to judge"], str) and bool(row["nothing to judge"])


def _cell(row: Optional[Row]) -> str:
    if row is None:
        return NONE
    if _is_empty(row):
        return "nothing to judge"
    answer = "untold" if row["answer"] == Answer.UNKNOWN else row["answer"]
    said = f"**{answer}** {row.estimate('attention')}"
    if not isinstance(row["show"], str) or not row["show"]:
        return f"{said}; no method"
    return f"{said}; {row['show']} {row.number('place of it')}"
