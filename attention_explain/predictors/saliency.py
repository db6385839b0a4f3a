"""The predictor behind `allennlp predict --predictor saliency`: predictions and why."""

import atexit
import logging
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy
from allennlp.common.checks import ConfigurationError
from allennlp.common.file_utils import cached_path, open_compressed
from allennlp.common.util import JsonDict
from allennlp.data import DatasetReader, Instance
from allennlp.models import Model
from allennlp.predictors import Predictor

from attention_explain.data.any_reader import (
    complete,
    instance_of,
    record_fields,
    unsplit_warning,
    warn_once,
)
from attention_explain.data.errors import DataError
from attention_explain.data.example import (
    KnownLabelField,
    check_split,
    read_record,
)
from attention_explain.data.pair_reader import PASSAGE, turned
from attention_explain.defaults import QUICK_INTERPRETERS
from attention_explain.errors import InputError
from attention_explain.heatmaps.explanation import Explanation
from attention_explain.heatmaps.html_page import card, page
from attention_explain.heatmaps.overview import Facts, facts_of
from attention_explain.interpret.explainer import Explainer
from attention_explain.interpret.interpreter import (
    InterpreterConfig,
    build_interpreters,
    properties,
    supported_interpreters,
)
from attention_explain.models.explainable import explainable
from attention_explain.output import check_outputs, writing


@dataclass(frozen=True)
class Location:
    """file : None where lines come from elsewhere, and AllenNLP hands over no blank one."""

    number: int
    file: str | None = None

    def error(self, message: str) -> DataError:
        if self.file is None:
            return DataError(message, f"line {self.number} of the input (blank lines not counted)")
        return DataError(message, self.file, self.number)


class InputLine(dict[str, Any]):
    """The fields of a line, where it stands, and what is wrong with it if it cannot be read."""

    def __init__(self, fields: JsonDict, location: "Location", problem: str | None = None) -> None:
        super().__init__(fields)
        self.location = location
        self.problem = problem


class BadLine(dict[str, Any]):
    """Stands where the result of a line would, and holds the reason why there is none."""

    def __init__(self, error: InputError) -> None:
        super().__init__()
        self.error = error


def parse_line(line: str, location: Location) -> InputLine:
    """
    A line is a JSON object or else a text. One that begins like an object but is none is bad: it
    is far more often broken JSON than prose.
    """
    line = line.strip("\ufeff \t\r\n")
    if not line.startswith("{"):
        return InputLine({"text": line}, location)
    try:
        return InputLine(read_record(line), location)
    except DataError as error:
        return InputLine({}, location, error.message)


def checked_fields(fields: JsonDict, reader: DatasetReader | None = None) -> dict[str, Any]:
    """
    The fields that have a meaning, as in the reader's data files, by the names that lines have for
    them. A line without an id gets one, as there. Fields that the reader disallows raise.
    """
    id = ""
    if isinstance(fields, InputLine):
        if fields.problem is not None:
            raise DataError(fields.problem)
        id = f"line-{fields.location.number}"
    return record_fields(fields, reader, id)


# Writing the page again and again may take this share of the time.
SHARE_OF_TIME = 0.05


class GrowingPage:
    """
    The page is written at once, if there is none; again from time to time, so
    that a killed process leaves most of it; and when the process ends. AllenNLP does not tell a
    predictor that it has seen the last line.

    # Parameters

    path : `str`
    methods : `Dict[str, Dict[str, Any]]`
        Of each method, what it declares.
    """

    def __init__(self, path: str, methods: dict[str, dict[str, Any]]) -> None:
        # The folder may be another one when the process ends.
        self._path = Path(path).absolute()
        check_outputs({".html": [path]})
        self._methods = methods
        self._cards: list[str] = []
        self._facts: list[Facts] = []
        self._unwritten = 0
        self._next_time = time.monotonic()
        # An existing page is kept until a new one can replace it.
        if not self._path.exists():
            self.write()
        atexit.register(self.finish)

    def add(self, explanations: Sequence[Explanation]) -> None:
        for explanation in explanations:
            facts = facts_of(explanation)
            self._facts.append(facts)
            self._cards.append(card(explanation, facts=facts))
        self._unwritten += len(explanations)
        if time.monotonic() >= self._next_time:
            self.write()

    def finish(self) -> None:
        """Called when the process ends, where nobody is left to catch an error."""
        try:
            if self._unwritten:
                self.write()
        except InputError as error:
            print(f"error: {error}", file=sys.stderr)

    def write(self) -> None:
        start = time.monotonic()
        count = f"{len(self._cards)} text{'' if len(self._cards) == 1 else 's'}"
        with writing(self._path) as unfinished:
            text = page(self._cards, about=[count], methods=self._methods, facts=self._facts)
            unfinished.write_bytes(text.encode("utf-8", "replace"))
        self._unwritten = 0
        end = time.monotonic()
        self._next_time = end + max(1.0, (end - start) / SHARE_OF_TIME)


