"""
The job behind every command that works through a data set: look before any work whether it can end
well, open the model, read the texts, do them in batches, the longest texts first, whose results
survive a kill, write one file that says where it comes from, and tell what was done. A command is a
`Job` with what is its own.
"""

import json
from pathlib import Path
from typing import Any, Dict, List, Mapping, Optional, Sequence, Tuple, Union

import pyarrow
from allennlp.data import Instance
from allennlp.models.archival import Archive

from attention_explain.archives import archive_sha256, open_to_explain
from attention_explain.commands import table_file
from attention_explain.commands.batches import (
    AfterStep,
    Portion,
    fingerprint,
    multiplications,
    portions,
    total_seconds,
    work_through,
)
from attention_explain.commands.job_options import JobOptions
from attention_explain.commands.parts import PORTIONS, Parts, check_unfinished, resumable
from attention_explain.commands.progress import JobProgress
from attention_explain.commands.table_file import description, provenance
from attention_explain.data.any_reader import read_counts, read_instances
from attention_explain.data.pair_sides import PASSAGE, turned
from attention_explain.data.sources import left_out


class Job:
    """
    A subclass sets the attributes, those without a value in `open` at the latest, and implements
    `open`, `columns` and `work`; what else it has to say goes into `told`, `totals` and `in_words`.
    """

    # The key of the file's metadata, and the version of its layout; a reader may refuse what it does
    # not know.
    key: bytes
    format: int = 1
    # What is done to the texts, for the progress and for the end: "explaining", "explained".
    doing: str
    done: str
    # Files that are read beside the archive and the data: their content decides the results.
    reads: Sequence[str] = ()
    # Files that are written beside the parquet file, by suffix.
    writes: Mapping[str, Sequence[Union[str, Path]]] = {}

    # The ids of the texts that it is about, if those are not all of the data.
    only: Optional[Sequence[str]] = None

    # Of pairs, the text whose words get scores.
    side: str = PASSAGE

    # How many tokens, padding included, a batch may hold.
    budget: int
    # Whether each step makes rows of its own, so that what is done to a text can be saved in between.
    by_step: bool = False
    # What the components are called together ("interpreters"), and the parameters of each by name.
    components: str
    parameters: Dict[str, Dict[str, Any]]
    # What each of them declares beside its parameters.
    declared: Dict[str, Dict[str, Any]] = {}

    def __init__(self, options: JobOptions) -> None:
        self.options = options

    def open(self, archive: Archive) -> None:
        """Makes what it takes to do the work with this model; says what cannot be done with it."""
        raise NotImplementedError

    @property
    def steps(self) -> List[str]:
        """What is done to each batch, in order: `work` says after each how long it took."""
        return list(self.parameters)

    def passes(self, tokens: float) -> float:
        """About how many passes through the model all of it is, for a text of so many tokens."""
        return 1.0

    def decisive(self) -> Dict[str, Any]:
        """
        What decides the results beside model, data, components and files that are read, as JSON; the
        metadata say it, too.
        """
        return {}

    def typed(self) -> Dict[str, Any]:
        """The command's own options that decide the results, by the names that users type."""
        return {}

    def told(self) -> Dict[str, Any]:
        """What more the metadata say, known before the work."""
        return {}

    def check(self, instances: Sequence[Instance]) -> None:
        """Says before any work what is wrong for these texts."""

    def columns(self, instances: Sequence[Instance]) -> pyarrow.Schema:
        """Of the file, for these texts; may try the work on one of them."""
        raise NotImplementedError

    def work(
        self,
        instances: Sequence[Instance],
        rows: Sequence[int],
        columns: pyarrow.Schema,
        after_step: AfterStep,
        steps: Sequence[str],
    ) -> Tuple[pyarrow.Table, Dict[str, Any]]:
        """
        What comes of one batch: a table, for which `table_file.to_part` is there, and a record, as
        JSON, for `totals`. A text may have any number of rows, which stay together in their order.

        # Parameters

        rows : `Sequence[int]`
            The place of each instance among all: the value of the table's column `row`.
        steps : `Sequence[str]`
            Those to do: all, or with `by_step` one.
        """
        raise NotImplementedError

    def totals(self, table: pyarrow.Table, records: Sequence[Dict[str, Any]]) -> Dict[str, Any]:
        """What the metadata say of all texts, from the whole table and the records of its parts."""
        return {}

    def in_words(self, table: pyarrow.Table, metadata: Dict[str, Any]) -> List[str]:
        """Lines for the user at the end."""
        return []

    def also_write(self, table: pyarrow.Table, metadata: Dict[str, Any]) -> None:
        """The files of `writes`."""

    def run(self, progress: Optional[JobProgress] = None) -> Dict[str, Any]:
        """Do all of the work; returns the metadata of the file. `progress` is for one of several jobs."""
        options, progress = self.options, progress or JobProgress()
        output = Path(options.output_file)
        options.check(self.reads, self.writes)
        typed = {**options.typed(), **self.typed()}
        if not options.force:
            check_unfinished(output, typed)
        instances, described, metadata = self._begun()
        lengths = [len(instance["tokens"]) for instance in instances]
        groups = portions(lengths, self.budget, self.steps, self._multiplications, self.by_step)
        parts = Parts(output, {**described, PORTIONS: fingerprint(groups)}, typed)
        with parts.opened(replace=options.force), resumable(parts):
            table, records = self._all(instances, groups, parts, progress)
            metadata.update(
                instances=len(instances),
                seconds=total_seconds(records, self.steps),
                **self.totals(table, records),
            )
            with parts.becoming_whole() as whole:
                table_file.write(table, metadata, whole, self.key)
        self.also_write(table, metadata)
        lines = [*_time_spent(metadata, self.done), *left_out(metadata.get("texts"))]
        progress.report(options.output_file, lines + self.in_words(table, metadata))
        return metadata

    def differences(self) -> List[str]:
        """What is another in the file that is there than in the one that would be made now."""
        try:
            there = table_file.read_metadata(self.options.output_file, self.key)
        except KeyError:
            return ["content"]
        _, _, told = self._begun()
        now = json.loads(json.dumps(told))
        decisive = {
            "weights_sha256": "model",
            "config": "config",
            "data_sha256": "texts",
            "batch_tokens": "batch-tokens",
            self.components: self.components,
            **{name: name for name in self.decisive()},
        }
        different = [word for key, word in decisive.items() if there.get(key) != now[key]]
        # By their content: they may be called by another path.
        if sorted(there.get("reads", {}).values()) != sorted(now["reads"].values()):
            different.append("files that it was made from")
        return different

    def _begun(self) -> Tuple[List[Instance], Dict[str, Any], Dict[str, Any]]:
        """The texts, what decides the results, and what the metadata say before any work."""
        options = self.options
        archive = open_to_explain(options.archive_file, options.cuda_device, options.overrides)
        self.open(archive)
        self._a_token = multiplications(archive.model)
        reader = archive.validation_dataset_reader
        instances = read_instances(
            reader, archive.model.vocab, options.data, options.limit, options.split_text, self.only
        )
        if self.side != PASSAGE:
            instances = turned(instances, self.side)
        self.check(instances)
        described = self._described(archive, instances)
        metadata = {**self._provenance(archive, described), **read_counts(reader)}
        return instances, described, metadata

    def _described(self, archive: Archive, instances: Sequence[Instance]) -> Dict[str, Any]:
        return description(
            self.options.archive_file,
            archive,
            instances,
            self.budget,
            self.options.cuda_device,
            **{self.components: self.parameters},
            reads={file: archive_sha256(file) for file in self.reads},
            **self.decisive(),
        )

    def _provenance(self, archive: Archive, described: Dict[str, Any]) -> Dict[str, Any]:
        declared = {
            name: {"parameters": given, **self.declared.get(name, {})}
            for name, given in self.parameters.items()
        }
        known = provenance(
            self.options.archive_file,
            self.options.data,
            archive.model.labels,
            described,
            self.parameters,
            **{self.components: declared},
            reads=described["reads"],
        )
        return {"format": self.format, **known, **self.decisive(), **self.told()}

    def _multiplications(self, tokens: int) -> float:
        """Of all that is done to a text of so many tokens."""
        return self.passes(tokens) * tokens * self._a_token

    def _all(
        self,
        instances: Sequence[Instance],
        groups: Sequence[Sequence[Portion]],
        parts: Parts,
        progress: JobProgress,
    ) -> Tuple[pyarrow.Table, List[Dict[str, Any]]]:
        columns = self.columns(instances)

        def work(portion: Portion, after_step: AfterStep) -> Tuple[pyarrow.Table, Dict[str, Any]]:
            some = [instances[row] for row in portion.rows]
            return self.work(some, portion.rows, columns, after_step, portion.steps)

        lengths = [len(instance["tokens"]) for instance in instances]
        return work_through(groups, lengths, parts, work, self.doing, progress)


def _time_spent(metadata: Dict[str, Any], done: str) -> List[str]:
    """How many texts, how fast, and what took how much of it."""
    seconds: Dict[str, float] = metadata["seconds"]
    total = sum(seconds.values())
    count = metadata["instances"]
    rate = f", {count / total:.1f} texts a second" if total > 0 else ""
    lines = [f"{count} texts {done} in {total:.1f} s{rate}"]
    width = max(map(len, seconds))
    for name, spent in sorted(seconds.items(), key=lambda item: -item[1]):
        share = spent / total if total > 0 else 0
        lines.append(f"  {name.ljust(width)} {spent:9.2f} s {share:4.0%}")
    return lines
