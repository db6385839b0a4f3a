"""Evaluates the scores of several methods by several measures on the same texts."""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy
import torch
from allennlp.data import DatasetReader, Instance
from allennlp.models import Model

from attention_explain.errors import InputError
from attention_explain.faithfulness.faithfulness import (
    Detailed,
    Faithfulness,
    MeasureInputs,
    Methods,
    Quantity,
    ScoreMeasure,
    TextScores,
    Undefined,
    Value,
    Values,
    normalise,
)
from attention_explain.faithfulness.permutations import (
    Sampling,
    SamplingOptions,
    choose_sampling,
)
from attention_explain.faithfulness.ranking_measure import (
    MeasuredText,
    RankingMeasure,
    SearchResult,
)
from attention_explain.faithfulness.relevance import EffectsMeasure, RelevanceMeasure
from attention_explain.faithfulness.removal import RemovalMethod, RemovalOutputs
from attention_explain.faithfulness.scores_file import ScoredText
from attention_explain.faithfulness.search import Search
from attention_explain.files.faithfulness import (
    RANDOM,
    RELEVANCE,
    SEARCH,
    TIED,
    Measurement,
    TextMeasurements,
)
from attention_explain.interpret.interpreter import target_index
from attention_explain.interpret.text_batch import TextBatch, budget_for, check_finite
from attention_explain.model_outputs import head_of, probabilities
from attention_explain.models.classifier import check_needs
from attention_explain.passes import RANKINGS, random_ranks, ranks, tied, untouched

RANDOM_ORDERS = 10
LEAST_ORDERS = 5


@dataclass
class RankedText:
    """
    target : the explained class.
    ranks : the rank of each token, for each method. Shape: (tokens,)
    chance : the same for random rankings. Shape: (rankings, tokens)
    """

    target: int
    ranks: dict[str, numpy.ndarray]
    chance: numpy.ndarray

    @property
    def tokens(self) -> int:
        """The number of tokens."""
        return self.chance.shape[1]

    def all_ranks(self) -> numpy.ndarray:
        """The ranks of the methods, then the random ones. Shape: (rankings, tokens)"""
        return numpy.concatenate([*(ranks[None] for ranks in self.ranks.values()), self.chance])


def measure_rankings(
    measures: Mapping[str, RankingMeasure],
    outputs: RemovalOutputs,
    erasure: str,
    texts: Sequence[RankedText],
    search: Search,
) -> list[list[Measurement]]:
    """The rows of each text: its methods, `random` and `search`."""
    ends = outputs([numpy.array([[True], [False]]).repeat(text.tokens, axis=1) for text in texts])
    measured = [
        MeasuredText(text.tokens, text.target, full, empty, head_of(outputs.model))
        for text, (full, empty) in zip(texts, ends, strict=True)
    ]
    rows: list[list[Measurement]] = [[] for _ in texts]
    for keeps in (False, True):
        some = {name: measure for name, measure in measures.items() if measure.keeps == keeps}
        if not some:
            continue
        sizes = sizes_of(measures, texts, keeps)
        probs = outputs_along_rankings(outputs, texts, sizes, keeps)
        best_sets = search(
            outputs,
            [text.target for text in texts],
            keeps,
            sizes,
            [text.all_ranks() for text in texts],
            [len(text.ranks) for text in texts],
        )
        for number, text in enumerate(texts):
            for name, measure in some.items():
                of_measure = [sizes[number].index(size) for size in measure.sizes(text.tokens)]
                rows[number] += _ranking_rows(
                    name,
                    measure,
                    erasure,
                    text,
                    measured[number],
                    probs[number][:, of_measure],
                    best_sets[number],
                )
    return rows


def sizes_of(
    measures: Mapping[str, RankingMeasure], texts: Sequence[RankedText], keeps: bool
) -> list[list[int]]:
    """For each text, all set sizes that measures of one kind evaluate."""
    some = [measure for measure in measures.values() if measure.keeps == keeps]
    return [
        sorted({size for measure in some for size in measure.sizes(text.tokens)}) for text in texts
    ]