logger = logging.getLogger(__name__)

# Files whose lines are no texts.
TABLES = (".csv", ".tsv", ".parquet")


@Predictor.register("saliency")
class SaliencyPredictor(Predictor):
    """
    For each text its tokens, label, probabilities, attention, and a list of scores a method.

    Registered as a `Predictor` with name "saliency".

    # Parameters

    interpreters : `List[Union[str, Dict[str, Any]]]`, optional
        Names of interpreters, or configs with a `type`, options and, if it is to differ from the
        type, a `name`. Default: `attention` and `gradient-x-input`, where the model allows it.
    target : `str`, optional (default = the predicted label of each text)
        The label to explain.
    contrast : `str`, optional
        Explain why the label is predicted rather than this one: the difference of their logits.
    html : `str`, optional (default = `None`)
        Where to write a page of heatmaps of all texts.
    batch_tokens : `int`, optional
        How many tokens, padding included, a pass through the model may hold.
    seed : `int`, optional (default = `None`)
        For the methods that draw random numbers and whose config gives none.
    split_text : `bool`, optional (default = `False`)
        Allows strings for a model that was trained on tokens: the reader's tokenizer splits them,
        which need not be how the tokens came about.
    side : `str`, optional (default = `"passage"`)
        Of pairs, the text whose words get scores: the `passage`, which is attended, the `query`, or
        `both`.
    frozen : `bool`, optional (default = `True`)
        Puts the model into evaluation mode for good. Explanations are made in that mode anyway.
    """

    def __init__(
        self,
        model: Model,
        dataset_reader: DatasetReader,
        frozen: bool = True,
        interpreters: Sequence[InterpreterConfig] | None = None,
        target: str | None = None,
        html: str | None = None,
        batch_tokens: int | None = None,
        seed: int | None = None,
        split_text: bool = False,
        side: str = PASSAGE,
        contrast: str | None = None,
        **unknown: Any,
    ) -> None:
        if unknown:
            # `--predictor-args` come here as they were typed.
            raise InputError(
                f"the saliency predictor has no argument '{sorted(unknown)[0]}'; it has "
                "interpreters, target, contrast, html, batch_tokens, seed, split_text and side"
            )
        model = explainable(model, side)
        super().__init__(model, dataset_reader, frozen)
        self._side = side
        if interpreters is None:
            interpreters, left_out = supported_interpreters(
                QUICK_INTERPRETERS, model, dataset_reader
            )
            for reason in left_out.values():
                logger.warning("left out: %s", reason)
        self.interpreters = build_interpreters(interpreters, self, seed)
        self.explainer = Explainer(model, self.interpreters, target, batch_tokens, contrast)
        self._split_text = split_text
        self._warned = False
        self._lines = 0
        self._locations: list[Location] = []
        self._texts = 0
        self._page: GrowingPage | None = None
        if html is not None:
            declared = {name: properties(method) for name, method in self.interpreters.items()}
            self._page = GrowingPage(html, declared)

    def explain(self, instances: Sequence[Instance]) -> list[Explanation]:
        """All instances, in their order; the methods work in batches."""
        for instance in instances:
            self._texts += 1
            complete(instance, f"text-{self._texts}")
            self._dataset_reader.apply_token_indexers(instance)
        explanations = self.explainer.explain(turned(instances, self._side))
        if self._page is not None:
            self._page.add(explanations)
        return explanations

    # Instances ----------------------------------------------------------------------------------

    def predict_instance(self, instance: Instance) -> JsonDict:
        return self.predict_batch_instance([instance])[0]

    def predict_batch_instance(self, instances: list[Instance]) -> list[JsonDict]:
        return [explanation.to_dict() for explanation in self.explain(instances)]

    # Lines --------------------------------------------------------------------------------------

    def check_file(self, path: str) -> None:
        """
        Raises for the first line of the file that cannot be predicted, before anything is written. From now on
        lines are those of the file, and are named by their line numbers.
        """
        if Path(path).suffix in TABLES:
            raise DataError(
                "predict reads plain texts or JSON, one a line; what the model's reader reads is explained by "
                "`allennlp attribute`",
                path,
            )
        with open_compressed(cached_path(path)) as file:
            numbered = [(n, line) for n, line in enumerate(file, 1) if not line.isspace()]
        self._locations = [Location(number, path) for number, _ in numbered]
        instances = [
            self._json_to_instance(parse_line(line, location))
            for location, (_, line) in zip(self._locations, numbered, strict=True)
        ]
        self.warn_of_unsplit(instances, path)

    def load_line(self, line: str) -> JsonDict:
        """A JSON object with a `text` or `tokens`, or else a plain text."""
        self._lines += 1
        known = self._lines <= len(self._locations)
        return parse_line(
            line, self._locations[self._lines - 1] if known else Location(self._lines)
        )

    def predict_json(self, inputs: JsonDict) -> JsonDict:
        (result,) = self.predict_batch_json([inputs])
        return result

    def predict_batch_json(self, inputs: list[JsonDict]) -> list[JsonDict]:
        """
        A bad line ends the batch: what stands before it is predicted, and `dump_line`, which is
        called in turn, rejects the line itself. So nothing before it is lost.
        """
        instances, bad_line = [], None
        for json_dict in inputs:
            try:
                instances.append(self._json_to_instance(json_dict))
            except (ConfigurationError, InputError) as error:
                if not instances or not isinstance(json_dict, InputLine):
                    raise
                bad_line = BadLine(error)
                break
        if not self._locations:
            self.warn_of_unsplit(instances, "input")
        results = self.predict_batch_instance(instances)
        return results if bad_line is None else [*results, bad_line]

    def dump_line(self, outputs: JsonDict) -> str:
        if isinstance(outputs, BadLine):
            raise outputs.error
        return super().dump_line(outputs)

    def _json_to_instance(self, json_dict: JsonDict) -> Instance:
        try:
            reader = self._dataset_reader
            fields = checked_fields(json_dict, reader)
            instance = instance_of(reader, fields)
            self._warn_once(check_split([instance], self._model.vocab, self._split_text))
            self._dataset_reader.apply_token_indexers(instance)
            # Now, and not with its batch, because an unknown label is a mistake of this line.
            instance.index_fields(self._model.vocab)
        except (ConfigurationError, InputError) as error:
            if not isinstance(json_dict, InputLine):
                raise
            raise json_dict.location.error(error.message) from error
        return instance

    def warn_of_unsplit(self, instances: Sequence[Instance], source: str) -> None:
        warning = unsplit_warning(instances, self._dataset_reader)
        if warning is not None:
            warn_once(f"{source}: {warning}")

    def _warn_once(self, warning: str | None) -> None:
        if warning is not None and not self._warned:
            logger.warning(warning)
            self._warned = True

    # For AllenNLP's own interpreters and attackers ----------------------------------------------

    def predictions_to_labeled_instances(
        self, instance: Instance, outputs: dict[str, numpy.ndarray]
    ) -> list[Instance]:
        labeled = instance.duplicate()
        label = self._model.labels[int(numpy.argmax(outputs["probs"]))]
        labeled.add_field("label", KnownLabelField(label), self._model.vocab)
        return [labeled]
