"""What `allennlp attribute` does between reading and writing: every text by every method."""

import math
from collections import Counter
from typing import Any, Dict, List, Sequence, Tuple

import pyarrow
from allennlp.data import Instance

from attention_explain.commands import attribution_file
from attention_explain.commands.batches import AfterStep, total_seconds, work_through
from attention_explain.commands.parts import Parts
from attention_explain.interpret.explainer import Explainer


def attribute(
    explainer: Explainer, instances: Sequence[Instance], parts: Parts
) -> Tuple[pyarrow.Table, Dict[str, Any]]:
    """
    Explains the instances that are in no part yet, and returns all of them in order, with what
    there is to say about the whole: number, seconds a method, what was skipped and why.
    """
    columns = rehearse(explainer, instances)
    methods = list(explainer.interpreters)

    def work(rows: List[int], after_step: AfterStep) -> Tuple[pyarrow.Table, Dict[str, Any]]:
        explanations = explainer.explain_batch([instances[row] for row in rows], after_step)
        skipped = Counter(pair for each in explanations for pair in each.skipped.items())
        record = {"skipped": [[*pair, times] for pair, times in skipped.items()]}
        return attribution_file.to_table(explanations, rows, columns), record

    table, records = work_through(
        instances, explainer.budget, methods, parts, work, description="explaining"
    )
    return table, {
        "instances": table.num_rows,
        "unknown_tokens": attribution_file.unknown_tokens(table),
        "seconds": total_seconds(records, methods),
        "skipped": _summed([entry for record in records for entry in record["skipped"]]),
        "checks": attribution_file.check_summaries(table),
    }


def rehearse(explainer: Explainer, instances: Sequence[Instance]) -> pyarrow.Schema:
    """
    Every method once, on the longest text that none skips: one that refuses the model or a text does
    so now. What comes out decides the columns.
    """
    most = [method.max_tokens for method in explainer.interpreters.values()]
    most = min((tokens for tokens in most if tokens is not None), default=math.inf)
    fitting = [instance for instance in instances if len(instance["tokens"]) <= most]
    longest = max(fitting or instances, key=lambda instance: len(instance["tokens"]))
    (example,) = explainer.explain_batch([longest])
    given = (instance["metadata"].metadata for instance in instances)
    return attribution_file.schema(example, given)


def _summed(entries: Sequence[Tuple[str, str, int]]) -> Dict[str, Dict[str, int]]:
    skipped: Dict[str, Dict[str, int]] = {}
    for method, reason, times in entries:
        reasons = skipped.setdefault(method, {})
        reasons[reason] = reasons.get(reason, 0) + times
    return skipped
