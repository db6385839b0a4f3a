"""Scores of texts, judged by one measure: the rows, without a command or a file."""

from typing import Any

from attention_explain.faithfulness.evaluator import Evaluator
from attention_explain.faithfulness.faithfulness import MEASURES
from attention_explain.faithfulness.removal import ERASURES
from attention_explain.faithfulness.scores_file import ScoredText
from attention_explain.files.faithfulness import Measurement
from attention_explain.models import AttentionClassifier
from tests.builders import TEXTS, instances, reader
from tests.interpret.no_trace import interpreter

LABEL = 1


def judged(
    made: AttentionClassifier,
    scores: dict[str, list[list[float] | None]],
    measure: Any,
    erasure: str = "delete",
    texts: list[str] = TEXTS,
    methods: dict[str, dict[str, Any]] | None = None,
    bounded: bool = True,
    **options: Any,
) -> list[dict[tuple, Measurement]]:
    """Of each text, the rows by method and measure. `scores` are those of each method, by text."""
    evaluator = Evaluator(
        made,
        MEASURES.build([measure]),
        ERASURES.build([erasure]),
        reader(boundary_symbols=bounded),
        methods,
        random_orders=5,
        **options,
    )
    scored = [
        ScoredText(
            f"text-{number}",
            text.split(),
            made.labels[LABEL],
            {method: of_texts[number] for method, of_texts in scores.items()},
        )
        for number, text in enumerate(texts)
    ]
    rows = evaluator.evaluate_batch(instances(texts, None, boundary_symbols=bounded), scored)
    return [{(row.method, row.measure): row for row in text.rows} for text in rows]


def scores_of(made: AttentionClassifier, texts: list[str] = TEXTS, **config: Any):
    """What a method gives, for each text."""
    method = interpreter(config.pop("type"), made, **config)
    found = method.saliency_interpret_instances(
        instances(texts, None, boundary_symbols=True), target=made.labels[LABEL]
    )
    return [each["scores"] for each in found]
