"""A trained model that is only asked what it makes of a text."""

import hashlib
import logging
import random
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import numpy
import pyarrow
import torch
from allennlp.common import Tqdm
from allennlp.data import Instance
from allennlp.models import Model
from allennlp.models.archival import Archive
from filelock import FileLock

from attention_explain.archives import archive_sha256, open_archive
from attention_explain.data.errors import DataError
from attention_explain.data.example import text_key
from attention_explain.data.pair_reader import PairReader
from attention_explain.data.sources import local_path
from attention_explain.data.text_reader import TextReader
from attention_explain.errors import InputError
from attention_explain.files.tables import DamagedFileError, read_sealed, write_sealed
from attention_explain.output import writing
from attention_explain.passes import rows_by_length


class Text(NamedTuple):
    """Its id and tokens; of a pair, also the query, and the candidates where its line names them."""

    id: str
    tokens: Sequence[str]
    query: Sequence[str] | None = None
    candidates: Sequence[str] | None = None

    @property
    def key(self) -> bytes:
        """What it is known by. No token is empty, so that nothing is mistaken for what is between two."""
        if self.query is None:
            return text_key(self.id, self.tokens)
        return text_key(self.id, [*self.tokens, "", *self.query, "", *(self.candidates or ())])


def text_of(metadata: Mapping[str, Any]) -> Text:
    """From an instance's metadata."""
    return Text(**{name: metadata[name] for name in Text._fields if name in metadata})


def texts_of(output: dict[str, Any]) -> list[Text]:
    """From an output of the model that is trained."""
    none = [None] * len(output["ids"])
    columns = (output["ids"], *(output.get(name, none) for name in Text._fields[1:]))
    return [Text(*row) for row in zip(*columns, strict=True)]


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

    def label_order(self, labels: Sequence[str]) -> list[int]:
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
        rows: list[dict[str, Any]] = [{}] * len(texts)
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

    def _instances(self, texts: Sequence[Text]) -> list[Instance]:
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
        instances = []
        for text in texts:
            fields: dict[str, Any] = {"tokens": text.tokens, "id": text.id}
            if reads_pairs:
                fields |= {"query_tokens": text.query, "candidates": text.candidates}
            instances.append(reader.text_to_instance(**fields))
            reader.apply_token_indexers(instances[-1])
        return instances


def table_labels(table: pyarrow.Table) -> list[str]:
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


class BaseOutputs:
    """
    Probabilities and attention of the base by text, each with exactly the weights of its tokens. A
    text that was never added (those of the test split, which a trainer does not know) is computed
    when it comes.

    """

    def __init__(self, base: BaseModel) -> None:
        self._base = base
        self._known: dict[bytes, tuple[torch.Tensor, torch.Tensor]] = {}

    def add(self, table: pyarrow.Table) -> None:
        """Takes in outputs as `BaseModel.outputs` gives them."""
        order = self._base.label_order(table_labels(table))
        # Shape: (texts, labels)
        probs = _numbers(table["probs"]).view(table.num_rows, -1)[:, order]
        lengths = table["attention"].combine_chunks().value_lengths().to_pylist()
        attention = _numbers(table["attention"]).split(lengths)
        self._known.update(zip(table["key"].to_pylist(), zip(probs, attention)))

    def batch(self, texts: Sequence[Text], mask: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """
        # Parameters

        texts : `Sequence[Text]`
        mask : `torch.BoolTensor`
            Shape: (batch, tokens). True at the text's own tokens.

        # Returns

        probs : `torch.Tensor`. Shape: (batch, labels)
        attention : `torch.Tensor`. Shape: (batch, tokens)
        """
        keys = [text.key for text in texts]
        unknown = {key: text for key, text in zip(keys, texts) if key not in self._known}
        if unknown:
            self.add(self._base.outputs(list(unknown.values())))
        probs, weights = zip(*(self._known[key] for key in keys))
        attention = torch.zeros(mask.shape, device=mask.device)
        # Row by row, in the order of the tokens: exactly the order of the weights.
        attention[mask] = torch.cat(weights).to(mask.device)
        return torch.stack(probs).to(mask.device), attention


def _numbers(column: pyarrow.ChunkedArray) -> torch.Tensor:
    return torch.tensor(column.combine_chunks().flatten().to_numpy())


logger = logging.getLogger(__name__)

FOLDER = "base_outputs"


def cached_outputs(
    base: BaseModel, texts: Sequence[Text], folder: str | None = None
) -> pyarrow.Table:
    """
    What `base.outputs` gives, from the folder if it is there, next to the archive
    unless named. Of several processes that want the same, one computes it.
    """
    location = Path(folder).expanduser() if folder else _next_to(base)
    path = location / f"{archive_sha256(base.path)[:16]}-{_texts_sha256(texts)[:16]}.parquet"
    if (kept := _read(path)) is not None:
        return kept
    try:
        location.mkdir(parents=True, exist_ok=True)
        with FileLock(location / f".{path.name}.lock"):
            if (kept := _read(path)) is not None:
                return kept
            return _written(base.outputs(texts), path)
    except OSError as error:
        # A shared, read-only base is no reason not to train.
        logger.warning("%s: outputs of the base are not kept (%s)", location, error)
        return base.outputs(texts)


def _next_to(base: BaseModel) -> Path:
    location = local_path(base.path)
    return (location if location.is_dir() else location.parent) / FOLDER


def _read(path: Path) -> pyarrow.Table | None:
    if not path.exists():
        return None
    try:
        return read_sealed(path)
    except DamagedFileError as error:
        logger.warning("%s; it is computed again", error)
        return None


def _written(table: pyarrow.Table, path: Path) -> pyarrow.Table:
    try:
        with writing(path) as unfinished:
            write_sealed(table, unfinished)
    except InputError as error:
        logger.warning("%s", error)
    return table


def _texts_sha256(texts: Sequence[Text]) -> str:
    return hashlib.sha256(b"".join(text.key for text in texts)).hexdigest()
