"""
The `attribute` subcommand explains every prediction of a trained model on a data set by several methods, and
writes the scores to a parquet file.
"""

import argparse
import math
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pyarrow
from allennlp.commands.subcommand import Subcommand
from allennlp.data import Instance
from allennlp.models.archival import Archive
from allennlp.predictors import Predictor

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
    add_skipped,
    attribution_summary,
    check_summaries,
    count_skipped,
    unknown_tokens,
)
from attention_explain.costs import passes_of_components
from attention_explain.data.pair_reader import PASSAGE, SIDES
from attention_explain.errors import InputError
from attention_explain.faithfulness.removal import reads_sets_apart
from attention_explain.files import attributions
from attention_explain.heatmaps.explanation import Explanation, explanations
from attention_explain.heatmaps.html_page import card, page
from attention_explain.heatmaps.overview import facts_of
from attention_explain.interpret.explainer import SAME_CLASS, Explainer
from attention_explain.interpret.interpreter import (
    InterpreterConfig,
    build_interpreters,
    check_contrast,
    parameters,
    properties,
    supported_interpreters,
    target_index,
)
from attention_explain.models.explainable import explainable
from attention_explain.output import log_next_to, writing

# A page with this number of texts opens at once.
HTML_TEXTS = 200


@Subcommand.register("attribute")
class Attribute(Subcommand):
    """Registered as a `Subcommand` with name "attribute"."""

    def add_subparser(self, parser: argparse._SubParsersAction) -> argparse.ArgumentParser:
        description = (
            "Explain every prediction of a trained model on a data set. The same command continues "
            "a run that was killed."
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
            f"(default: those of {' '.join(defaults.INTERPRETERS)} that the model supports)",
        )
        subparser.add_argument(
            "--target",
            nargs="+",
            metavar="LABEL",
            help="the label to explain, or one label per text (default: the predicted)",
        )
        subparser.add_argument(
            "--contrast",
            nargs="+",
            metavar="LABEL",
            help="explain why the label is predicted rather than this one (the difference of their logits); one "
            "label, or one per text",
        )
        subparser.add_argument(
            "--side",
            choices=SIDES,
            default=PASSAGE,
            help="the text of a pair whose words are scored (default: the passage, which is attended to)",
        )
        subparser.add_argument("--html", metavar="FILE", help="also write a page of heatmaps")
        subparser.add_argument(
            "--html-texts", type=int, default=HTML_TEXTS, help="the number of texts on the page"
        )
        add_job_options(subparser, "explain")
        subparser.set_defaults(func=attribute_from_args)
        return subparser


def attribute_from_args(args: argparse.Namespace) -> dict[str, Any]:
    """Run the command with parsed arguments."""
    with log_next_to(args.output_file):
        return attribute_from_file(
            interpreters=args.interpreters and listed_configs(args.interpreters, "interpreters"),
            target=_label_or_labels(args.target),
            contrast=_label_or_labels(args.contrast),
            side=args.side,
            html=args.html,
            html_texts=args.html_texts,
            **job_options(args),
        )


def _label_or_labels(given: list[str] | None) -> str | list[str] | None:
    return given[0] if given is not None and len(given) == 1 else given


def attribute_from_file(
    archive_file: str,
    data: str,
    output_file: str | Path,
    interpreters: Sequence[InterpreterConfig] | None = None,
    target: str | Sequence[str] | None = None,
    html: str | None = None,
    html_texts: int = HTML_TEXTS,
    side: str = PASSAGE,
    contrast: str | Sequence[str] | None = None,
    **options: Any,
) -> dict[str, Any]:
    """
    Explain the data set, write the files and print a summary. Parameters as on the command line;
    `options` are those of `JobOptions`. Returns the metadata of the attribution file.
    """
    job = JobOptions(archive_file, data, output_file, **options)
    return AttributionJob(job, interpreters, target, html, html_texts, side, contrast).run()


