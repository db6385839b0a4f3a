"""
The job of every command that works through a data set: check the options, open the model, read the texts,
process them in chunks that survive a kill, write one file with its provenance, and print a summary. Each
command is a subclass of `Job`.
"""

import hashlib
import json
import platform
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import numpy
import pyarrow
from allennlp.data import Instance
from allennlp.models.archival import Archive

from attention_explain.archives import (
    OpenedModel,
    archive_sha256,
    open_to_explain,
    weights_sha256,
)
from attention_explain.commands.batches import (
    AfterStep,
    Chunk,
    JobProgress,
    fingerprint,
    multiplications,
    plan_chunks,
    total_seconds,
    work_through,
)
from attention_explain.commands.chunks import (
    CHUNKS,
    ChunkStore,
    MemoryStore,
    check_unfinished,
    resumable,
)
from attention_explain.commands.job_options import JobOptions
from attention_explain.data.any_reader import read_counts, read_instances, select_texts
from attention_explain.data.pair_reader import PASSAGE, turned
from attention_explain.data.sources import left_out, local_path
from attention_explain.files.tables import TableFormat, replace_surrogates, to_chunk
from attention_explain.output import describe_write_errors

# Marks the folder of a training run that was interrupted and not recovered exactly.
RECOVERED = "recovered"
# What differs if other input files were changed, for people.
MADE_FROM = "files that it was made from"
# Packages whose versions the file records.
PACKAGES = ("allennlp", "captum", "entmax", "numpy", "pyarrow", "torch")
# Other fields of an instance that the model reads.
PAIR_FIELDS = ("query", "other", "side", "candidates", "contrary", "fragments")
# What the options say of a text.
MARKS_OF_TEXTS = ("target", "contrast")


@dataclass(frozen=True)
class ReadTexts:
    """Texts that were read before, and what the reader counted."""

    instances: Sequence[Instance]
    counts: dict[str, Any]


