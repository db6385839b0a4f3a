"""The verdict on each model of the studies that measured faithfulness: a row a model, a column a corpus."""

from typing import Dict, Iterator, Optional, Sequence, Tuple

from analysis.formats import pipe_table
from analysis.results.cited import Row, Sheet
from analysis.results.names import corpus_name
from analysis.verdict import of_study
from analysis.verdict.answers import Answer
from analysis.written import NONE, markdown_text

TABLE = of_study.NAME
SAID = (
    "Another question, that of the [verdict](docs/verdict.md): does attention come half of the way from a random (0) to the best order of words (1)? "
    "It is told only where under *each* way of removing words the interval lies on one side of a half. Here stand the mean over these ways, and the "
    "method to show readers, with its place."
)


def models_verdicts(sheets: Sequence[Sheet]) -> Iterator[str]:
    """Of the tables of all studies; of a model that two of them judge on one corpus the first."""
    cells: Dict[Tuple[str, str], Row] = {}
    for sheet in sheets:
        for row in sheet:
            cells.setdefault((row["model"], corpus_name(row["corpus"])), row)
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


def _cell(row: Optional[Row]) -> str:
    if row is None:
        return NONE
    if isinstance(row["nothing to judge"], str) and row["nothing to judge"]:
        return "nothing to judge"
    answer = "untold" if row["answer"] == Answer.UNKNOWN else row["answer"]
    said = f"**{answer}** {row.estimate('attention')}"
    if not isinstance(row["show"], str) or not row["show"]:
        return f"{said}; no method"
    return f"{said}; {row['show']} {row.number('place of it')}"
