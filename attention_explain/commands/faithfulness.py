"""
The `faithfulness` subcommand judges the scores of an attribution file, or of another file, by the
model that they explain, and writes a table of measures with both ends of their scale.
"""

import argparse
import json
from collections import Counter
from pathlib import Path
from typing import Any, Dict, List, Optional, Sequence, Tuple, Union

import pyarrow
from allennlp.commands.subcommand import Subcommand
from allennlp.common import Params
from allennlp.common.checks import ConfigurationError
from allennlp.data import Instance
from allennlp.models.archival import Archive

from attention_explain.archives import archive_sha256, weights_sha256
from attention_explain.commands import faithfulness_file
from attention_explain.commands.batches import AfterStep
from attention_explain.commands.job import Job
from attention_explain.commands.job_options import (
    JobOptions,
    add_job_arguments,
    add_job_options,
    job_options,
    listed_configs,
)
from attention_explain.console import log_beside
from attention_explain.data.example import whole_characters
from attention_explain.faithfulness.erasures.erasure import Erasure
from attention_explain.faithfulness.evaluator import RANDOM_ORDERS, Evaluator
from attention_explain.faithfulness.registry import ERASURES, MEASURES
from attention_explain.faithfulness.scores_file import Scores, read_scores
from attention_explain.faithfulness.search import Search
from attention_explain.named_components import ComponentConfig
from attention_explain.orders import RANKINGS
from attention_explain.sentences import shortened
from durable.plain_json import read_json