def outputs_along_rankings(
    outputs: RemovalOutputs,
    texts: Sequence[RankedText],
    sizes: Sequence[Sequence[int]],
    keeps: bool,
) -> list[numpy.ndarray]:
    """For each text, the probabilities at each size. Shape: (rankings, sizes, labels)"""
    asked = []
    for text, of_text in zip(texts, sizes, strict=True):
        first = text.all_ranks()[:, None, :] < numpy.array(of_text)[:, None]
        asked.append((first if keeps else ~first).reshape(-1, text.tokens))
    return [
        probs.reshape(-1, len(of_text), probs.shape[-1])
        for probs, of_text in zip(outputs(asked), sizes, strict=True)
    ]


def _ranking_rows(
    name: str,
    measure: RankingMeasure,
    erasure: str,
    text: RankedText,
    measured: MeasuredText,
    probs: numpy.ndarray,
    best_sets: SearchResult,
) -> list[Measurement]:
    values = measure.values(probs, measured)
    methods = len(text.ranks)
    chance = values[methods:].mean(axis=0)
    best = measure.best(best_sets, measured)
    rows = []
    for method, quantities in zip(
        [*text.ranks, RANDOM, SEARCH], [*values[:methods], chance, best], strict=True
    ):
        curve = None
        if method in text.ranks:
            curve = measure.curve(probs[list(text.ranks).index(method)], measured)
        elif method == RANDOM:
            curve = measure.curve(probs[methods:].mean(axis=0), measured)
        for index, quantity in enumerate(measure.quantities(text.tokens)):
            value = float(quantities[index])
            row = Measurement(method, measure.called(quantity.name, name), erasure, quantity.k)
            rows.append(row)
            if numpy.isnan(value):
                row.undefined = measure.why_undefined(measured)
                continue
            row.value = value
            row.normalised = normalise(value, chance[index], best[index], quantity.higher_is_better)
            row.curve = curve
    return rows


