"""
The `faithfulness` subcommand measures how faithful the scores of an attribution file, or of another file,
are to the model that they explain, and writes the measures with both ends of their scale to a parquet file.
"""

import argparse
import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pyarrow
from allennlp.commands.subcommand import Subcommand
from allennlp.common import Params
from allennlp.data import DatasetReader, Instance
from allennlp.models import Model
from allennlp.models.archival import Archive

from attention_explain import defaults
from attention_explain.archives import archive_sha256, weights_sha256
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
    count_reasons,
    faithfulness_summary,
    undefined_values,
)
from attention_explain.costs import passes_of_measures
from attention_explain.data.pair_reader import PASSAGE
from attention_explain.errors import InputError
from attention_explain.faithfulness.evaluator import RANDOM_ORDERS, Evaluator
from attention_explain.faithfulness.faithfulness import MEASURES
from attention_explain.faithfulness.permutations import Sampling
from attention_explain.faithfulness.relevance import EffectsMeasure
from attention_explain.faithfulness.removal import ERASURES, RemovalMethod, reads_sets_apart
from attention_explain.faithfulness.scores_file import GivenScores, add_true_order, read_scores
from attention_explain.faithfulness.search import Search
from attention_explain.files import faithfulness as faithfulness_file
from attention_explain.files.faithfulness import TextMeasurements
from attention_explain.files.records import read_json
from attention_explain.files.tables import replace_surrogates
from attention_explain.interpret.text_batch import check_output
from attention_explain.messages import shorten
from attention_explain.models.explainable import explainable
from attention_explain.named_components import ComponentConfig
from attention_explain.output import log_next_to
from attention_explain.passes import RANKINGS


@Subcommand.register("faithfulness")
class FaithfulnessCommand(Subcommand):
    """Registered as a `Subcommand` with name "faithfulness"."""

    def add_subparser(self, parser: argparse._SubParsersAction) -> argparse.ArgumentParser:
        subparser = parser.add_parser(
            self.name,
            description="Measure how faithful scores are to the model that they explain, on a scale from "
            "random to the best order found. The same command continues a run that was killed.",
            help="Measure how faithful scores are to the model.",
        )
        add_job_arguments(subparser, data=False)
        subparser.add_argument(
            "attributions",
            help="attribution file; or parquet, csv or jsonl with id, tokens and a list of scores per "
            "method",
        )
        subparser.add_argument(
            "--data",
            help="data for the archive's own dataset reader (default: the data of the attribution file)",
        )
        subparser.add_argument(
            "--methods", nargs="+", metavar="NAME", help="only these of the file (default: all)"
        )
        subparser.add_argument(
            "--measures",
            nargs="+",
            metavar="NAME",
            help="names of measures, their configs as JSON, or a jsonnet file with a list of them "
            f"(default: {' '.join(defaults.MEASURES)}; there are also {' '.join(defaults.OTHER_MEASURES)})",
        )
        subparser.add_argument(
            "--erasures",
            nargs="+",
            metavar="NAME",
            help="how tokens are removed, by name or config: "
            f"{' '.join(defaults.ALL_ERASURES)} (default: those of {' '.join(defaults.ERASURES)} that the model "
            "supports)",
        )
        subparser.add_argument(
            "--by",
            choices=RANKINGS,
            default=RANKINGS[0],
            help="rank scores toward the explained class, or by magnitude",
        )
        subparser.add_argument(
            "--random-orders",
            type=int,
            default=RANDOM_ORDERS,
            help="number of random orders per text, for the lower end of the scale",
        )
        subparser.add_argument(
            "--search",
            metavar="JSON",
            help='for the upper end: {"width": 4, "candidates": 8, "exact": 10, "singles": 256}',
        )
        subparser.add_argument(
            "--rationale",
            action="store_true",
            help="also judge the rationale of each text and a random order as if they were methods, to test the "
            "measures (python -m analysis diagnosticity)",
        )
        add_job_options(subparser, "judge")
        subparser.set_defaults(func=faithfulness_from_args)
        return subparser


def faithfulness_from_args(args: argparse.Namespace) -> dict[str, Any]:
    with log_next_to(args.output_file):
        return faithfulness_from_file(
            attributions=args.attributions,
            methods=args.methods,
            measures=listed_configs(args.measures or defaults.MEASURES, "measures"),
            erasures=args.erasures and listed_configs(args.erasures, "erasures"),
            by=args.by,
            random_orders=args.random_orders,
            search=None if args.search is None else _search_options(args.search),
            rationale=args.rationale,
            **job_options(args),
        )