# Those that the scores alone decide, in seconds a text.
DEFAULT_MEASURES = (
    "comprehensiveness",
    "sufficiency",
    "deletion_curve",
    "insertion_curve",
    "decision_flip",
    "leave_one_out_correlation",
)
# Where nobody names any; `mask` for models that were trained with it.
DEFAULT_ERASURES = ("delete", "zero", "unk", "mask")


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
            default=DEFAULT_MEASURES,
            help="names of measures, their configs as JSON, or a jsonnet file with a list of them "
            f"(default: {' '.join(DEFAULT_MEASURES)}; there are {' '.join(MEASURES.known())})",
        )
        subparser.add_argument(
            "--erasures",
            nargs="+",
            metavar="NAME",
            help="how tokens are taken out, by name or config: "
            f"{' '.join(ERASURES.known())} (default: those of {' '.join(DEFAULT_ERASURES)} that the "
            "model allows)",
        )
        subparser.add_argument(
            "--by",
            choices=RANKINGS,
            default=RANKINGS[0],
            help="rank scores toward the explained class, or by size (default: signed)",
        )
        subparser.add_argument(
            "--random-orders",
            type=int,
            default=RANDOM_ORDERS,
            help=f"a text, for the lower end of the scale (default: {RANDOM_ORDERS})",
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
            measures=listed_configs(args.measures, "measures"),
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
    scores = read_scores(attributions)
    if methods is not None:
        scores = scores.only(methods)
    data = data or scores.metadata.get("data")
    if data is None:
        raise ConfigurationError(
            f"{attributions}: does not say which data its texts are from; name it with --data"
        )
    job = JobOptions(archive_file, data, output_file, **options)
    return FaithfulnessJob(job, scores, measures, erasures, by, random_orders, search).run()


class FaithfulnessJob(Job):
    """Every text's scores by every measure: many rows a text. Parameters as above."""

    key = faithfulness_file.METADATA
    format = faithfulness_file.FORMAT
    doing, done = "judging", "judged"
    components = "measures"

    def __init__(
        self,
        options: JobOptions,
        scores: Scores,
        measures: Sequence[ComponentConfig],
        erasures: Optional[Sequence[ComponentConfig]],
        by: str,
        random_orders: int,
        search: Optional[Dict[str, Any]],
    ) -> None:
        super().__init__(options)
        self._scores = scores
        self._measures = MEASURES.build(measures, options.seed)
        self._erasures = None
        if erasures is not None:
            self._erasures = ERASURES.build(erasures, options.seed)
        self._by = by
        self._random_orders = random_orders
        self._search = Search.from_params(Params(dict(search or {})))
        self.reads = [scores.path]
        self.only = list(scores.texts)
        self.parameters = {name: MEASURES.parameters(each) for name, each in self._measures.items()}

    def open(self, archive: Archive) -> None:
        model, reader = archive.model, archive.validation_dataset_reader
        made_by = self._scores.metadata.get("weights_sha256")
        if made_by is not None and made_by != weights_sha256(model):
            raise ConfigurationError(
                f"{self._scores.path}: its scores are of another model than "
                f"{self.options.archive_file}: of {self._scores.metadata['archive']}"
            )
        for text in self._scores.texts.values():
            if text.target is not None and text.target not in model.labels:
                raise ConfigurationError(
                    f"{self._scores.path}: text {text.id!r} explains the label {text.target!r}, "
                    f"which the model does not know; it knows {', '.join(model.labels)}"
                )
        if self._erasures is None:
            self._erasures = _allowed(archive)
        seed = self.options.seed or 0
        self._evaluator = Evaluator(
            model,
            self._measures,
            self._erasures,
            reader,
            self._scores.methods,
            self._by,
            self._random_orders,
            self._search,
            seed,
            self.options.batch_tokens,
        )
        self.budget = self._evaluator.budget

    @property
    def steps(self) -> List[str]:
        return self._evaluator.steps

    def decisive(self) -> Dict[str, Any]:
        erasures = {name: ERASURES.parameters(each) for name, each in self._erasures.items()}
        return {
            "methods": self._scores.methods,
            "erasures": erasures,
            "by": self._by,
            "random_orders": self._random_orders,
            "search": vars(self._search),
            "seed": self._evaluator.seed,
        }

    def told(self) -> Dict[str, Any]:
        scores = self._scores
        missing = Counter(pair for text in scores.texts.values() for pair in text.missing.items())
        skipped: Dict[str, Dict[str, int]] = {}
        for (method, reason), times in missing.items():
            skipped.setdefault(method, {})[reason] = times
        return {
            "attributions": {"path": scores.path, "sha256": archive_sha256(scores.path)},
            "measures": {
                measure.called(form, name): {
                    "parameters": self.parameters[name],
                    "of": name,
                    "higher_is_better": higher,
                    "in_order": measure.in_order,
                    "erasures": measure.erasures,
                    "equation": measure.equation,
                }
                for name, measure in self._measures.items()
                for form, higher in measure.forms().items()
            },
            "skipped": skipped,
            "target": scores.metadata.get("target"),
        }

    def check(self, instances: Sequence[Instance]) -> None:
        texts = {instance["metadata"].metadata["id"]: instance for instance in instances}
        for text_id, instance in texts.items():
            tokens = [whole_characters(token) for token in instance["metadata"].metadata["tokens"]]
            scored = self._scores.texts[whole_characters(text_id)]
            if scored.tokens != tokens:
                raise ConfigurationError(
                    f"{self._scores.path}: text {text_id!r} has other tokens there than in "
                    f"{self.options.data}: {_first_difference(scored.tokens, tokens)}"
                )

    def columns(self, instances: Sequence[Instance]) -> pyarrow.Schema:
        return faithfulness_file.SCHEMA

    def work(
        self,
        instances: Sequence[Instance],
        rows: Sequence[int],
        columns: pyarrow.Schema,
        after_step: AfterStep,
    ) -> Tuple[pyarrow.Table, Dict[str, Any]]:
        ids = [instance["metadata"].metadata["id"] for instance in instances]
        scored = [self._scores.texts[whole_characters(text_id)] for text_id in ids]
        measured = self._evaluator.evaluate_batch(instances, scored, after_step)
        return faithfulness_file.to_table(ids, measured, rows), {}

    def totals(self, table: pyarrow.Table, records: Sequence[Dict[str, Any]]) -> Dict[str, Any]:
        return {"undefined": faithfulness_file.undefined(table)}

    def in_words(self, table: pyarrow.Table, metadata: Dict[str, Any]) -> List[str]:
        return faithfulness_file.in_words(table, metadata)


def _search_options(text: str) -> Dict[str, Any]:
    try:
        options = read_json(text)
    except json.JSONDecodeError as error:
        raise ConfigurationError(f"--search: {shortened(text)!r} is not JSON ({error})") from error
    if not isinstance(options, dict):
        raise ConfigurationError(f"--search: {shortened(text)!r} is no JSON object")
    return options


def _allowed(archive: Archive) -> Dict[str, Erasure]:
    """Of the erasures that nobody has named, those that the model allows."""
    allowed = {}
    for name, erasure in ERASURES.build(DEFAULT_ERASURES).items():
        try:
            erasure.check(archive.model, archive.validation_dataset_reader)
        except ConfigurationError:
            continue
        allowed[name] = erasure
    return allowed


def _first_difference(ours: Sequence[str], theirs: Sequence[str]) -> str:
    if len(ours) != len(theirs):
        return f"{len(ours)} and {len(theirs)}"
    place = next(place for place, pair in enumerate(zip(ours, theirs)) if pair[0] != pair[1])
    return f"token {place + 1} is {ours[place]!r} and {theirs[place]!r}"
