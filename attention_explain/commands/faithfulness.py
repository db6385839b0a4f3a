"""
The `faithfulness` subcommand judges the scores of an attribution file, or of another file, by the
model that they explain, and writes a table of measures with both ends of their scale.
"""

import argparse
import json
from pathlib import Path
from typing import Any, Dict, Optional, Sequence, Union

from allennlp.commands.subcommand import Subcommand

from attention_explain.commands.faithfulness_job import DEFAULT_ERASURES, FaithfulnessJob
from attention_explain.commands.job_options import (
    JobOptions,
    add_job_arguments,
    add_job_options,
    job_options,
    listed_configs,
)
from attention_explain.errors import InputError
from attention_explain.faithfulness.evaluator import RANDOM_ORDERS
from attention_explain.faithfulness.scores_file import read_scores
from attention_explain.files.records import read_json
from attention_explain.named_components import ComponentConfig
from attention_explain.orders import RANKINGS
from attention_explain.output import log_beside
from attention_explain.sentences import shortened

# Those that the scores alone decide, in seconds a text.
DEFAULT_MEASURES = (
    "comprehensiveness",
    "sufficiency",
    "deletion_curve",
    "insertion_curve",
    "decision_flip",
    "leave_one_out_correlation",
)
# For the help, which does not wait for all of them to be loaded.
OTHER_MEASURES = (
    "infidelity",
    "input_shift",
    "parameter_randomization",
    "sensitivity",
    "soft_comprehensiveness",
    "soft_sufficiency",
)
ALL_ERASURES = (*DEFAULT_ERASURES, "marginal")


@Subcommand.register("faithfulness")
class FaithfulnessCommand(Subcommand):
    """Registered as a `Subcommand` with name "faithfulness"."""

    def add_subparser(self, parser: argparse._SubParsersAction) -> argparse.ArgumentParser:
        subparser = parser.add_parser(
            self.name,
            description="Judge scores by the model that they explain, on a scale from chance to the "
            "best possible. A killed run goes on where it was when the same command is given again.",
            help="Judge whether scores are true to the model.",
        )
        add_job_arguments(subparser, data=False)
        subparser.add_argument(
            "attributions",
            help="attribution file; or parquet, csv or jsonl with id, tokens and a list of scores a "
            "method",
        )
        subparser.add_argument(
            "--data",
            help="what the archive's own dataset reader is to read (default: what the attribution "
            "file says it was made from)",
        )
        subparser.add_argument(
            "--methods", nargs="+", metavar="NAME", help="only these of the file (default: all)"
        )
        subparser.add_argument(
            "--measures",
            nargs="+",
            metavar="NAME",
            help="names of measures, their configs as JSON, or a jsonnet file with a list of them "
            f"(default: {' '.join(DEFAULT_MEASURES)}; there are also {' '.join(OTHER_MEASURES)})",
        )
        subparser.add_argument(
            "--erasures",
            nargs="+",
            metavar="NAME",
            help="how tokens are taken out, by name or config: "
            f"{' '.join(ALL_ERASURES)} (default: those of {' '.join(DEFAULT_ERASURES)} that the model "
            "allows)",
        )
        subparser.add_argument(
            "--by",
            choices=RANKINGS,
            default=RANKINGS[0],
            help="rank scores toward the explained class, or by size",
        )
        subparser.add_argument(
            "--random-orders",
            type=int,
            default=RANDOM_ORDERS,
            help="a text, for the lower end of the scale",
        )
        subparser.add_argument(
            "--search",
            metavar="JSON",
            help='for the upper end: {"width": 4, "candidates": 8, "exact": 10, "singles": 256}',
        )
        add_job_options(subparser, "judge")
        subparser.set_defaults(func=faithfulness_from_args)
        return subparser


def faithfulness_from_args(args: argparse.Namespace) -> Dict[str, Any]:
    with log_beside(args.output_file):
        return faithfulness_from_file(
            attributions=args.attributions,
            methods=args.methods,
            measures=listed_configs(args.measures or DEFAULT_MEASURES, "measures"),
            erasures=args.erasures and listed_configs(args.erasures, "erasures"),
            by=args.by,
            random_orders=args.random_orders,
            search=None if args.search is None else _search_options(args.search),
            **job_options(args),
        )


def faithfulness_from_file(
    archive_file: str,
    attributions: str,
    output_file: Union[str, Path],
    data: Optional[str] = None,
    methods: Optional[Sequence[str]] = None,
    measures: Sequence[ComponentConfig] = DEFAULT_MEASURES,
    erasures: Optional[Sequence[ComponentConfig]] = None,
    by: str = RANKINGS[0],
    random_orders: int = RANDOM_ORDERS,
    search: Optional[Dict[str, Any]] = None,
    **options: Any,
) -> Dict[str, Any]:
    """
    Judges the scores, writes the file and says what was done. Parameters as on the command line;
    `options` are those of `JobOptions`. Returns the metadata of the file.
    """
    scores = read_scores(attributions, methods)
    data = data or scores.metadata.get("data")
    if data is None:
        raise InputError(
            f"{attributions}: does not say which data its texts are from; name it with --data"
        )
    job = JobOptions(archive_file, data, output_file, **options)
    return FaithfulnessJob(job, scores, measures, erasures, by, random_orders, search).run()


def _search_options(text: str) -> Dict[str, Any]:
    try:
        options = read_json(text)
    except json.JSONDecodeError as error:
        raise InputError(f"--search: {shortened(text)!r} is not JSON ({error})") from error
    if not isinstance(options, dict):
        raise InputError(f"--search: {shortened(text)!r} is no JSON object")
    return options