def faithfulness_from_file(
    archive_file: str,
    attributions: str,
    output_file: str | Path,
    data: str | None = None,
    methods: Sequence[str] | None = None,
    measures: Sequence[ComponentConfig] = defaults.MEASURES,
    erasures: Sequence[ComponentConfig] | None = None,
    by: str = RANKINGS[0],
    random_orders: int = RANDOM_ORDERS,
    search: dict[str, Any] | None = None,
    rationale: bool = False,
    **options: Any,
) -> dict[str, Any]:
    """
    Evaluate the scores, write the file and print a summary. Parameters as on the command line; `options`
    are those of `JobOptions`. Returns the metadata of the file.
    """
    scores = read_scores(attributions, methods)
    if rationale:
        add_true_order(scores)
    data = data or scores.metadata.get("data")
    if data is None:
        raise InputError(
            f"{attributions}: does not say which data its texts are from; name it with --data"
        )
    job = JobOptions(archive_file, data, output_file, **options)
    return FaithfulnessJob(job, scores, measures, erasures, by, random_orders, search).run()


class FaithfulnessJob(Job):
    """Evaluate the scores of every text by every measure. Parameters as in `faithfulness_from_file`."""

    format = faithfulness_file.FORMAT
    doing, done = "judging", "judged"
    components = "measures"
    by_step = True

    def __init__(
        self,
        options: JobOptions,
        scores: GivenScores,
        measures: Sequence[ComponentConfig],
        erasures: Sequence[ComponentConfig] | None,
        by: str,
        random_orders: int,
        search: dict[str, Any] | None,
    ) -> None:
        super().__init__(options)
        self._scores = scores
        self._typed = {
            "measures": measures,
            "erasures": erasures,
            "by": by,
            "random-orders": random_orders,
            "search": search,
        }
        self.side = scores.metadata.get("side", PASSAGE)
        self._measures = MEASURES.build(measures, options.seed)
        # None: those that the model supports, once it is open.
        self._given_removals = None if erasures is None else ERASURES.build(erasures, options.seed)
        self._removals: dict[str, RemovalMethod] = self._given_removals or {}
        self._by = by
        self._random_orders = random_orders
        self._search = Search.from_params(Params(dict(search or {})))
        self.reads = [scores.path]
        self.text_ids = list(scores.texts)
        self._samplings: dict[str, dict[str, dict[str, Any]]] = {}
        self.parameters = {name: MEASURES.parameters(each) for name, each in self._measures.items()}

    def open(self, archive: Archive) -> None:
        model, reader = archive.model, archive.validation_dataset_reader
        made_by = self._scores.metadata.get("weights_sha256")
        if made_by is not None and made_by != weights_sha256(model):
            raise InputError(
                f"{self._scores.path}: its scores are of another model than "
                f"{self.options.archive_file}: of {self._scores.metadata['archive']}"
            )
        if self._scores.metadata.get("contrast") or self._scores.contrasts:
            raise InputError(
                f"{self._scores.path}: its scores explain why a class is predicted rather than another, but "
                "measures are about the probability of one class. Explain the texts without a contrast"
            )
        for text in self._scores.texts.values():
            if text.target is not None and text.target not in model.labels:
                raise InputError(
                    f"{self._scores.path}: text {text.id!r} explains the label {text.target!r}, "
                    f"which the model does not know; it knows {', '.join(model.labels)}"
                )
        side = explainable(model, self.side)
        if self._given_removals is None:
            self._removals, _ = supported_removals(defaults.ERASURES, side, reader)
        seed = self.options.seed or 0
        self._evaluator = Evaluator(
            side,
            self._measures,
            self._removals,
            reader,
            self._scores.methods,
            self._by,
            self._random_orders,
            self._search,
            seed,
            self.options.batch_tokens,
        )
        self.budget = self._evaluator.budget
        for name, by_removal in self._samplings.items():
            for erasure, sampling in by_removal.items():
                measure = self._measures[name]
                assert isinstance(measure, EffectsMeasure)
                self._evaluator.samplings[erasure][measure.sampling] = Sampling(**sampling)

    def continue_from(self, path: Path) -> None:
        # The pilot texts are chosen among all texts, so that the samplings are the same for all files.
        self._samplings = self.format.read_metadata(path).get("samplings", {})

    def typed(self) -> dict[str, Any]:
        return {**self._typed, "methods": list(self._scores.methods)}

    @property
    def steps(self) -> list[str]:
        return self._evaluator.steps

    def passes(self, tokens: float) -> float:
        return passes_of_measures(
            self.parameters.values(),
            len(self._removals),
            # Methods of other programs are unknown, and cannot be applied again.
            [about.get("parameters") or "random" for about in self._scores.methods.values()],
            tokens,
            reads_sets_apart(self._evaluator.model),
        )

    def settings(self) -> dict[str, Any]:
        removals = {name: ERASURES.parameters(each) for name, each in self._removals.items()}
        return {
            "methods": self._scores.methods,
            "erasures": removals,
            "by": self._by,
            "random_orders": self._random_orders,
            "search": vars(self._search),
            "seed": self._evaluator.seed,
        }

    def more_metadata(self) -> dict[str, Any]:
        scores = self._scores
        missing = (pair for text in scores.texts.values() for pair in text.missing.items())
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
            "skipped": count_reasons(missing),
            "target": scores.metadata.get("target"),
        }

    def check(self, instances: Sequence[Instance]) -> None:
        texts = {instance["metadata"].metadata["id"]: instance for instance in instances}
        for text_id, instance in texts.items():
            tokens = [
                replace_surrogates(token) for token in instance["metadata"].metadata["tokens"]
            ]
            scored = self._scores.texts[replace_surrogates(text_id)]
            if scored.tokens != tokens:
                raise InputError(
                    f"{self._scores.path}: text {text_id!r} has other tokens there than in "
                    f"{self.options.data}: {_first_difference(scored.tokens, tokens)} (if it was made "
                    "with --overrides, they have to be given here, too)"
                )

        check_output(self._evaluator.model, instances)

    def columns(self, instances: Sequence[Instance]) -> pyarrow.Schema:
        self._evaluator.prepare(instances)
        return faithfulness_file.COLUMNS

    def results(
        self, instances: Sequence[Instance], after_step: AfterStep, steps: Sequence[str]
    ) -> list[TextMeasurements]:
        ids = [instance["metadata"].metadata["id"] for instance in instances]
        scored = [self._scores.texts[replace_surrogates(text_id)] for text_id in ids]
        return self._evaluator.evaluate_batch(instances, scored, after_step, steps)

    def records(self, result: TextMeasurements, columns: pyarrow.Schema) -> list[dict[str, Any]]:
        return faithfulness_file.records(result)

    def count(self, results: Sequence[TextMeasurements]) -> dict[str, Any]:
        # The same for all texts.
        samplings = {
            name: {erasure: asdict(each) for erasure, each in of_measure.items()}
            for name, of_measure in self._evaluator.chosen_samplings().items()
        }
        return {"samplings": samplings}

    def totals(self, table: pyarrow.Table, counts: Sequence[dict[str, Any]]) -> dict[str, Any]:
        return {"undefined": undefined_values(table), "samplings": counts[0]["samplings"]}

    def summary(self, table: pyarrow.Table, metadata: dict[str, Any]) -> list[str]:
        return faithfulness_summary(table, metadata)


def supported_removals(
    names: Sequence[str], model: Model, reader: DatasetReader
) -> tuple[dict[str, RemovalMethod], dict[str, str]]:
    """The default removal methods that the model supports, and why it does not support the others."""
    supported, left_out = {}, {}
    for name, removal in ERASURES.build(names).items():
        try:
            removal.check(model, reader)
            supported[name] = removal
        except InputError as error:
            left_out[name] = error.message
    return supported, left_out


def _first_difference(ours: Sequence[str], theirs: Sequence[str]) -> str:
    if len(ours) != len(theirs):
        return f"{len(ours)} and {len(theirs)}"
    index = next(index for index, pair in enumerate(zip(ours, theirs)) if pair[0] != pair[1])
    return f"token {index + 1} is {ours[index]!r} and {theirs[index]!r}"


def _search_options(text: str) -> dict[str, Any]:
    try:
        options = read_json(text)
    except json.JSONDecodeError as error:
        raise InputError(f"--search: {shorten(text)!r} is not JSON ({error})") from error
    if not isinstance(options, dict):
        raise InputError(f"--search: {shorten(text)!r} is not a JSON object")
    return options