class Evaluator:
    """
    # Parameters

    model : `AttentionClassifier`
    measures : `Dict[str, Faithfulness]`
        By the name of their values.
    erasures : `Dict[str, RemovalMethod]`
    reader : `DatasetReader`, optional
        The model's own, for removal methods that read data and for measures that recompute scores.
    methods : `Mapping[str, Mapping[str, Any]]`, optional
        What the attribution file declares for each; `parameters` are used to recompute scores.
    by : `str`, optional (default = `"signed"`)
        How scores are ranked: `signed`, toward the explained class, or by magnitude (`size`).
    random_orders : `int`, optional (default = `10`)
        The number of random rankings per text, at least 5; their mean is 0 on the normalised scale.
    search : `Search`, optional
        Its best ranking is 1 on the normalised scale.
    seed : `int`, optional (default = `0`)
        Determines random rankings and the order of tied scores, together with the text's id.
    budget : `int`, optional
        The number of tokens in a forward pass, padding included (default: by the model's device).
    """

    def __init__(
        self,
        model: Model,
        measures: dict[str, Faithfulness],
        erasures: dict[str, RemovalMethod],
        reader: DatasetReader | None = None,
        methods: Mapping[str, Mapping[str, Any]] | None = None,
        by: str = "signed",
        random_orders: int = RANDOM_ORDERS,
        search: Search | None = None,
        seed: int = 0,
        budget: int | None = None,
    ) -> None:
        if by not in RANKINGS:
            raise InputError(f"by is {by!r}, but must be one of {', '.join(RANKINGS)}")
        if random_orders < LEAST_ORDERS:
            raise InputError(
                f"random_orders is {random_orders}, but must be {LEAST_ORDERS} or more"
            )
        check_needs(model, ("embeddings",), "faithfulness can be measured for scores of")
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
        self.samplings: dict[str, dict[SamplingOptions, Sampling]] = {
            erasure: {} for erasure in erasures
        }

    @property
    def steps(self) -> list[str]:
        """The steps of a batch: one per removal method, and one per measure without removal."""
        removes = any(measure.erasures for measure in self.measures.values())
        return [*(self.erasures if removes else ()), *self._others()]

    def _others(self) -> dict[str, ScoreMeasure]:
        return {name: each for name, each in self.measures.items() if not each.erasures}

    def prepare(self, instances: Sequence[Instance]) -> None:
        """
        Choose how word effects are sampled, on pilot texts among all texts. Otherwise they are chosen
        among the texts of the first batch.
        """
        for erasure, removal in self.erasures.items():
            samplings = self.samplings[erasure]
            for measure in self.measures.values():
                if isinstance(measure, EffectsMeasure) and measure.sampling not in samplings:
                    samplings[measure.sampling] = choose_sampling(
                        self.model, instances, removal, measure.sampling, self.budget
                    )

    def chosen_samplings(self) -> dict[str, dict[str, Sampling]]:
        """How word effects are sampled, by measure and removal method."""
        return {
            name: {
                erasure: samplings[measure.sampling]
                for erasure, samplings in self.samplings.items()
                if measure.sampling in samplings
            }
            for name, measure in self.measures.items()
            if isinstance(measure, EffectsMeasure)
        }

    def evaluate_batch(
        self,
        instances: Sequence[Instance],
        scored: Sequence[ScoredText],
        after_step: Callable[[str, float], Any] = lambda name, seconds: None,
        steps: Sequence[str] | None = None,
    ) -> list[TextMeasurements]:
        """
        The rows of each text.

        # Parameters

        after_step : `Callable[[str, float], Any]`, optional
            Called with the name of each finished step and the seconds that it took.
        steps : `Sequence[str]`, optional (default = all)
            The steps to do. The rows of ties come with the first step, those of methods without
            scores with the last.
        """
        steps = self.steps if steps is None else steps
        self.prepare(instances)
        batch = TextBatch.of(self.model, instances, self.budget)
        rows: list[list[Measurement]] = [[] for _ in instances]
        with untouched(self.model, goes_back=False):
            with torch.no_grad():
                inputs = self._inputs(instances, batch, scored)
            ranked = [self._ranked(text) for text in inputs.texts]
            if list(steps[:1]) == self.steps[:1]:
                for text, measurements in zip(inputs.texts, rows, strict=True):
                    measurements += _ties(text, self.by)
            for step in steps:
                start = time.perf_counter()
                if step in self.erasures:
                    measured = self._with_removal(step, inputs, ranked)
                else:
                    measured = _of_scores(step, None, self.measures[step], inputs)
                for measurements, more in zip(rows, measured, strict=True):
                    measurements += more
                after_step(step, time.perf_counter() - start)
        if list(steps[-1:]) == self.steps[-1:]:
            for measurements, each, instance in zip(rows, scored, instances, strict=True):
                measurements += self._missing(each, len(instance["metadata"].metadata["tokens"]))
        return [
            TextMeasurements(
                id=instance["metadata"].metadata["id"],
                label=instance["label"].label if "label" in instance.fields else None,
                predicted=self.model.labels[int(probs.argmax())],
                rows=measurements,
            )
            for instance, probs, measurements in zip(instances, inputs.probs, rows, strict=True)
        ]

    def _inputs(
        self, instances: Sequence[Instance], batch: TextBatch, scored: Sequence[ScoredText]
    ) -> MeasureInputs:
        embeddings = self.model.embed(batch.tokens)
        logits = self.model.logits(embeddings, batch.inputs)
        check_finite(self.model, batch.ids, logits)
        probs = probabilities(self.model, logits.double()).cpu().numpy()
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
            texts.append(TextScores(text.id, target, scores, chance))
        return MeasureInputs(
            self.model, instances, batch, embeddings, probs, texts, self.by, self.methods
        )

    def _ranked(self, text: TextScores) -> RankedText:
        of_methods = {
            method: ranks(scores, self.by, self.seed, text.id)
            for method, scores in text.scores.items()
        }
        return RankedText(text.target, of_methods, text.chance)

    def _with_removal(
        self, erasure: str, inputs: MeasureInputs, ranked: Sequence[RankedText]
    ) -> list[list[Measurement]]:
        outputs = RemovalOutputs(
            self.model, inputs.batch, inputs.embeddings, self.erasures[erasure]
        )
        inputs = inputs.removing(outputs, self.samplings[erasure])
        of_rankings = {
            name: measure
            for name, measure in self.measures.items()
            if isinstance(measure, RankingMeasure)
        }
        of_effects = [each for each in self.measures.values() if isinstance(each, RelevanceMeasure)]
        if of_rankings and of_effects:
            effects = inputs.word_effects(of_effects[0].sampling)
            ranked = [
                replace(
                    text,
                    ranks={**text.ranks, RELEVANCE: ranks(each.relevance, self.by, self.seed, id_)},
                )
                for text, each, id_ in zip(ranked, effects, inputs.batch.ids, strict=True)
            ]
        rows = measure_rankings(of_rankings, outputs, erasure, ranked, self.search)
        for name, measure in self.measures.items():
            if measure.erasures and not isinstance(measure, RankingMeasure):
                measured = _of_scores(name, erasure, measure, inputs)
                rows = [[*one, *other] for one, other in zip(rows, measured, strict=True)]
        return rows

    def _missing(self, text: ScoredText, tokens: int) -> list[Measurement]:
        """Rows without a value, for methods that have no scores for the text."""
        rows = []
        for method, reason in text.missing.items():
            rows.append(Measurement(method, TIED, None, undefined=reason))
            for name, measure in self.measures.items():
                quantities = [Quantity(form, higher) for form, higher in measure.forms().items()]
                if isinstance(measure, RankingMeasure):
                    quantities = measure.quantities(tokens)
                for erasure in self.erasures if measure.erasures else (None,):
                    for quantity in quantities:
                        called = measure.called(quantity.name, name)
                        rows.append(
                            Measurement(method, called, erasure, quantity.k, undefined=reason)
                        )
        return rows


