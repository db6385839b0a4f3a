"""
The `attribute` subcommand explains every prediction of a trained model on a data set, by as many
methods as are named, and writes the scores to a parquet file.
"""

import argparse
import sys
from pathlib import Path
from typing import Any, Dict, Optional, Sequence, Union

import pyarrow
from allennlp.commands.subcommand import Subcommand
from allennlp.common import logging as common_logging
from allennlp.common.checks import ConfigurationError, check_for_gpu
from allennlp.common.util import SigTermReceived

from attention_explain.archives import open_archive
from attention_explain.commands import attribution_file
from attention_explain.commands.attribution import attribute, read_instances
from attention_explain.commands.interpreter_arguments import interpreter_configs
from attention_explain.commands.parts import Parts
from attention_explain.commands.provenance import description, provenance
from attention_explain.commands.summary import summary
from attention_explain.files import check_writable, writing
from attention_explain.interpret.html_page import card, page
from attention_explain.interpret.registry import InterpreterConfig
from attention_explain.interpret.text_batch import DEFAULT_BUDGET
from attention_explain.predictors.saliency import SaliencyPredictor

# What the debate compares, all of which any encoder allows, and the control.
DEFAULT_INTERPRETERS = (
    "attention",
    "gradient",
    "gradient-x-input",
    "integrated-gradients",
    "lrp",
    "occlusion",
    "leave-one-out",
    "random",
)
# A page of so many texts opens at once.
HTML_TEXTS = 200


@Subcommand.register("attribute")
class Attribute(Subcommand):
    """Registered as a `Subcommand` with name "attribute"."""

    def add_subparser(self, parser: argparse._SubParsersAction) -> argparse.ArgumentParser:
        description = (
            "Explain every prediction of a trained model on a data set. A killed run goes on where "
            "it was when the same command is given again."
        )
        subparser = parser.add_parser(
            self.name, description=description, help="Explain a model's predictions on a data set."
        )
        subparser.add_argument("archive_file", help="model archive, or folder of a training run")
        subparser.add_argument("data", help="what the archive's own dataset reader is to read")
        subparser.add_argument(
            "-o", "--output-file", required=True, metavar="FILE", help="the parquet file to write"
        )
        subparser.add_argument(
            "--interpreters",
            nargs="+",
            metavar="NAME",
            help="names of methods, their configs as JSON, or a jsonnet file with a list of them "
            f"(default: {' '.join(DEFAULT_INTERPRETERS)})",
        )
        subparser.add_argument("--target", help="the label to explain (default: the predicted)")
        subparser.add_argument("--limit", type=int, help="explain only the first so many texts")
        subparser.add_argument(
            "--batch-tokens",
            type=int,
            default=DEFAULT_BUDGET,
            help="how many tokens, padding included, a pass through the model may hold",
        )
        subparser.add_argument("--cuda-device", type=int, default=-1, help="id of GPU to use")
        subparser.add_argument(
            "--seed", type=int, help="for methods that draw random numbers (default: their own)"
        )
        subparser.add_argument("--html", metavar="FILE", help="write a page of heatmaps, too")
        subparser.add_argument(
            "--html-texts", type=int, default=HTML_TEXTS, help="how many texts the page shows"
        )
        subparser.add_argument(
            "--overrides", default="", help="JSON that changes the archive's config"
        )
        subparser.add_argument(
            "--force",
            action="store_true",
            help="replace an existing file, and drop unfinished work of another command",
        )
        subparser.add_argument(
            "--file-friendly-logging",
            action="store_true",
            help="outputs tqdm status on separate lines and slows tqdm refresh rate",
        )
        subparser.set_defaults(func=attribute_from_args)
        return subparser


def attribute_from_args(args: argparse.Namespace) -> Dict[str, Any]:
    common_logging.FILE_FRIENDLY_LOGGING = args.file_friendly_logging
    return attribute_from_file(
        archive_file=args.archive_file,
        data=args.data,
        output_file=args.output_file,
        interpreters=interpreter_configs(args.interpreters or DEFAULT_INTERPRETERS),
        target=args.target,
        limit=args.limit,
        batch_tokens=args.batch_tokens,
        cuda_device=args.cuda_device,
        seed=args.seed,
        html=args.html,
        html_texts=args.html_texts,
        overrides=args.overrides,
        force=args.force,
    )


def attribute_from_file(
    archive_file: str,
    data: str,
    output_file: Union[str, Path],
    interpreters: Sequence[InterpreterConfig] = DEFAULT_INTERPRETERS,
    target: Optional[str] = None,
    limit: Optional[int] = None,
    batch_tokens: int = DEFAULT_BUDGET,
    cuda_device: int = -1,
    seed: Optional[int] = None,
    html: Optional[str] = None,
    html_texts: int = HTML_TEXTS,
    overrides: str = "",
    force: bool = False,
) -> Dict[str, Any]:
    """
    Explains the data set, writes the files and says what was done. Parameters as on the command
    line. Returns the metadata of the attribution file.
    """
    output = Path(output_file)
    for name, number in (("limit", limit), ("batch-tokens", batch_tokens)):
        if number is not None and number < 1:
            raise ConfigurationError(f"--{name} is {number}, but must be 1 or more")
    if output.exists() and not force:
        raise ConfigurationError(f"{output}: exists already; give --force to replace it")
    for path in filter(None, (output, html)):
        check_writable(path)
    check_for_gpu(cuda_device)
    archive = open_archive(archive_file, cuda_device, overrides)
    predictor = SaliencyPredictor(
        archive.model,
        archive.validation_dataset_reader,
        interpreters=interpreters,
        target=target,
        batch_tokens=batch_tokens,
        seed=seed,
    )
    instances = read_instances(predictor, data, limit)
    job = description(archive_file, archive, predictor, instances, cuda_device)
    metadata = provenance(archive_file, data, archive, predictor, job)
    with Parts(output, job).opened(discard=force) as parts:
        try:
            table, totals = attribute(predictor.explainer, instances, parts)
        except (KeyboardInterrupt, SigTermReceived):
            print(
                f"\nstopped; what is finished is in {parts.folder}, and the same command goes on "
                "from there",
                file=sys.stderr,
            )
            sys.exit(130)
        metadata.update(totals)
        attribution_file.write(table, metadata, output)
        parts.remove()
    if html is not None:
        write_page(table, metadata, html, html_texts)
    print(f"{output}: {summary(metadata, attribution_file.flagged(table))}", file=sys.stderr)
    return metadata


def write_page(
    table: pyarrow.Table, metadata: Dict[str, Any], path: Union[str, Path], limit: int
) -> None:
    """The heatmaps of the first texts."""
    shown = min(limit, table.num_rows)
    cards = [card(each) for each in attribution_file.explanations(table, metadata, limit)]
    about = [
        f"Model {metadata['archive']}, data {metadata['data']}",
        f"{shown} of {table.num_rows} texts",
    ]
    with writing(path) as unfinished:
        text = page(cards, about=about, methods=metadata["interpreters"])
        unfinished.write_bytes(text.encode("utf-8", "replace"))
