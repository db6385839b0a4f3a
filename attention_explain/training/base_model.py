"""A trained model that is only asked what it makes of a text."""

import random
from contextlib import contextmanager
from functools import cached_property
from typing import Any, Dict, Iterator, List, Sequence

import numpy
import pyarrow
import torch
from allennlp.common import Tqdm
from allennlp.data import Instance
from allennlp.models import Model
from allennlp.models.archival import Archive

from attention_explain.archives import open_archive
from attention_explain.data.errors import DataError
from attention_explain.data.pair_reader import PairReader
from attention_explain.data.sources import local_path
from attention_explain.data.text_reader import TextReader
from attention_explain.errors import InputError
from attention_explain.passes import rows_by_length
from attention_explain.training.base_text import Text

# How many tokens, padding included, one pass holds.
BUDGET = 16384

LABELS = b"labels"
COLUMNS = pyarrow.schema(
    [
        pyarrow.field("key", pyarrow.binary(), nullable=False),
        pyarrow.field("probs", pyarrow.list_(pyarrow.float32()), nullable=False),
        pyarrow.field("attention", pyarrow.list_(pyarrow.float32()), nullable=False),
    ]
)


class BaseModel:
    """
    The model at a path, opened when it is first needed. Computing its outputs draws no random
    number of the training that wants them.

    # Parameters

    path : `str`
        Of an archive, or of the folder of a training run.
    labels : `Sequence[str]`
        The classes of the model that is compared with this one, in its order.
    cuda_device : `int`, optional (default = `-1`)
    """

    def __init__(self, path: str, labels: Sequence[str], cuda_device: int = -1) -> None:
        self.path = path
        self._labels = list(labels)
        self._cuda_device = cuda_device
        try:
            local_path(path)
        except DataError as error:
            raise InputError(
                f"base is {path!r}, but no model archive or training run is there"
            ) from error

    @cached_property
    def archive(self) -> Archive:
        with same_randomness():
            return open_archive(self.path, cuda_device=self._cuda_device)

    @property
    def model(self) -> Model:
        """The trained model."""
        return self.archive.model

    def label_order(self, labels: Sequence[str]) -> List[int]:
        """Where each class of the compared model stands among `labels`, the base's."""
        if sorted(labels) != sorted(self._labels):
            raise InputError(
                f"{self.path}: has the labels {', '.join(sorted(labels))}, but the model that is "
                f"compared with it has {', '.join(sorted(self._labels))}"
            )
        return [labels.index(label) for label in self._labels]

    def outputs(self, texts: Sequence[Text]) -> pyarrow.Table:
        """Of each text its `key`, `probs`, and `attention`, one weight a token."""
        # Said before a long pass, and not only when its results are taken in.
        self.label_order(self.model.labels)
        instances = self._instances(texts)
        rows: List[Dict[str, Any]] = [{}] * len(texts)
        lengths = [len(instance["tokens"]) for instance in instances]
        groups = rows_by_length(lengths, BUDGET, longest_first=True)
        with same_randomness():
            for chosen in Tqdm.tqdm(groups, desc="outputs of the base model"):
                group = [instances[number] for number in chosen]
                for number, output in zip(chosen, self.model.forward_on_instances(group)):
                    text = texts[number]
                    if len(output["attention"]) != len(text.tokens):
                        raise InputError(
                            f"{self.path}: its reader makes {len(output['attention'])} tokens of "
                            f"the {len(text.tokens)} of text {text.id!r}"
                        )
                    rows[number] = {
                        "key": text.key,
                        "probs": output["probs"],
                        "attention": output["attention"],
                    }
        labels = "\n".join(self.model.labels).encode()
        return pyarrow.Table.from_pylist(rows, COLUMNS.with_metadata({LABELS: labels}))

    def _instances(self, texts: Sequence[Text]) -> List[Instance]:
        reader = self.archive.validation_dataset_reader
        if not isinstance(reader, TextReader):
            raise InputError(
                f"{self.path}: is no base, because its reader is a {type(reader).__name__}"
            )
        reads_pairs = isinstance(reader, PairReader) and reader.pairs
        for text in texts:
            if (text.query is not None) != reads_pairs:
                kinds = ("single texts", "pairs")
                raise InputError(
                    f"{self.path}: is no base, because it reads {kinds[reads_pairs]}, and the model "
                    f"that is compared with it {kinds[not reads_pairs]}"
                )
        # Through its own reader, which may put symbols around the text that ours does not.
        instances = [
            reader.text_to_instance(
                tokens=text.tokens,
                id=text.id,
                **(
                    {"query_tokens": text.query, "candidates": text.candidates}
                    if reads_pairs
                    else {}
                ),
            )
            for text in texts
        ]
        for instance in instances:
            reader.apply_token_indexers(instance)
        return instances


def table_labels(table: pyarrow.Table) -> List[str]:
    """The classes of `probs`, in their order."""
    return table.schema.metadata[LABELS].decode().split("\n")


@contextmanager
def same_randomness() -> Iterator[None]:
    """Whatever is drawn inside, the numbers drawn afterwards are the same."""
    states = random.getstate(), numpy.random.get_state()
    try:
        with torch.random.fork_rng(range(torch.cuda.device_count())):
            yield
    finally:
        random.setstate(states[0])
        numpy.random.set_state(states[1])