class Job:
    """
    A subclass sets the attributes, at the latest in `open`, and implements `open`, `columns`, `results`
    and `records`. The other methods add to the metadata and to the summary.
    """

    # Of the file that is written.
    format: TableFormat
    # For the progress bar and the summary: "explaining", "explained".
    doing: str
    done: str
    # Other input files: their content determines the results.
    reads: Sequence[str] = ()
    # Other output files, by suffix.
    writes: Mapping[str, Sequence[str | Path]] = {}
    # The ids of the texts to process (default: all).
    text_ids: Sequence[str] | None = None
    # All texts of the data, if they were read before; the columns are those of all of them.
    read: ReadTexts | None = None
    # The text of a pair whose words are scored.
    side: str = PASSAGE
    # The largest number of tokens in a batch, padding included.
    budget: int
    # Whether each step makes rows of its own, so that the steps of a text can be saved one by one.
    by_step: bool = False
    # The metadata key of the components ("interpreters"), and their parameters by name.
    components: str
    parameters: dict[str, dict[str, Any]]
    # Whether it runs in an interactive session, which continues after an interrupt.
    interactive: bool = False
    # The texts of the job, once they are read.
    instances: list[Instance]
    # Further metadata of each component.
    declared: dict[str, dict[str, Any]] = {}

    def __init__(self, options: JobOptions) -> None:
        self.options = options

    def open(self, archive: Archive) -> None:
        """Prepare the work with this model; raises if the model does not support it."""
        raise NotImplementedError

    @property
    def steps(self) -> list[str]:
        """The steps of every batch, in order."""
        return list(self.parameters)

    def passes(self, tokens: float) -> float:
        """The approximate number of forward passes for a text of `tokens` tokens."""
        return 1.0

    def settings(self) -> dict[str, Any]:
        """Metadata that determine the results, besides model, data, components and input files."""
        return {}

    def typed(self) -> dict[str, Any]:
        """The command's own options that determine the results, by the names that users type."""
        return {}

    def more_metadata(self) -> dict[str, Any]:
        """Further metadata that are known before the work."""
        return {}

    def mark(self, instances: Sequence[Instance]) -> None:
        """Add to the metadata of the texts what the options say about each of them."""

    def check(self, instances: Sequence[Instance]) -> None:
        """Raise if these texts cannot be processed."""

    def columns(self, instances: Sequence[Instance]) -> pyarrow.Schema:
        """The columns of the file for these texts; may process one of them to find out."""
        raise NotImplementedError

    def results(
        self, instances: Sequence[Instance], after_step: AfterStep, steps: Sequence[str]
    ) -> Sequence[Any]:
        """
        The result for each text of a batch.

        # Parameters

        after_step : `AfterStep`
            To be called after each step.
        steps : `Sequence[str]`
            The steps to do: all, or one if the job works `by_step`.
        """
        raise NotImplementedError

    def records(self, result: Any, columns: pyarrow.Schema) -> list[dict[str, Any]]:
        """The rows of a result."""
        raise NotImplementedError

    def count(self, results: Sequence[Any]) -> dict[str, Any]:
        """Numbers of a batch that `totals` needs and that are not in the table, as JSON."""
        return {}

    def totals(self, table: pyarrow.Table, counts: Sequence[dict[str, Any]]) -> dict[str, Any]:
        """Metadata of all texts, from the table and the counts of each chunk."""
        return {}

    def summary(self, table: pyarrow.Table, metadata: dict[str, Any]) -> list[str]:
        """Lines for the user at the end."""
        return []

    def also_write(self, table: pyarrow.Table, metadata: dict[str, Any]) -> None:
        """Write the files of `writes`."""

    def run(self, progress: JobProgress | None = None) -> dict[str, Any]:
        """Do all of the work; returns the metadata of the file. `progress` is for one of several jobs."""
        _, metadata = self.write(progress or JobProgress())
        return metadata

    def write(self, progress: JobProgress) -> tuple[pyarrow.Table, dict[str, Any]]:
        """Do all of the work; returns the content of the file and its metadata."""
        options = self.options
        output = Path(options.output_file)
        options.check(self.reads, self.writes)
        typed = {**options.typed(), **self.typed()}
        if not options.force:
            check_unfinished(output, typed)
        prepared = self._prepare()
        groups = self._groups(prepared[0])
        store = ChunkStore(output, {**prepared[1], CHUNKS: fingerprint(groups)}, typed)
        with store.opened(replace=options.force), resumable(store, exits=not self.interactive):
            table, metadata = self._content(prepared, groups, store, progress)
            with store.completing() as path, describe_write_errors(path):
                self.format.write(table, metadata, path)
        self.also_write(table, metadata)
        lines = [*_time_spent(metadata, self.done), *left_out(metadata.get("texts"))]
        progress.report(options.output_file, lines + self.summary(table, metadata))
        return table, metadata

    def compute(self, progress: JobProgress) -> tuple[pyarrow.Table, dict[str, Any]]:
        """What `write` returns, without a file."""
        self.options.check_numbers()
        prepared = self._prepare()
        return self._content(prepared, self._groups(prepared[0]), MemoryStore(), progress)

    def _groups(self, instances: Sequence[Instance]) -> list[list[Chunk]]:
        lengths = [len(instance["tokens"]) for instance in instances]
        return plan_chunks(lengths, self.budget, self.steps, self._multiplications, self.by_step)

    def _content(
        self,
        prepared: tuple[list[Instance], dict[str, Any], dict[str, Any]],
        groups: list[list[Chunk]],
        store: ChunkStore | MemoryStore,
        progress: JobProgress,
    ) -> tuple[pyarrow.Table, dict[str, Any]]:
        instances, _, metadata = prepared
        columns = self.columns(self.read.instances if self.read else instances)

        def work(chunk: Chunk, after_step: AfterStep) -> tuple[pyarrow.Table, dict[str, Any]]:
            return self.work([instances[row] for row in chunk.rows], chunk, columns, after_step)

        lengths = [len(instance["tokens"]) for instance in instances]
        table, counts = work_through(groups, lengths, store, work, self.doing, progress)
        metadata.update(
            instances=len(instances),
            seconds=total_seconds(counts, self.steps),
            **self.totals(table, counts),
        )
        return table, metadata

    def work(
        self,
        instances: Sequence[Instance],
        chunk: Chunk,
        columns: pyarrow.Schema,
        after_step: AfterStep,
    ) -> tuple[pyarrow.Table, dict[str, Any]]:
        """The table of one chunk, and its counts."""
        results = self.results(instances, after_step, chunk.steps)
        records = [self.records(result, columns) for result in results]
        return to_chunk(records, chunk.rows, columns), self.count(results)

    def differences(self) -> list[str]:
        """What differs between the existing file and the one that this job would write."""
        try:
            existing = self.format.read_metadata(self.options.output_file)
        except KeyError:
            return ["content"]
        _, _, metadata = self._prepare()
        new = json.loads(json.dumps(metadata))
        names = {
            "weights_sha256": "model",
            "config": "config",
            "data_sha256": "texts",
            "batch_tokens": "batch-tokens",
            self.components: self.components,
            **{name: name for name in self.settings()},
        }
        different = [name for key, name in names.items() if existing.get(key) != new[key]]
        # By content: their paths may have changed.
        if sorted(existing.get("reads", {}).values()) != sorted(new["reads"].values()):
            different.append(MADE_FROM)
        return different

    def _prepare(self) -> tuple[list[Instance], dict[str, Any], dict[str, Any]]:
        """The texts, what determines the results, and the metadata that are known before the work."""
        options = self.options
        archive = open_to_explain(options.archive_file, options.cuda_device, options.overrides)
        self.open(archive)
        self._multiplications_per_token = multiplications(archive.model)
        reader = archive.validation_dataset_reader
        if self.read is None:
            instances = read_instances(
                reader,
                archive.model.vocab,
                options.data,
                options.limit,
                options.split_text,
                self.text_ids,
            )
            counts = read_counts(reader)
        else:
            instances, counts = self._selected(self.read), self.read.counts
        if self.side != PASSAGE:
            instances = turned(instances, self.side)
        self.mark(instances)
        self.check(instances)
        self.instances = instances
        description = self._description(archive, instances)
        metadata = {**self._provenance(archive, description), **counts}
        return instances, description, metadata

    def _selected(self, read: ReadTexts) -> list[Instance]:
        if self.text_ids is None:
            return list(read.instances)
        return select_texts(read.instances, self.text_ids, self.options.data)

    def continue_from(self, path: Path) -> None:
        """Take over what was chosen on all texts, from the file of some of them."""

    def merge(self, files: Sequence[Path], read: ReadTexts) -> None:
        """
        Write the output from files of the same job about different texts: it is the file that the job would have
        written for all of them, which are those of `text_ids`.
        """
        instances = self._selected(read)
        several = [self.format.read(file) for file in files]
        table = pyarrow.concat_tables(
            [each.replace_schema_metadata() for each, _ in several], promote_options="default"
        )
        positions = {
            replace_surrogates(instance["metadata"].metadata["id"]): position
            for position, instance in enumerate(instances)
        }
        rows = [positions[text_id] for text_id in table["id"].to_pylist()]
        table = table.take(numpy.argsort(rows, kind="stable"))
        counts = [metadata for _, metadata in several]
        steps = dict.fromkeys(step for each in counts for step in each["seconds"])
        metadata = {
            **counts[-1],
            **self.more_metadata(),
            "data_sha256": instances_sha256(instances),
            "reads": {file: archive_sha256(file) for file in self.reads},
            "instances": len(instances),
            "seconds": total_seconds(counts, list(steps)),
            **self.totals(table, counts),
        }
        self.format.write(table, metadata, Path(self.options.output_file))

    def _description(self, archive: Archive, instances: Sequence[Instance]) -> dict[str, Any]:
        """What determines the results: two jobs with the same description have the same results."""
        return {
            "archive": archive_sha256(self.options.archive_file),
            "weights": weights_sha256(archive.model),
            "config": archive.config.as_dict(quiet=True),
            "data": instances_sha256(instances),
            self.components: self.parameters,
            "reads": {file: archive_sha256(file) for file in self.reads},
            **self.settings(),
            "batch-tokens": self.budget,
            "cuda-device": self.options.cuda_device,
            "versions": versions(),
        }

    def _provenance(self, archive: Archive, description: dict[str, Any]) -> dict[str, Any]:
        """The description as metadata of the file."""
        model = self.options.archive_file
        path = model.path if isinstance(model, OpenedModel) else local_path(model)
        recovered = path is not None and (path / RECOVERED).is_file()
        return {
            "format": self.format.version,
            "archive": str(self.options.archive_file),
            "archive_sha256": description["archive"],
            "weights_sha256": description["weights"],
            "config": description["config"],
            "data": str(self.options.data),
            "data_sha256": description["data"],
            "labels": list(archive.model.labels),
            self.components: {
                name: {"parameters": parameters, **self.declared.get(name, {})}
                for name, parameters in self.parameters.items()
            },
            "reads": description["reads"],
            **({"recovered": True} if recovered else {}),
            **({"seed_of": self.options.seed_of} if self.options.seed_of else {}),
            "seeds": {
                name: parameters["seed"]
                for name, parameters in self.parameters.items()
                if "seed" in parameters
            },
            "batch_tokens": description["batch-tokens"],
            "versions": description["versions"],
            **self.settings(),
            **self.more_metadata(),
        }

    def _multiplications(self, tokens: int) -> float:
        """The cost of a text of `tokens` tokens."""
        return self.passes(tokens) * tokens * self._multiplications_per_token


