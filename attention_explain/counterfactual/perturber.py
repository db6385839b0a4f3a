"""Several perturbations of the same texts, which are read once for all of them."""

import math
import time
from collections.abc import Callable, Sequence
from typing import Any

import torch
from allennlp.data import Instance
from allennlp.models import Model

from attention_explain.counterfactual.fixed_states import FixedStates
from attention_explain.counterfactual.perturbation import Perturbation
from attention_explain.counterfactual.self_attending import SelfAttending
from attention_explain.errors import InputError
from attention_explain.files.perturbations import Field, PerturbedText
from attention_explain.interpret.text_batch import TextBatch, budget_for, check_finite
from attention_explain.models.requirements import check_texts_are_independent
from attention_explain.passes import in_batches, untouched


class Perturber:
    """
    # Parameters

    model : `Model`
        With attention over hidden states, or layers of self-attention, as the perturbations need.
    perturbations : `Dict[str, Perturbation]`
        By the name that their results get.
    budget : `int`, optional
        How many tokens, padding included, a pass may hold (default: by the model's device).
    """

    def __init__(
        self,
        model: Model,
        perturbations: dict[str, Perturbation],
        budget: int | None = None,
    ) -> None:
        check_texts_are_independent(model)
        for name, perturbation in perturbations.items():
            try:
                perturbation.check_model(model)
            except InputError as error:
                raise InputError(f"perturbation '{name}': {error.message}") from error
        self.model = model
        self.perturbations = perturbations
        self.budget = budget or budget_for(model)

    def check(self, instances: Sequence[Instance]) -> None:
        """Says before any work what is wrong for these texts."""
        read = [instance["metadata"].metadata for instance in instances]
        texts = [(text["id"], text["tokens"]) for text in read]
        for perturbation in self.perturbations.values():
            perturbation.check(texts)

    def perturb(self, instances: Sequence[Instance]) -> list[PerturbedText]:
        """In the order of the instances, which must have their token indexers."""
        self.check(instances)
        return in_batches(instances, self.budget, self.perturb_batch)

    def perturb_batch(
        self,
        instances: Sequence[Instance],
        after_step: Callable[[str, float], Any] = lambda name, seconds: None,
    ) -> list[PerturbedText]:
        """
        The instances as one batch. `after_step` is called with the name of each perturbation that
        is through and the seconds it took.
        """
        batch = TextBatch.of(self.model, instances, self.budget)
        with untouched(self.model, goes_back=False), torch.no_grad():
            kinds = dict.fromkeys(each.takes for each in self.perturbations.values())
            texts = {kind: kind.of(self.model, batch) for kind in kinds}
            perturbed = self._predictions(batch, next(iter(texts.values())), instances)
            for name, perturbation in self.perturbations.items():
                start = time.perf_counter()
                result = perturbation.perturb(texts[perturbation.takes])
                for each in perturbed:
                    each.results[name] = {}
                for field_name, kind in perturbation.fields.items():
                    values = _values(batch, kind, result[field_name])
                    for each, value in zip(perturbed, values, strict=True):
                        each.results[name][field_name] = value
                after_step(name, time.perf_counter() - start)
        return perturbed

    def _predictions(
        self,
        batch: TextBatch,
        texts: FixedStates | SelfAttending,
        instances: Sequence[Instance],
    ) -> list[PerturbedText]:
        predicted = texts.predicted().tolist()
        check_finite(self.model, batch.ids, texts.own_logits())
        probs = texts.own_probs().tolist()
        attention = batch.without_padding(texts.attention)
        return [
            PerturbedText(
                id=batch.ids[row],
                tokens=batch.words[row],
                label=self.model.labels[predicted[row]],
                probs=probs[row],
                attention=attention[row],
                gold=instance["label"].label if "label" in instance.fields else None,
            )
            for row, instance in enumerate(instances)
        ]


def _values(batch: TextBatch, kind: Field, values: torch.Tensor) -> list[Any]:
    """Of each text, as they are written: nothing of padding, and None for NaN."""
    if kind is Field.TOKENS:
        return batch.without_padding(values)
    if kind is Field.LIST:
        return values.tolist()
    known = [None if math.isnan(value) else value for value in values.tolist()]
    if kind is Field.FLAG:
        return [None if value is None else bool(value) for value in known]
    return known
