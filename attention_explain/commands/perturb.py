"""
The `perturb` subcommand replaces the attention of a trained model on every text of a data set in several
ways, and writes the changes of its output to a parquet file.
"""

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pyarrow
from allennlp.commands.subcommand import Subcommand
from allennlp.data import Instance
from allennlp.models.archival import Archive

from attention_explain import defaults
from attention_explain.commands.batches import AfterStep
from attention_explain.commands.job import Job
from attention_explain.commands.job_options import (
    JobOptions,
    add_job_arguments,
    add_job_options,
    job_options,
    listed_configs,
)
from attention_explain.commands.summaries import (
    count_failed,
    perturbation_summary,
    undefined_fields,
)
from attention_explain.costs import passes_of_components
from attention_explain.counterfactual.perturbation import (
    PERTURBATIONS,
    Perturber,
    attention_of,
)
from attention_explain.counterfactual.self_attending import SelfAttending
from attention_explain.files import perturbations as perturbations_file
from attention_explain.files.perturbations import PerturbedText
from attention_explain.interpret.text_batch import check_output
from attention_explain.named_components import ComponentConfig
from attention_explain.output import log_next_to


@Subcommand.register("perturb")
class Perturb(Subcommand):
    """Registered as a `Subcommand` with name "perturb"."""

    def add_subparser(self, parser: argparse._SubParsersAction) -> argparse.ArgumentParser:
        subparser = parser.add_parser(
            self.name,
            description="Replace the attention of a trained model on every text of a data set, and "
            "record how its output changes. The same command continues a run that was killed.",
            help="Record how a model's output changes with other attention.",
        )
        add_job_arguments(subparser)
        subparser.add_argument(
            "--perturbations",
            nargs="+",
            metavar="NAME",
            help="names of perturbations, their configs as JSON, or a jsonnet file with a list of "
            f"them (default: {' '.join(defaults.PERTURBATIONS)}; for a pretrained classifier, which "
            f"only has self-attention: {' '.join(defaults.HEAD_PERTURBATIONS)})",
        )
        add_job_options(subparser, "perturb")
        subparser.set_defaults(func=perturb_from_args)
        return subparser


def perturb_from_args(args: argparse.Namespace) -> dict[str, Any]:
    """Run the command with parsed arguments."""
    listed = args.perturbations
    with log_next_to(args.output_file):
        return perturb_from_file(
            perturbations=listed and listed_configs(listed, "perturbations"), **job_options(args)
        )


def perturb_from_file(
    archive_file: str,
    data: str,
    output_file: str | Path,
    perturbations: Sequence[ComponentConfig] | None = None,
    **options: Any,
) -> dict[str, Any]:
    """
    Perturb the data set, write the file and print a summary. Parameters as on the command line; `options`
    are those of `JobOptions`. Returns the metadata of the file.
    """
    job = JobOptions(archive_file, data, output_file, **options)
    return PerturbationJob(job, perturbations).run()


class PerturbationJob(Job):
    """Apply every perturbation to every text."""

    format = perturbations_file.FORMAT
    doing, done = "perturbing", "perturbed"
    components = "perturbations"

    def __init__(
        self, options: JobOptions, perturbations: Sequence[ComponentConfig] | None = None
    ) -> None:
        super().__init__(options)
        self._given = perturbations
        self._build(defaults.PERTURBATIONS if perturbations is None else perturbations)

    def _build(self, perturbations: Sequence[ComponentConfig]) -> None:
        built = PERTURBATIONS.build(perturbations, self.options.seed)
        self._perturbations = built
        self.parameters = {name: PERTURBATIONS.parameters(each) for name, each in built.items()}
        self.reads = [file for each in built.values() for file in each.reads]

    def open(self, archive: Archive) -> None:
        if self._given is None and attention_of(archive.model) is SelfAttending:
            self._build(defaults.HEAD_PERTURBATIONS)
        self._perturber = Perturber(archive.model, self._perturbations, self.options.batch_tokens)
        self.budget = self._perturber.budget

    def check(self, instances: Sequence[Instance]) -> None:
        self._perturber.check(instances)
        check_output(self._perturber.model, instances)

    def typed(self) -> dict[str, Any]:
        return {"perturbations": self._given}

    def passes(self, tokens: float) -> float:
        return passes_of_components("perturbations", self.parameters.values(), tokens)

    def columns(self, instances: Sequence[Instance]) -> pyarrow.Schema:
        fields = {name: each.fields for name, each in self._perturbations.items()}
        return perturbations_file.columns(fields)

    def results(
        self, instances: Sequence[Instance], after_step: AfterStep, steps: Sequence[str]
    ) -> list[PerturbedText]:
        return self._perturber.perturb_batch(instances, after_step)

    def records(self, result: PerturbedText, columns: pyarrow.Schema) -> list[dict[str, Any]]:
        return perturbations_file.records(result)

    def totals(self, table: pyarrow.Table, counts: Sequence[dict[str, Any]]) -> dict[str, Any]:
        return {"failed": count_failed(table), "undefined": undefined_fields(table)}

    def summary(self, table: pyarrow.Table, metadata: dict[str, Any]) -> list[str]:
        return perturbation_summary(table, metadata, self._perturbations)