def versions() -> dict[str, str]:
    """Versions of Python and of the packages that determine results."""
    import attention_explain

    by_package = {
        "python": platform.python_version(),
        "attention_explain": attention_explain.__version__,
    }
    for package in PACKAGES:
        try:
            by_package[package] = version(package)
        except PackageNotFoundError:
            continue
    return by_package


def instances_sha256(instances: Iterable[Instance]) -> str:
    """A hash of everything in the instances that the model or the file contains."""
    digest = hashlib.sha256()
    for instance in instances:
        metadata: dict[str, Any] = instance["metadata"].metadata
        label = instance["label"].label if "label" in instance.fields else None
        content = [metadata["id"], metadata["tokens"], label, metadata.get("rationale")]
        content += [
            [name, metadata[name]] for name in (*PAIR_FIELDS, *MARKS_OF_TEXTS) if name in metadata
        ]
        digest.update(json.dumps(content).encode() + b"\n")
    return digest.hexdigest()


def _time_spent(metadata: dict[str, Any], done: str) -> list[str]:
    """The number of texts, the speed, and the time of each step."""
    seconds: dict[str, float] = metadata["seconds"]
    total = sum(seconds.values())
    count = metadata["instances"]
    rate = f", {count / total:.1f} texts per second" if total > 0 else ""
    lines = [f"{count} texts {done} in {total:.1f} s{rate}"]
    width = max(map(len, seconds))
    for name, spent in sorted(seconds.items(), key=lambda item: -item[1]):
        share = spent / total if total > 0 else 0
        lines.append(f"  {name.ljust(width)} {spent:9.2f} s {share:4.0%}")
    return lines
