"""
`python -m attention_explain.workflow.check_data`: reads the labels of a study's corpora, which are JSON on
standard input, before any training, and prints what is wrong with the first corpus that cannot be evaluated.
"""

import json
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from copy import deepcopy
from types import SimpleNamespace
from typing import Any

from attention_explain.workflow.identity import is_embedded, references
from attention_explain.workflow.kinds import TrainStep
from attention_explain.workflow.plan import Plan
from attention_explain.workflow.study import SPLITS, StudyError

# The exit code for a problem with the data.
WRONG = 2
LEAST_LABELS = 2


def check_data(plan: Plan) -> None:
    """Raise, before any training, if labels or class balance leave nothing to evaluate."""
    left = any(isinstance(step, TrainStep) and not step.is_done for step in plan.steps.values())
    corpora = list(_corpora(plan)) if left else []
    if not corpora:
        return
    command = [sys.executable, "-m", "attention_explain.workflow.check_data"]
    ended = subprocess.run(command, input=json.dumps(corpora), capture_output=True, text=True)
    if ended.returncode == WRONG and ended.stdout.strip():
        raise StudyError(ended.stdout.strip())


def _corpora(plan: Plan) -> Iterator[dict[str, Any]]:
    """The distinct readers with their files, except data that other runs make first."""
    seen = set()
    for run in plan.study.runs.values():
        reader = run.config.get("dataset_reader")
        paths = {split: run.config.get(name) for split, name in SPLITS.items()}
        if is_embedded(run.config) or references(reader) or references(paths):
            continue
        corpus = {"corpus": run.key.corpus, "reader": reader, "paths": paths, "split": run.split}
        text = json.dumps(corpus, sort_keys=True)
        if text not in seen:
            seen.add(text)
            yield {**corpus, "limit": plan.limit}


def problem_of(corpus: Mapping[str, Any]) -> str | None:
    """An error message about a corpus; None if it is fine, or if its reader has no labels."""
    from allennlp.common import Params
    from allennlp.data import DatasetReader

    from attention_explain.data.text_reader import TextReader

    # `from_params` removes options from its argument.
    params = Params(deepcopy({"reader": corpus["reader"]}))
    reader = DatasetReader.from_params(params.pop("reader"))
    if not isinstance(reader, TextReader):
        return None
    paths = {split: path for split, path in corpus["paths"].items() if isinstance(path, str)}
    labels = {split: list(reader.labels_in(path)) for split, path in paths.items()}
    trained = Counter(labels.get("train", ()))
    if len(trained) < LEAST_LABELS:
        return (
            f"{paths.get('train')}: a classifier needs two labels or more, but the training data has "
            f"{', '.join(map(repr, trained)) or 'none'}"
        )
    for split, path in paths.items():
        unknown = sorted({*labels[split]} - {*trained})
        if unknown:
            return f"{path}: has the label {unknown[0]!r}, which no text of {paths['train']} has"
    split = corpus["split"]
    return _imbalance(paths[split], labels[split], corpus["limit"]) if split in paths else None


def _imbalance(path: str, labels: list[str], limit: int | None) -> str | None:
    """An error message if even a perfect model does no better than one that predicts the majority."""
    import pandas

    from analysis.performance import no_better_than_majority
    from attention_explain.data.any_reader import spread_evenly

    drawn = labels
    if limit is not None and limit < len(labels):
        drawn = [labels[row] for row in spread_evenly(len(labels), limit)]
    perfect = pandas.DataFrame({"label": drawn, "predicted": drawn})
    file: Any = SimpleNamespace(texts=perfect)
    if no_better_than_majority([file]) is None:
        return None
    counts = ", ".join(f"{label!r} {times}" for label, times in Counter(drawn).most_common())
    return (
        f"{path}: there is nothing to evaluate; the labels of the {len(drawn)} texts to explain are {counts}, "
        "so even a perfect model cannot be distinguished from one that always predicts the most frequent "
        "label. Add texts with the rare labels"
    )


def main() -> int:
    """Check the corpora on standard input and return the exit code."""
    # Registers the readers.
    import attention_explain.plugin  # noqa: F401

    for corpus in json.load(sys.stdin):
        try:
            problem = problem_of(corpus)
        except Exception as error:
            if type(error).__name__ != "DataError":
                # Training will report it.
                continue
            problem = str(error)
        if problem:
            print(f"{corpus['corpus']}: {problem}")
            return WRONG
    return 0


if __name__ == "__main__":
    sys.exit(main())
