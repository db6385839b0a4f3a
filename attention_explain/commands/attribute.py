"""
The `attribute` subcommand explains every prediction of a trained model on a data set, by as many
methods as are named, and writes the scores to a parquet file.
"""

import argparse
import math
import sys
from pathlib import Path
from typing import Any, Dict, List, Optional, Sequence, Tuple, Union

import pyarrow
from allennlp.commands.subcommand import Subcommand
from allennlp.data import Instance
from allennlp.models.archival import Archive
from allennlp.predictors import Predictor

from attention_explain.commands import attribution_file
from attention_explain.commands.batches import AfterStep, passes_of_methods
from attention_explain.commands.job import Job
from attention_explain.commands.job_options import (
    JobOptions,
    add_job_arguments,
    add_job_options,
    job_options,
    listed_configs,
)
from attention_explain.data.pair_sides import PASSAGE, SIDES
from attention_explain.faithfulness.outputs import reads_sets_apart
from attention_explain.heatmaps.explanation import explanations
from attention_explain.heatmaps.html_page import card, page
from attention_explain.heatmaps.overview import facts_of
from attention_explain.interpret.explainer import Explainer
from attention_explain.interpret.interpreter import (
    InterpreterConfig,
    build_interpreters,
    parameters,
    properties,
    supported_interpreters,
)
from attention_explain.models.needs import explainable
from attention_explain.output import log_beside, writing

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
        subparser.add_argument(
            "--side",
            choices=SIDES,
            default=PASSAGE,
            help="of pairs, the text whose words get scores (default: the passage, which is attended)",
        )
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
            side=args.side,
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
    html: Optional[str] = None,
    html_texts: int = HTML_TEXTS,
    side: str = PASSAGE,
    **options: Any,
) -> Dict[str, Any]:
    """
    Explains the data set, writes the files and says what was done. Parameters as on the command
    line; `options` are those of `JobOptions`. Returns the metadata of the attribution file.
    """
    job = JobOptions(archive_file, data, output_file, **options)
    return AttributionJob(job, interpreters, target, html, html_texts, side).run()


class AttributionJob(Job):
    """Every text by every method: one row a text. Parameters as above."""

    key = attribution_file.METADATA
    format = attribution_file.FORMAT
    doing, done = "explaining", "explained"
    components = "interpreters"

    def __init__(
        self,
        options: JobOptions,
        interpreters: Optional[Sequence[InterpreterConfig]],
        target: Optional[str],
        html: Optional[str],
        html_texts: int,
        side: str = PASSAGE,
    ) -> None:
        super().__init__(options)
        self.side = side
        self._configs = interpreters
        self._target = target
        self._html_texts = html_texts
        self.writes = {} if html is None else {".html": [html]}
        self._left_out: Dict[str, str] = {}

    def open(self, archive: Archive) -> None:
        model = explainable(archive.model, self.side)
        reader = archive.validation_dataset_reader
        configs = self._configs
        if configs is None:
            configs, self._left_out = supported_interpreters(DEFAULT_INTERPRETERS, model, reader)
            for reason in self._left_out.values():
                print(f"left out: {reason}", file=sys.stderr)
        predictor = Predictor(model, reader, frozen=False)
        methods = build_interpreters(configs, predictor, self.options.seed)
        self._explainer = Explainer(model, methods, self._target, self.options.batch_tokens)
        self.budget = self._explainer.budget
        self.parameters = {name: parameters(method) for name, method in methods.items()}
        self.declared = {name: properties(method) for name, method in methods.items()}

    def decisive(self) -> Dict[str, Any]:
        # Nothing is said of texts that have one side.
        side = {} if self.side == PASSAGE else {"side": self.side}
        return {"target": self._target, **side}

    def typed(self) -> Dict[str, Any]:
        return {"interpreters": self._configs, "target": self._target, "side": self.side}

    def told(self) -> Dict[str, Any]:
        return {"left_out": self._left_out}

    def passes(self, tokens: float) -> float:
        apart = reads_sets_apart(self._explainer.model)
        return passes_of_methods("interpreters", self.parameters, tokens, apart)

    def columns(self, instances: Sequence[Instance]) -> pyarrow.Schema:
        return rehearse(self._explainer, instances)

    def work(
        self,
        instances: Sequence[Instance],
        rows: Sequence[int],
        columns: pyarrow.Schema,
        after_step: AfterStep,
        steps: Sequence[str],
    ) -> Tuple[pyarrow.Table, Dict[str, Any]]:
        explained = self._explainer.explain_batch(instances, after_step)
        record = {"skipped": attribution_file.skipped(explained)}
        return attribution_file.to_table(explained, rows, columns), record

    def totals(self, table: pyarrow.Table, records: Sequence[Dict[str, Any]]) -> Dict[str, Any]:
        return {
            "unknown_tokens": attribution_file.unknown_tokens(table),
            "skipped": attribution_file.summed([record["skipped"] for record in records]),
            "checks": attribution_file.check_summaries(table),
        }

    def also_write(self, table: pyarrow.Table, metadata: Dict[str, Any]) -> None:
        for page_file in self.writes.get(".html", ()):
            write_page(table, metadata, page_file, self._html_texts)

    def in_words(self, table: pyarrow.Table, metadata: Dict[str, Any]) -> List[str]:
        return attribution_file.in_words(table, metadata)


def rehearse(explainer: Explainer, instances: Sequence[Instance]) -> pyarrow.Schema:
    """
    Every method once, on the longest text that none skips: one that refuses the model or a text does
    so now. What comes out decides the columns.
    """
    most = [method.max_tokens for method in explainer.interpreters.values()]
    most = min((tokens for tokens in most if tokens is not None), default=math.inf)
    fitting = [
        instance for instance in instances if len(instance["metadata"].metadata["tokens"]) <= most
    ]
    longest = max(fitting or instances, key=lambda instance: len(instance["tokens"]))
    (example,) = explainer.explain_batch([longest])
    given = (instance["metadata"].metadata for instance in instances)
    return attribution_file.schema(example, given)


def write_page(
    table: pyarrow.Table, metadata: Dict[str, Any], path: Union[str, Path], limit: int
) -> None:
    """The heatmaps of the first texts."""
    shown = min(limit, table.num_rows)
    rows = table.slice(0, limit).to_pylist()
    texts = list(explanations(rows, metadata))
    facts = [facts_of(each) for each in texts]
    cards = [card(each, facts=about) for each, about in zip(texts, facts, strict=True)]
    about = [
        f"Model {metadata['archive']}, data {metadata['data']}",
        f"{shown} of {table.num_rows} texts",
    ]
    with writing(path) as unfinished:
        text = page(cards, about=about, methods=metadata["interpreters"], facts=facts)
        unfinished.write_bytes(text.encode("utf-8", "replace"))
