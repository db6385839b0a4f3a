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

from attention_explain.archives import open_archive
from attention_explain.commands import attribution_file
from attention_explain.commands.attribution import attribute
from attention_explain.commands.batches import read_counts, read_instances
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
from attention_explain.commands.summary import attribution_summary
from attention_explain.console import log_beside
from attention_explain.files import writing
from attention_explain.interpret.registry import (
    InterpreterConfig,
    parameters,
    properties,
    supported_interpreters,
)
from attention_explain.predictors.saliency import SaliencyPredictor
from heatmaps.attribution_rows import explanations
from heatmaps.html_page import card, page

# What the debate compares, and the control; what a model does not allow is left out.
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
        add_job_arguments(subparser)
        subparser.add_argument(
            "--interpreters",
            nargs="+",
            metavar="NAME",
            help="names of methods, their configs as JSON, or a jsonnet file with a list of them "
            f"(default: those of {' '.join(DEFAULT_INTERPRETERS)} that the model allows)",
        )
        subparser.add_argument("--target", help="the label to explain (default: the predicted)")
        subparser.add_argument("--html", metavar="FILE", help="write a page of heatmaps, too")
        subparser.add_argument(
            "--html-texts", type=int, default=HTML_TEXTS, help="how many texts the page shows"
        )
        add_job_options(subparser, "explain")
        subparser.set_defaults(func=attribute_from_args)
        return subparser


def attribute_from_args(args: argparse.Namespace) -> Dict[str, Any]:
    with log_beside(args.output_file):
        return attribute_from_file(
            interpreters=args.interpreters and listed_configs(args.interpreters, "interpreters"),
            target=args.target,
            html=args.html,
            html_texts=args.html_texts,
            **job_options(args),
        )


def attribute_from_file(
    archive_file: str,
    data: str,
    output_file: Union[str, Path],
    interpreters: Optional[Sequence[InterpreterConfig]] = None,
    target: Optional[str] = None,
    limit: Optional[int] = None,
    batch_tokens: Optional[int] = None,
    cuda_device: int = -1,
    seed: Optional[int] = None,
    html: Optional[str] = None,
    html_texts: int = HTML_TEXTS,
    split_text: bool = False,
    overrides: str = "",
    force: bool = False,
) -> Dict[str, Any]:
    """
    Explains the data set, writes the files and says what was done. Parameters as on the command
    line. Returns the metadata of the attribution file.
    """
    output = Path(output_file)
    check_job(output, limit, batch_tokens, cuda_device, force, (archive_file, data), html)
    archive = open_archive(archive_file, cuda_device, overrides)
    reader = archive.validation_dataset_reader
    left_out: Dict[str, str] = {}
    if interpreters is None:
        interpreters, left_out = supported_interpreters(DEFAULT_INTERPRETERS, archive.model, reader)
        for reason in left_out.values():
            print(f"left out: {reason}", file=sys.stderr)
    predictor = SaliencyPredictor(
        archive.model,
        reader,
        interpreters=interpreters,
        target=target,
        batch_tokens=batch_tokens,
        seed=seed,
    )
    instances = read_instances(reader, archive.model.vocab, data, limit, split_text)
    methods = predictor.interpreters
    options = {name: parameters(method) for name, method in methods.items()}
    declared = {
        name: {"parameters": options[name], **properties(method)}
        for name, method in methods.items()
    }
    job = description(
        archive_file,
        archive,
        instances,
        predictor.explainer.budget,
        cuda_device,
        interpreters=options,
        target=target,
    )
    metadata = provenance(
        archive_file,
        data,
        archive.model.labels,
        job,
        options,
        interpreters=declared,
        left_out=left_out,
        target=target,
        **read_counts(reader),
    )
    with Parts(output, job).opened(replace=force) as parts, resumable(parts):
        table, totals = attribute(predictor.explainer, instances, parts)
        metadata.update(totals)
        with parts.becoming_whole() as whole:
            attribution_file.write(table, metadata, whole)
    if html is not None:
        write_page(table, metadata, html, html_texts)
    message = attribution_summary(metadata, attribution_file.flagged(table))
    print(f"{output}: {message}", file=sys.stderr)
    return metadata


def write_page(
    table: pyarrow.Table, metadata: Dict[str, Any], path: Union[str, Path], limit: int
) -> None:
    """The heatmaps of the first texts."""
    shown = min(limit, table.num_rows)
    rows = table.slice(0, limit).to_pylist()
    cards = [card(each) for each in explanations(rows, metadata)]
    about = [
        f"Model {metadata['archive']}, data {metadata['data']}",
        f"{shown} of {table.num_rows} texts",
    ]
    with writing(path) as unfinished:
        text = page(cards, about=about, methods=metadata["interpreters"])
        unfinished.write_bytes(text.encode("utf-8", "replace"))