class AttributionJob(Job):
    """Explain every text by every method. Parameters as in `attribute_from_file`."""

    format = attributions.FORMAT
    doing, done = "explaining", "explained"
    components = "interpreters"

    def __init__(
        self,
        options: JobOptions,
        interpreters: Sequence[InterpreterConfig] | None,
        target: str | Sequence[str] | None,
        html: str | None,
        html_texts: int,
        side: str = PASSAGE,
        contrast: str | Sequence[str] | None = None,
    ) -> None:
        super().__init__(options)
        self.side = side
        self._configs = interpreters
        self._target = target if target is None or isinstance(target, str) else list(target)
        self._contrast = (
            contrast if contrast is None or isinstance(contrast, str) else list(contrast)
        )
        self._html_texts = html_texts
        self.writes = {} if html is None else {".html": [html]}
        self._left_out: dict[str, str] = {}

    def open(self, archive: Archive) -> None:
        model = explainable(archive.model, self.side)
        reader = archive.validation_dataset_reader
        configs = self._configs
        if configs is None:
            configs, self._left_out = supported_interpreters(defaults.INTERPRETERS, model, reader)
            if self._contrast is not None:
                configs = self._class_specific(configs, archive)
            for reason in () if self.interactive else self._left_out.values():
                print(f"left out: {reason}", file=sys.stderr)
        predictor = Predictor(model, reader, frozen=False)
        methods = build_interpreters(configs, predictor, self.options.seed)
        for name, given in (("target", self._target), ("contrast", self._contrast)):
            for label in set(given) if isinstance(given, list) else ():
                target_index(model, label, name)
        if self._contrast is not None:
            for name, method in methods.items():
                check_contrast(name, method)
        self.explainer = Explainer(
            model,
            methods,
            _of_all(self._target),
            self.options.batch_tokens,
            _of_all(self._contrast),
        )
        self.budget = self.explainer.budget
        self.parameters = {name: parameters(method) for name, method in methods.items()}
        self.declared = {name: properties(method) for name, method in methods.items()}

    def settings(self) -> dict[str, Any]:
        # Texts that are not pairs have no side.
        side = {} if self.side == PASSAGE else {"side": self.side}
        contrast = {} if self._contrast is None else {"contrast": _of_all(self._contrast)}
        return {"target": _of_all(self._target), **contrast, **side}

    def typed(self) -> dict[str, Any]:
        return {
            "interpreters": self._configs,
            "target": self._target,
            "contrast": self._contrast,
            "side": self.side,
        }

    def mark(self, instances: Sequence[Instance]) -> None:
        for name, given in (("target", self._target), ("contrast", self._contrast)):
            if not isinstance(given, list):
                continue
            if len(given) != len(instances):
                raise InputError(
                    f"{name} has {len(given)} labels for {len(instances)} texts; give one label, or one "
                    "per text"
                )
            for instance, label in zip(instances, given, strict=True):
                instance["metadata"].metadata[name] = label

    def _class_specific(
        self, configs: Sequence[InterpreterConfig], archive: Archive
    ) -> list[InterpreterConfig]:
        """The default methods that can explain a contrast; the others are left out."""
        predictor = Predictor(archive.model, archive.validation_dataset_reader, frozen=False)
        kept: list[InterpreterConfig] = []
        for config, (name, method) in zip(configs, build_interpreters(configs, predictor).items()):
            try:
                check_contrast(name, method)
                kept.append(config)
            except InputError as error:
                self._left_out[name] = error.message
        return kept

    def more_metadata(self) -> dict[str, Any]:
        return {"left_out": self._left_out}

    def passes(self, tokens: float) -> float:
        separate = reads_sets_apart(self.explainer.model)
        return passes_of_components("interpreters", self.parameters.values(), tokens, separate)

    def columns(self, instances: Sequence[Instance]) -> pyarrow.Schema:
        return rehearse(self.explainer, instances)

    def results(
        self, instances: Sequence[Instance], after_step: AfterStep, steps: Sequence[str]
    ) -> list[Explanation]:
        return self.explainer.explain_batch(instances, after_step)

    def records(self, result: Explanation, columns: pyarrow.Schema) -> list[dict[str, Any]]:
        return attributions.records(result, columns)

    def count(self, results: Sequence[Explanation]) -> dict[str, Any]:
        return {"skipped": count_skipped(results)}

    def totals(self, table: pyarrow.Table, counts: Sequence[dict[str, Any]]) -> dict[str, Any]:
        return {
            "unknown_tokens": unknown_tokens(table),
            "skipped": add_skipped([each["skipped"] for each in counts]),
            "checks": check_summaries(table),
        }

    def summary(self, table: pyarrow.Table, metadata: dict[str, Any]) -> list[str]:
        return attribution_summary(table, metadata)

    def also_write(self, table: pyarrow.Table, metadata: dict[str, Any]) -> None:
        for page_file in self.writes.get(".html", ()):
            write_page(table, metadata, page_file, self._html_texts)


def _of_all(given: str | list[str] | None) -> str | None:
    """The label of all texts, if they have one; labels of single texts are in their metadata."""
    return given if isinstance(given, str) else None


def rehearse(explainer: Explainer, instances: Sequence[Instance]) -> pyarrow.Schema:
    """
    Apply every method once, to the longest text that none skips: errors appear before the work, and the
    result determines the columns.
    """
    limits = [method.max_tokens for method in explainer.interpreters.values()]
    most = min((limit for limit in limits if limit is not None), default=math.inf)
    fitting = [
        instance for instance in instances if len(instance["metadata"].metadata["tokens"]) <= most
    ]
    for longest in sorted(fitting or instances, key=lambda each: -len(each["tokens"])):
        (example,) = explainer.explain_batch([longest])
        if SAME_CLASS not in example.skipped.values():
            break
    return attributions.columns(example, (text["metadata"].metadata for text in instances))


def write_page(
    table: pyarrow.Table, metadata: dict[str, Any], path: str | Path, limit: int
) -> None:
    """Write the heatmaps of the first texts."""
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