def _ties(text: TextScores, by: str) -> list[Measurement]:
    return [
        Measurement(method, TIED, None, value=tied(scores, by))
        for method, scores in text.scores.items()
    ]


def _of_scores(
    name: str, erasure: str | None, measure: ScoreMeasure, inputs: MeasureInputs
) -> list[list[Measurement]]:
    return [_rows(name, erasure, measure, values) for values in measure.measure(inputs)]


def _bare(value: Value | Detailed) -> Value:
    return value.value if isinstance(value, Detailed) else value


def _rows(
    name: str, erasure: str | None, measure: ScoreMeasure, values: Values
) -> list[Measurement]:
    rows = []
    ends: list[Mapping[str, Any]] = [values.get(RANDOM, {}), values.get(SEARCH, {})]
    for method, of_method in values.items():
        for form, higher in measure.forms().items():
            value = of_method[form]
            row = Measurement(method, measure.called(form, name), erasure)
            rows.append(row)
            if isinstance(value, Detailed):
                row.curve = value.curve.tolist()
                row.errors = None if value.errors is None else value.errors.tolist()
                row.reliability = value.reliability
                value = value.value
            if isinstance(value, Undefined):
                row.undefined = str(value)
                continue
            row.value = value
            chance, best = (_bare(end.get(form, Undefined())) for end in ends)
            if not isinstance(chance, Undefined) and not isinstance(best, Undefined):
                row.normalised = normalise(value, chance, best, higher)
    return rows
