"""Several measures of the scores of several methods on the same texts."""

import time
from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence

import numpy
import torch
from allennlp.data import DatasetReader, Instance
from allennlp.models import Model

from attention_explain.errors import InputError
from attention_explain.faithfulness.along_orders import OrderedText, measure_orders
from attention_explain.faithfulness.erasures.erasure import Erasure
from attention_explain.faithfulness.faithfulness import Faithfulness, Quantity
from attention_explain.faithfulness.methods import Methods
from attention_explain.faithfulness.order_measure import OrderMeasure
from attention_explain.faithfulness.outputs import ErasedOutputs
from attention_explain.faithfulness.scale import normalised
from attention_explain.faithfulness.score_measure import JudgedText, ScoreMeasure, Setting
from attention_explain.faithfulness.scores_file import ScoredText
from attention_explain.faithfulness.search import Search
from attention_explain.faithfulness.values import NoValue, Values
from attention_explain.files.faithfulness import RANDOM, SEARCH, TIED, MeasuredText, Measurement
from attention_explain.interpret.interpreter import target_index
from attention_explain.interpret.text_batch import TextBatch, budget_for, check_finite
from attention_explain.models.requirements import check_needs
from attention_explain.orders import RANKINGS, random_ranks, ranks, tied
from attention_explain.passes import untouched

RANDOM_ORDERS = 10
LEAST_ORDERS = 5


