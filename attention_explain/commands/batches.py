"""A data set worked through in batches, the longest texts first, in parts that survive a kill."""

import logging
import sys
import time
from collections import Counter
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple

import pyarrow
from allennlp.common import Tqdm
from allennlp.common.checks import ConfigurationError
from allennlp.data import DatasetReader, Instance, Vocabulary

from attention_explain.commands.estimate import estimate, in_telling_order, seconds_left
from attention_explain.commands.parts import Parts
from attention_explain.data.any_reader import complete
from attention_explain.data.errors import DataError
from attention_explain.data.origins import check_split
from attention_explain.data.text_reader import TextReader
from attention_explain.interpret.interpreter import rows_by_length

logger = logging.getLogger(__name__)

# Is called with the name of each step of a batch that is through, and the seconds it took.
AfterStep = Callable[[str, float], Any]
# From the rows of a batch to its table, and a record about it.
Work = Callable[[List[int], AfterStep], Tuple[pyarrow.Table, Dict[str, Any]]]


def read_instances(
    reader: DatasetReader,
    vocab: Vocabulary,
    data: str,
    limit: Optional[int] = None,
    split_text: bool = False,
) -> List[Instance]:
    """
    All instances, or so many, ready for the model; anything wrong with one is said before the work.
    They need no label. `split_text` allows strings for a model that was trained on tokens.
    """
    if isinstance(reader, TextReader):
        reader.require_label = False
    instances = [
        complete(instance, f"text-{place}", data)
        for place, instance in enumerate(reader.read(data), 1)
    ]
    if not instances:
        raise ConfigurationError(f"{data}: the dataset reader finds no text there")
    _check_ids(instances, data)
    if limit is not None and limit < len(instances):
        # Files may be sorted, by label or otherwise: the first so many would not stand for the rest.
        instances = [instances[place * len(instances) // limit] for place in range(limit)]
    try:
        warning = check_split(instances, vocab, split_text)
    except ConfigurationError as error:
        raise ConfigurationError(f"{data}: {error.message}") from error
    if warning is not None:
        logger.warning("%s: %s", data, warning)
    for instance in instances:
        reader.apply_token_indexers(instance)
        instance.index_fields(vocab)
    return instances


def _check_ids(instances: Sequence[Instance], data: str) -> None:
    counts = Counter(instance["metadata"].metadata["id"] for instance in instances)
    id, count = counts.most_common(1)[0]
    if count > 1:
        raise DataError(
            f"{count} texts have the id {id!r}; ids must be unique, because results are joined by "
            "them",
            data,
        )


def read_counts(reader: DatasetReader) -> Dict[str, Any]:
    """For the file: how many texts of the data were kept, dropped and cut, where the reader counts."""
    return {"texts": reader.counts.to_dict()} if isinstance(reader, TextReader) else {}


def work_through(
    instances: Sequence[Instance],
    budget: int,
    steps: Sequence[str],
    parts: Parts,
    work: Work,
    description: str,
) -> Tuple[pyarrow.Table, List[Dict[str, Any]]]:
    """
    Does the batches that are in no part yet. Returns all rows in the order of the instances, and
    the records, each with the `seconds` of every step. After two batches a long job says how long.

    # Parameters

    budget : `int`
        How many tokens, padding included, a batch may hold.
    steps : `Sequence[str]`
        What is done to a batch, for the progress.
    description : `str`
        Of the progress.
    """
    lengths = [len(instance["tokens"]) for instance in instances]
    # The longest first: what does not fit into memory or into the model fails at once.
    groups = rows_by_length(lengths, budget)[::-1]
    finished = parts.finished()
    tokens = [sum(lengths[row] for row in rows) for rows in groups]
    longest = [max(lengths[row] for row in rows) for rows in groups]
    pending = [number for number in range(len(groups)) if number not in finished]
    pending = in_telling_order(pending, tokens)
    done = sum(tokens[number] for number in finished)
    taken: Dict[int, float] = {}
    spent: Dict[str, float] = dict.fromkeys(steps, 0.0)
    bar = Tqdm.tqdm(
        total=sum(lengths), initial=done, unit="token", unit_scale=True, desc=description
    )
    for place, number in enumerate(pending):
        start = time.perf_counter()
        seconds: Dict[str, float] = {}

        def after_step(name: str, took: float, done=done, size=tokens[number], seconds=seconds):
            seconds[name] = took
            spent[name] += took
            bar.update(done + size * len(seconds) / len(steps) - bar.n)

        table, record = work(groups[number], after_step)
        parts.save(number, table, {"seconds": seconds, **record})
        done += tokens[number]
        taken[number] = time.perf_counter() - start
        if place == 1:
            left = pending[2:]
            sentence = estimate(
                seconds_left(taken, left, tokens, longest),
                sum(len(groups[other]) for other in left),
                spent,
            )
            if sentence is not None:
                bar.write(f"{description}: {sentence}", file=sys.stderr)
    bar.close()
    return parts.merged()


def total_seconds(records: Sequence[Dict[str, Any]], steps: Sequence[str]) -> Dict[str, float]:
    """Of each step, over all batches."""
    return {name: sum(record["seconds"][name] for record in records) for name in steps}
