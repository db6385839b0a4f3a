"""The predictor behind `allennlp predict --predictor saliency`: predictions and why."""

import logging
from pathlib import Path
from typing import Any, Dict, List, Optional, Sequence

import numpy
from allennlp.common.checks import ConfigurationError
from allennlp.common.file_utils import cached_path, open_compressed
from allennlp.common.util import JsonDict
from allennlp.data import DatasetReader, Instance
from allennlp.models import Model
from allennlp.predictors import Predictor

from attention_explain.data.any_reader import complete, instance_of, unsplit_warning, warn_once
from attention_explain.data.errors import DataError
from attention_explain.data.example import KnownLabelField, check_split
from attention_explain.data.pair_reader import line_fields
from attention_explain.data.pair_sides import PASSAGE, turned
from attention_explain.defaults import QUICK_INTERPRETERS
from attention_explain.errors import InputError
from attention_explain.heatmaps.explanation import Explanation
from attention_explain.interpret.explainer import Explainer
from attention_explain.interpret.interpreter import (
    InterpreterConfig,
    build_interpreters,
    properties,
    supported_interpreters,
)
from attention_explain.models.explainable import explainable
from attention_explain.predictors.growing_page import GrowingPage
from attention_explain.predictors.input_lines import (
    BadLine,
    InputLine,
    Place,
    checked_fields,
    parse_line,
)

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
        interpreters: Optional[Sequence[InterpreterConfig]] = None,
        target: Optional[str] = None,
        html: Optional[str] = None,
        batch_tokens: Optional[int] = None,
        seed: Optional[int] = None,
        split_text: bool = False,
        side: str = PASSAGE,
        **unknown: Any,
    ) -> None:
        if unknown:
            # `--predictor-args` come here as they were typed.
            raise InputError(
                f"the saliency predictor has no argument '{sorted(unknown)[0]}'; it has "
                "interpreters, target, html, batch_tokens, seed, split_text and side"
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
        self.explainer = Explainer(model, self.interpreters, target, batch_tokens)
        self._split_text = split_text
        self._warned = False
        self._lines = 0
        self._places: List[Place] = []
        self._texts = 0
        self._page: Optional[GrowingPage] = None
        if html is not None:
            declared = {name: properties(method) for name, method in self.interpreters.items()}
            self._page = GrowingPage(html, declared)

    def explain(self, instances: Sequence[Instance]) -> List[Explanation]:
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

    def predict_batch_instance(self, instances: List[Instance]) -> List[JsonDict]:
        return [explanation.to_dict() for explanation in self.explain(instances)]

    # Lines --------------------------------------------------------------------------------------

    def check_file(self, path: str) -> None:
        """
        Raises for the first line of the file that cannot be predicted, before anything is written. From now on
        lines are those of the file, and are called by their places in it.
        """
        if Path(path).suffix in TABLES:
            raise DataError(
                "predict reads plain texts or JSON, one a line; what the model's reader reads is explained by "
                "`allennlp attribute`",
                path,
            )
        with open_compressed(cached_path(path)) as file:
            numbered = [(n, line) for n, line in enumerate(file, 1) if not line.isspace()]
        self._places = [Place(number, path) for number, _ in numbered]
        instances = [
            self._json_to_instance(parse_line(line, place))
            for place, (_, line) in zip(self._places, numbered, strict=True)
        ]
        self.warn_of_unsplit(instances, path)

    def load_line(self, line: str) -> JsonDict:
        """A JSON object with a `text` or `tokens`, or else a plain text."""
        self._lines += 1
        known = self._lines <= len(self._places)
        return parse_line(line, self._places[self._lines - 1] if known else Place(self._lines))

    def predict_json(self, inputs: JsonDict) -> JsonDict:
        (result,) = self.predict_batch_json([inputs])
        return result

    def predict_batch_json(self, inputs: List[JsonDict]) -> List[JsonDict]:
        """
        A bad line ends the batch: what stands before it is predicted, and `dump_line`, which is
        called in turn, refuses the line itself. So nothing before it is lost.
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
        if not self._places:
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
            disallowed = getattr(reader, "disallowed_fields", ())
            fields = checked_fields(json_dict, line_fields(reader), disallowed)
            instance = instance_of(reader, fields)
            self._warn_once(check_split([instance], self._model.vocab, self._split_text))
            self._dataset_reader.apply_token_indexers(instance)
            # Now, and not with its batch, because an unknown label is a mistake of this line.
            instance.index_fields(self._model.vocab)
        except (ConfigurationError, InputError) as error:
            if not isinstance(json_dict, InputLine):
                raise
            raise json_dict.place.error(error.message) from error
        return instance

    def warn_of_unsplit(self, instances: Sequence[Instance], source: str) -> None:
        warning = unsplit_warning(instances, self._dataset_reader)
        if warning is not None:
            warn_once(f"{source}: {warning}")

    def _warn_once(self, warning: Optional[str]) -> None:
        if warning is not None and not self._warned:
            logger.warning(warning)
            self._warned = True

    # For AllenNLP's own interpreters and attackers ----------------------------------------------

    def predictions_to_labeled_instances(
        self, instance: Instance, outputs: Dict[str, numpy.ndarray]
    ) -> List[Instance]:
        labeled = instance.duplicate()
        label = self._model.labels[int(numpy.argmax(outputs["probs"]))]
        labeled.add_field("label", KnownLabelField(label), self._model.vocab)
        return [labeled]
