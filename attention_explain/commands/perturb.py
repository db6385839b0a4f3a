"""
The `perturb` subcommand gives every text of a data set other attention, in as many ways as are
named, and writes what the trained model then says to a parquet file.
"""

import argparse
from pathlib import Path
from typing import Any, Dict, List, Optional, Sequence, Tuple, Union

import pyarrow
from allennlp.commands.subcommand import Subcommand
from allennlp.data import Instance
from allennlp.models.archival import Archive

from attention_explain.commands import perturbation_file
from attention_explain.commands.batches import AfterStep, passes_of_methods
from attention_explain.commands.job import Job
from attention_explain.commands.job_options import (
    JobOptions,
    add_job_arguments,
    add_job_options,
    job_options,
    listed_configs,
)
from attention_explain.counterfactual.perturber import Perturber
from attention_explain.counterfactual.registry import PERTURBATIONS
from attention_explain.interpret.text_batch import check_output
from attention_explain.named_components import ComponentConfig
from attention_explain.output import log_beside

# All that need no other file.
DEFAULT_PERTURBATIONS = (
    "permutation",
    "instance-adversary",
    "uniform",
    "random",
    "drop-top",
    "removal-order",
)
# Of a model that has no attention over hidden states, but layers of self-attention.
DEFAULT_OF_LAYERS = ("uniform-heads", "heads-off", "permuted-heads", "each-head")


@Subcommand.register("perturb")
class Perturb(Subcommand):
    """Registered as a `Subcommand` with name "perturb"."""

    def add_subparser(self, parser: argparse._SubParsersAction) -> argparse.ArgumentParser:
        subparser = parser.add_parser(
            self.name,
            description="Give every text other attention and see what a trained model then says, "
            "the rest of it as it was. A killed run goes on where it was when the same "
            "command is given again.",
            help="See what a model says with other attention.",
        )
        add_job_arguments(subparser)
        subparser.add_argument(
            "--perturbations",
            nargs="+",
            metavar="NAME",
            help="names of perturbations, their configs as JSON, or a jsonnet file with a list of "
            f"them (default: {' '.join(DEFAULT_PERTURBATIONS)}; of a pretrained classifier, which has "
            f"self-attention alone: {' '.join(DEFAULT_OF_LAYERS)})",
        )
        add_job_options(subparser, "perturb")
        subparser.set_defaults(func=perturb_from_args)
        return subparser


def perturb_from_args(args: argparse.Namespace) -> Dict[str, Any]:
    listed = args.perturbations
    with log_beside(args.output_file):
        return perturb_from_file(
            perturbations=listed and listed_configs(listed, "perturbations"), **job_options(args)
        )


def perturb_from_file(
    archive_file: str,
    data: str,
    output_file: Union[str, Path],
    perturbations: Optional[Sequence[ComponentConfig]] = None,
    **options: Any,
) -> Dict[str, Any]:
    """
    Perturbs the data set, writes the file and says what was done. Parameters as on the command
    line; `options` are those of `JobOptions`. Returns the metadata of the file.
    """
    job = JobOptions(archive_file, data, output_file, **options)
    return PerturbationJob(job, perturbations).run()


class PerturbationJob(Job):
    """Every text by every perturbation: one row a text."""

    key = perturbation_file.METADATA
    format = perturbation_file.FORMAT
    doing, done = "perturbing", "perturbed"
    components = "perturbations"

    def __init__(
        self, options: JobOptions, perturbations: Optional[Sequence[ComponentConfig]] = None
    ) -> None:
        super().__init__(options)
        self._given = perturbations
        self._build(DEFAULT_PERTURBATIONS if perturbations is None else perturbations)

    def _build(self, perturbations: Sequence[ComponentConfig]) -> None:
        built = PERTURBATIONS.build(perturbations, self.options.seed)
        self._perturbations = built
        self.parameters = {name: PERTURBATIONS.parameters(each) for name, each in built.items()}
        self.reads = [file for each in built.values() for file in each.reads]

    def open(self, archive: Archive) -> None:
        lacks = archive.model.lacks
        if self._given is None and lacks("stages") is not None and lacks("layers") is None:
            self._build(DEFAULT_OF_LAYERS)
        self._perturber = Perturber(archive.model, self._perturbations, self.options.batch_tokens)
        self.budget = self._perturber.budget

    def check(self, instances: Sequence[Instance]) -> None:
        self._perturber.check(instances)
        check_output(self._perturber.model, instances)

    def typed(self) -> Dict[str, Any]:
        return {"perturbations": self._given}

    def passes(self, tokens: float) -> float:
        return passes_of_methods("perturbations", self.parameters, tokens)

    def columns(self, instances: Sequence[Instance]) -> pyarrow.Schema:
        return perturbation_file.schema(self._perturbations)

    def work(
        self,
        instances: Sequence[Instance],
        rows: Sequence[int],
        columns: pyarrow.Schema,
        after_step: AfterStep,
        steps: Sequence[str],
    ) -> Tuple[pyarrow.Table, Dict[str, Any]]:
        perturbed = self._perturber.perturb_batch(instances, after_step)
        return perturbation_file.to_table(perturbed, rows, columns), {}

    def totals(self, table: pyarrow.Table, records: Sequence[Dict[str, Any]]) -> Dict[str, Any]:
        return {
            "failed": perturbation_file.failed(table),
            "undefined": perturbation_file.undefined(table),
        }

    def in_words(self, table: pyarrow.Table, metadata: Dict[str, Any]) -> List[str]:
        return perturbation_file.in_words(table, metadata, self._perturbations)
