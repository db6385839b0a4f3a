"""
What `allennlp attribute` does between reading and writing: every text by every method, longest
first, in parts that survive a kill.
"""

from collections import Counter
from itertools import islice
from typing import Any, Dict, List, Optional, Sequence, Tuple

import pyarrow
from allennlp.common import Tqdm
from allennlp.common.checks import ConfigurationError
from allennlp.data import Instance

from attention_explain.commands import attribution_file
from attention_explain.commands.parts import Parts
from attention_explain.interpret.explainer import Explainer
from attention_explain.interpret.interpreter import rows_by_length
from attention_explain.predictors.saliency import SaliencyPredictor


def read_instances(
    predictor: SaliencyPredictor, data: str, limit: Optional[int] = None
) -> List[Instance]:
    """All instances, ready for the model; anything wrong with one is said before the work."""
    reader = predictor._dataset_reader
    instances = list(islice(reader.read(data), limit))
    if not instances:
        raise ConfigurationError(f"{data}: the dataset reader finds no text there")
    for instance in instances:
        reader.apply_token_indexers(instance)
        instance.index_fields(predictor._model.vocab)
    return instances


def attribute(
    explainer: Explainer, instances: Sequence[Instance], parts: Parts
) -> Tuple[pyarrow.Table, Dict[str, Any]]:
    """
    Explains the instances that are in no part yet, and returns all of them in order, with what
    there is to say about the whole: number, seconds a method, what was skipped and why.
    """
    lengths = [len(instance["tokens"]) for instance in instances]
    # The longest first: what does not fit into memory or into the model fails at once.
    groups = rows_by_length(lengths, explainer.budget)[::-1]
    columns = rehearse(explainer, instances)
    finished = parts.finished()
    done = sum(lengths[row] for number in finished for row in groups[number])
    bar = Tqdm.tqdm(
        total=sum(lengths), initial=done, unit="token", unit_scale=True, desc="explaining"
    )
    for number, rows in enumerate(groups):
        if number in finished:
            continue
        tokens = sum(lengths[row] for row in rows)
        seconds: Dict[str, float] = {}

        def after_method(name: str, spent: float, start=done, tokens=tokens, seconds=seconds):
            seconds[name] = spent
            reached = start + tokens * len(seconds) / len(explainer.interpreters)
            bar.update(reached - bar.n)

        explanations = explainer.explain_batch([instances[row] for row in rows], after_method)
        skipped = Counter(pair for each in explanations for pair in each.skipped.items())
        parts.save(
            number,
            attribution_file.to_table(explanations, rows, columns),
            {"seconds": seconds, "skipped": [[*pair, times] for pair, times in skipped.items()]},
        )
        done += tokens
    bar.close()
    table, records = parts.merged()
    return table, {
        "instances": table.num_rows,
        "seconds": {
            name: sum(record["seconds"][name] for record in records)
            for name in explainer.interpreters
        },
        "skipped": _summed([entry for record in records for entry in record["skipped"]]),
        "checks": attribution_file.check_summaries(table),
    }


def rehearse(explainer: Explainer, instances: Sequence[Instance]) -> pyarrow.Schema:
    """
    Every method once, on the longest text: one that refuses the model or a text does so now. What
    comes out decides the columns.
    """
    longest = max(instances, key=lambda instance: len(instance["tokens"]))
    (example,) = explainer.explain_batch([longest])
    with_rationale = any("rationale" in instance["metadata"].metadata for instance in instances)
    return attribution_file.schema(example, with_rationale)


def _summed(entries: Sequence[Tuple[str, str, int]]) -> Dict[str, Dict[str, int]]:
    skipped: Dict[str, Dict[str, int]] = {}
    for method, reason, times in entries:
        reasons = skipped.setdefault(method, {})
        reasons[reason] = reasons.get(reason, 0) + times
    return skipped