class Evaluator:
    """
    # Parameters

    model : `AttentionClassifier`
    measures : `Dict[str, Faithfulness]`
        By the name that their values get.
    erasures : `Dict[str, Erasure]`
    reader : `DatasetReader`, optional
        The model's own, for erasures that read data and for measures that apply methods again.
    methods : `Mapping[str, Mapping[str, Any]]`, optional
        What the attribution file says of each; its `parameters`, for the same measures.
    by : `str`, optional (default = `"signed"`)
        How scores are ranked: toward the explained class, or by `size`.
    random_orders : `int`, optional (default = `10`)
        For the lower end of the scale, 5 or more a text.
    search : `Search`, optional
        For the upper end.
    seed : `int`, optional (default = `0`)
        With a text's id it decides random orders and the order of equal scores.
    budget : `int`, optional
        How many tokens, padding included, a pass may hold (default: by the model's device).
    """

    def __init__(
        self,
        model: Model,
        measures: Dict[str, Faithfulness],
        erasures: Dict[str, Erasure],
        reader: Optional[DatasetReader] = None,
        methods: Optional[Mapping[str, Mapping[str, Any]]] = None,
        by: str = "signed",
        random_orders: int = RANDOM_ORDERS,
        search: Optional[Search] = None,
        seed: int = 0,
        budget: Optional[int] = None,
    ) -> None:
        if by not in RANKINGS:
            raise InputError(f"by is {by!r}, but must be one of {', '.join(RANKINGS)}")
        if random_orders < LEAST_ORDERS:
            raise InputError(
                f"random_orders is {random_orders}, but must be {LEAST_ORDERS} or more"
            )
        check_needs(model, ("embeddings",), "what can be judged are scores of")
        for erasure in erasures.values():
            erasure.check(model, reader)
        self.model = model
        self.measures = measures
        self.erasures = erasures
        self.methods = Methods(methods or {}, reader)
        self.by = by
        self.random_orders = random_orders
        self.search = search or Search()
        self.seed = seed
        self.budget = budget or budget_for(model)

    @property
    def steps(self) -> List[str]:
        """What is done to a batch: all of an erasure at once, and each of the other measures."""
        erased = any(measure.erasures for measure in self.measures.values())
        return [*(self.erasures if erased else ()), *self._others()]

    def _others(self) -> Dict[str, ScoreMeasure]:
        return {name: each for name, each in self.measures.items() if not each.erasures}

    def evaluate_batch(
        self,
        instances: Sequence[Instance],
        scored: Sequence[ScoredText],
        after_step: Callable[[str, float], Any] = lambda name, seconds: None,
        steps: Optional[Sequence[str]] = None,
    ) -> List[MeasuredText]:
        """
        The rows of each text.

        # Parameters

        after_step : `Callable[[str, float], Any]`, optional
            Is called with the name of each step that is through and the seconds it took.
        steps : `Sequence[str]`, optional (default = all)
            Only these. What comes before all steps, or behind all, is with the first or the last.
        """
        steps = self.steps if steps is None else steps
        batch = TextBatch.of(self.model, instances, self.budget)
        rows: List[List[Measurement]] = [[] for _ in instances]
        with untouched(self.model, goes_back=False):
            with torch.no_grad():
                setting = self._setting(instances, batch, scored)
            ordered = [self._ordered(text) for text in setting.texts]
            if list(steps[:1]) == self.steps[:1]:
                for text, measurements in zip(setting.texts, rows, strict=True):
                    measurements += _ties(text, self.by)
            for step in steps:
                start = time.perf_counter()
                if step in self.erasures:
                    measured = self._erased(step, setting, ordered)
                else:
                    measured = _of_scores(step, None, self.measures[step], setting)
                for measurements, more in zip(rows, measured, strict=True):
                    measurements += more
                after_step(step, time.perf_counter() - start)
        if list(steps[-1:]) == self.steps[-1:]:
            for measurements, text, instance in zip(rows, scored, instances, strict=True):
                measurements += self._missing(text, len(instance["metadata"].metadata["tokens"]))
        return [
            MeasuredText(
                id=instance["metadata"].metadata["id"],
                label=instance["label"].label if "label" in instance.fields else None,
                predicted=self.model.labels[int(probs.argmax())],
                rows=measurements,
            )
            for instance, probs, measurements in zip(instances, setting.probs, rows, strict=True)
        ]

    def _setting(
        self, instances: Sequence[Instance], batch: TextBatch, scored: Sequence[ScoredText]
    ) -> Setting:
        embeddings = self.model.embed(batch.tokens)
        logits = self.model.logits(embeddings, batch.inputs)
        check_finite(self.model, batch.ids, logits)
        probs = logits.double().softmax(dim=-1).cpu().numpy()
        texts = []
        for text, words, row in zip(scored, batch.words, probs, strict=True):
            target = int(row.argmax())
            if text.target is not None:
                target = target_index(self.model, text.target)
            scores = {
                name: numpy.asarray(values, dtype=numpy.float64)
                for name, values in text.scores.items()
                if values is not None
            }
            chance = random_ranks(len(words), self.random_orders, self.seed, text.id)
            texts.append(JudgedText(text.id, target, scores, chance))
        return Setting(
            self.model, instances, batch, embeddings, probs, texts, self.by, self.methods
        )

    def _ordered(self, text: JudgedText) -> OrderedText:
        of_methods = {
            method: ranks(scores, self.by, self.seed, text.id)
            for method, scores in text.scores.items()
        }
        return OrderedText(text.target, of_methods, text.chance)

    def _erased(
        self, erasure: str, setting: Setting, ordered: Sequence[OrderedText]
    ) -> List[List[Measurement]]:
        setting.outputs = ErasedOutputs(
            self.model, setting.batch, setting.embeddings, self.erasures[erasure]
        )
        in_order = {
            name: measure
            for name, measure in self.measures.items()
            if isinstance(measure, OrderMeasure)
        }
        rows = measure_orders(in_order, setting.outputs, erasure, ordered, self.search)
        for name, measure in self.measures.items():
            if measure.erasures and not isinstance(measure, OrderMeasure):
                measured = _of_scores(name, erasure, measure, setting)
                rows = [[*one, *other] for one, other in zip(rows, measured, strict=True)]
        setting.outputs = None
        return rows

    def _missing(self, text: ScoredText, tokens: int) -> List[Measurement]:
        """Rows without a value, of methods that have no scores for a text."""
        rows = []
        for method, reason in text.missing.items():
            rows.append(Measurement(method, TIED, None, undefined=reason))
            for name, measure in self.measures.items():
                quantities = [Quantity(form, higher) for form, higher in measure.forms().items()]
                if isinstance(measure, OrderMeasure):
                    quantities = measure.quantities(tokens)
                for erasure in self.erasures if measure.erasures else (None,):
                    for quantity in quantities:
                        called = measure.called(quantity.name, name)
                        rows.append(
                            Measurement(method, called, erasure, quantity.k, undefined=reason)
                        )
        return rows


def _ties(text: JudgedText, by: str) -> List[Measurement]:
    return [
        Measurement(method, TIED, None, value=tied(scores, by))
        for method, scores in text.scores.items()
    ]


def _of_scores(
    name: str, erasure: Optional[str], measure: ScoreMeasure, setting: Setting
) -> List[List[Measurement]]:
    return [_rows(name, erasure, measure, values) for values in measure.measure(setting)]


def _rows(
    name: str, erasure: Optional[str], measure: ScoreMeasure, values: Values
) -> List[Measurement]:
    rows = []
    ends: List[Mapping[str, Any]] = [values.get(RANDOM, {}), values.get(SEARCH, {})]
    for method, of_method in values.items():
        for form, higher in measure.forms().items():
            value = of_method[form]
            row = Measurement(method, measure.called(form, name), erasure)
            rows.append(row)
            if isinstance(value, NoValue):
                row.undefined = str(value)
                continue
            row.value = value
            chance, best = (end.get(form, NoValue()) for end in ends)
            if not isinstance(chance, NoValue) and not isinstance(best, NoValue):
                row.normalised = normalised(value, chance, best, higher)
    return rows
