"""What `allennlp faithfulness` does: the scores of every text by every measure."""

from collections import Counter
from typing import Any, Dict, List, Optional, Sequence, Tuple

import pyarrow
from allennlp.common import Params
from allennlp.data import DatasetReader, Instance
from allennlp.models import Model
from allennlp.models.archival import Archive

from attention_explain.archives import archive_sha256, weights_sha256
from attention_explain.commands import faithfulness_file
from attention_explain.commands.batches import AfterStep, passes_of_judging
from attention_explain.commands.job import Job
from attention_explain.commands.job_options import JobOptions
from attention_explain.data.example import whole_characters
from attention_explain.data.pair_sides import PASSAGE
from attention_explain.errors import InputError
from attention_explain.faithfulness.erasures.erasure import Erasure
from attention_explain.faithfulness.evaluator import Evaluator
from attention_explain.faithfulness.outputs import reads_sets_apart
from attention_explain.faithfulness.registry import ERASURES, MEASURES
from attention_explain.faithfulness.scores_file import GivenScores
from attention_explain.faithfulness.search import Search
from attention_explain.interpret.text_batch import check_output
from attention_explain.models.needs import explainable
from attention_explain.named_components import ComponentConfig

# Where nobody names any; `mask` for models that were trained with it.
DEFAULT_ERASURES = ("delete", "zero", "unk", "mask")


class FaithfulnessJob(Job):
    """Many rows a text. Parameters as those of `faithfulness_from_file`."""

    key = faithfulness_file.METADATA
    format = faithfulness_file.FORMAT
    doing, done = "judging", "judged"
    components = "measures"
    by_step = True

    def __init__(
        self,
        options: JobOptions,
        scores: GivenScores,
        measures: Sequence[ComponentConfig],
        erasures: Optional[Sequence[ComponentConfig]],
        by: str,
        random_orders: int,
        search: Optional[Dict[str, Any]],
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
            raise InputError(
                f"{self._scores.path}: its scores are of another model than "
                f"{self.options.archive_file}: of {self._scores.metadata['archive']}"
            )
        for text in self._scores.texts.values():
            if text.target is not None and text.target not in model.labels:
                raise InputError(
                    f"{self._scores.path}: text {text.id!r} explains the label {text.target!r}, "
                    f"which the model does not know; it knows {', '.join(model.labels)}"
                )
        side = explainable(model, self.side)
        if self._erasures is None:
            self._erasures, _ = allowed_erasures(DEFAULT_ERASURES, side, reader)
        seed = self.options.seed or 0
        self._evaluator = Evaluator(
            side,
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

    def typed(self) -> Dict[str, Any]:
        return {**self._typed, "methods": list(self._scores.methods)}

    @property
    def steps(self) -> List[str]:
        return self._evaluator.steps

    def passes(self, tokens: float) -> float:
        about = {name: each.get("parameters") for name, each in self._scores.methods.items()}
        return passes_of_judging(
            self.parameters,
            len(self._erasures),
            # Of scores from elsewhere it is not known; they are not made again, either.
            {name: given or {"type": "random"} for name, given in about.items()},
            reads_sets_apart(self._evaluator.model),
            tokens,
        )

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
                raise InputError(
                    f"{self._scores.path}: text {text_id!r} has other tokens there than in "
                    f"{self.options.data}: {_first_difference(scored.tokens, tokens)} (if it was made "
                    "with --overrides, they have to be given here, too)"
                )

        check_output(self._evaluator.model, instances)

    def columns(self, instances: Sequence[Instance]) -> pyarrow.Schema:
        return faithfulness_file.SCHEMA

    def work(
        self,
        instances: Sequence[Instance],
        rows: Sequence[int],
        columns: pyarrow.Schema,
        after_step: AfterStep,
        steps: Sequence[str],
    ) -> Tuple[pyarrow.Table, Dict[str, Any]]:
        ids = [instance["metadata"].metadata["id"] for instance in instances]
        scored = [self._scores.texts[whole_characters(text_id)] for text_id in ids]
        measured = self._evaluator.evaluate_batch(instances, scored, after_step, steps)
        return faithfulness_file.to_table(measured, rows), {}

    def totals(self, table: pyarrow.Table, records: Sequence[Dict[str, Any]]) -> Dict[str, Any]:
        return {"undefined": faithfulness_file.undefined(table)}

    def in_words(self, table: pyarrow.Table, metadata: Dict[str, Any]) -> List[str]:
        return faithfulness_file.in_words(table, metadata)


def allowed_erasures(
    names: Sequence[str], model: Model, reader: DatasetReader
) -> Tuple[Dict[str, Erasure], Dict[str, str]]:
    """Of erasures that nobody has named, those that the model allows; and why not the others."""
    allowed, left_out = {}, {}
    for name, erasure in ERASURES.build(names).items():
        try:
            erasure.check(model, reader)
            allowed[name] = erasure
        except InputError as error:
            left_out[name] = error.message
    return allowed, left_out


def _first_difference(ours: Sequence[str], theirs: Sequence[str]) -> str:
    if len(ours) != len(theirs):
        return f"{len(ours)} and {len(theirs)}"
    place = next(place for place, pair in enumerate(zip(ours, theirs)) if pair[0] != pair[1])
    return f"token {place + 1} is {ours[place]!r} and {theirs[place]!r}"
