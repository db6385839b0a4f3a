"""
The `perturb` subcommand gives every text of a data set other attention, in as many ways as are
named, and writes what the trained model then says to a parquet file.
"""

import argparse
import sys
from pathlib import Path
from typing import Any, Dict, List, Optional, Sequence, Tuple, Union

import pyarrow
from allennlp.commands.subcommand import Subcommand
from allennlp.data import Instance

from attention_explain.archives import archive_sha256, open_archive
from attention_explain.commands import perturbation_file
from attention_explain.commands.batches import (
    AfterStep,
    read_counts,
    read_instances,
    total_seconds,
    work_through,
)
from attention_explain.commands.job_options import (
    add_job_arguments,
    add_job_options,
    check_job,
    job_options,
    resumable,
)
from attention_explain.commands.listed_configs import listed_configs
from attention_explain.commands.parts import Parts
from attention_explain.commands.provenance import description, provenance
from attention_explain.commands.summary import perturbation_summary
from attention_explain.console import log_beside
from attention_explain.counterfactual.perturber import Perturber
from attention_explain.counterfactual.registry import PERTURBATIONS
from attention_explain.named_components import ComponentConfig

# All that need no other file.
DEFAULT_PERTURBATIONS = (
    "permutation",
    "instance-adversary",
    "uniform",
    "random",
    "drop-top",
    "removal-order",
)


@Subcommand.register("perturb")
class Perturb(Subcommand):
    """Registered as a `Subcommand` with name "perturb"."""

    def add_subparser(self, parser: argparse._SubParsersAction) -> argparse.ArgumentParser:
        subparser = parser.add_parser(
            self.name,
            description="Give every text other attention and see what a trained model then says, "
            "its hidden states as they were. A killed run goes on where it was when the same "
            "command is given again.",
            help="See what a model says with other attention.",
        )
        add_job_arguments(subparser)
        subparser.add_argument(
            "--perturbations",
            nargs="+",
            metavar="NAME",
            help="names of perturbations, their configs as JSON, or a jsonnet file with a list of "
            f"them (default: {' '.join(DEFAULT_PERTURBATIONS)})",
        )
        add_job_options(subparser, "perturb")
        subparser.set_defaults(func=perturb_from_args)
        return subparser


def perturb_from_args(args: argparse.Namespace) -> Dict[str, Any]:
    listed = args.perturbations or DEFAULT_PERTURBATIONS
    with log_beside(args.output_file):
        return perturb_from_file(
            perturbations=listed_configs(listed, "perturbations"), **job_options(args)
        )


def perturb_from_file(
    archive_file: str,
    data: str,
    output_file: Union[str, Path],
    perturbations: Sequence[ComponentConfig] = DEFAULT_PERTURBATIONS,
    limit: Optional[int] = None,
    batch_tokens: Optional[int] = None,
    cuda_device: int = -1,
    seed: Optional[int] = None,
    split_text: bool = False,
    overrides: str = "",
    force: bool = False,
) -> Dict[str, Any]:
    """
    Perturbs the data set, writes the file and says what was done. Parameters as on the command
    line. Returns the metadata of the file.
    """
    output = Path(output_file)
    built = PERTURBATIONS.build(perturbations, seed)
    inputs = (archive_file, data, *(file for each in built.values() for file in each.reads))
    check_job(output, limit, batch_tokens, cuda_device, force, inputs)
    archive = open_archive(archive_file, cuda_device, overrides)
    perturber = Perturber(archive.model, built, batch_tokens)
    reader = archive.validation_dataset_reader
    instances = read_instances(reader, archive.model.vocab, data, limit, split_text)
    perturber.check(instances)
    options = {name: PERTURBATIONS.parameters(each) for name, each in built.items()}
    reads = {file: archive_sha256(file) for each in built.values() for file in each.reads}
    job = description(
        archive_file,
        archive,
        instances,
        perturber.budget,
        cuda_device,
        perturbations=options,
        reads=reads,
    )
    metadata = provenance(
        archive_file,
        data,
        archive.model.labels,
        job,
        options,
        perturbations={name: {"parameters": given} for name, given in options.items()},
        reads=reads,
        **read_counts(reader),
    )
    with Parts(output, job).opened(replace=force) as parts, resumable(parts):
        table, totals = perturb(perturber, instances, parts)
        metadata.update(totals)
        with parts.becoming_whole() as whole:
            perturbation_file.write(table, metadata, whole)
    message = perturbation_summary(metadata, perturbation_file.in_words(table, built))
    print(f"{output}: {message}", file=sys.stderr)
    return metadata


def perturb(
    perturber: Perturber, instances: Sequence[Instance], parts: Parts
) -> Tuple[pyarrow.Table, Dict[str, Any]]:
    """
    Perturbs the instances that are in no part yet, and returns all of them in order, with what
    there is to say about the whole: number, seconds a perturbation, what failed or is undefined.
    """
    columns = perturbation_file.schema(perturber.perturbations)
    names = list(perturber.perturbations)

    def work(rows: List[int], after_step: AfterStep) -> Tuple[pyarrow.Table, Dict[str, Any]]:
        perturbed = perturber.perturb_batch([instances[row] for row in rows], after_step)
        return perturbation_file.to_table(perturbed, rows, columns), {}

    table, records = work_through(
        instances, perturber.budget, names, parts, work, description="perturbing"
    )
    return table, {
        "instances": table.num_rows,
        "seconds": total_seconds(records, names),
        "failed": perturbation_file.failed(table),
        "undefined": perturbation_file.undefined(table),
    }
