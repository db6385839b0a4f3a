"""Several methods on the same texts: one batch for all of them, one explained text each."""

import math
import time
from collections.abc import Callable, Sequence
from typing import Any

import torch
from allennlp.data import Instance

from attention_explain.data.pair_reader import PASSAGE
from attention_explain.data.vocabulary import unknown_words
from attention_explain.heatmaps.explanation import Explanation
from attention_explain.interpret.interpreter import (
    Attribution,
    Interpreter,
    check_contrast,
    target_index,
)
from attention_explain.interpret.text_batch import (
    TextBatch,
    budget_for,
    check_finite,
    contrast_with,
    too_long,
)
from attention_explain.model_outputs import probabilities
from attention_explain.models import AttentionClassifier
from attention_explain.passes import in_batches, untouched

NOT_FINITE = "a score that is not finite"
SAME_CLASS = "the explained class is the one that it is contrasted with"


class Explainer:
    """
    # Parameters

    model : `AttentionClassifier`
    interpreters : `Dict[str, Interpreter]`
        By the name that their scores get.
    target : `str`, optional (default = the predicted label of each text)
        The label to explain. The metadata of a text may have a `target` of its own.
    contrast : `str`, optional
        Explain why the label is predicted rather than this one: the difference of their logits. The
        metadata of a text may have a `contrast` of its own.
    budget : `int`, optional
        How many tokens, padding included, a pass may hold (default: by the model's device).
    """

    def __init__(
        self,
        model: AttentionClassifier,
        interpreters: dict[str, Interpreter],
        target: str | None = None,
        budget: int | None = None,
        contrast: str | None = None,
    ) -> None:
        self.model = model
        self.interpreters = interpreters
        self.target = target
        self.contrast = contrast
        self.budget = budget or budget_for(model)
        if target is not None:
            target_index(model, target)
        if contrast is not None:
            target_index(model, contrast, "contrast")
            for name, interpreter in interpreters.items():
                check_contrast(name, interpreter)

    def explain(self, instances: Sequence[Instance]) -> list[Explanation]:
        """In the order of the instances, which must have their token indexers."""
        return in_batches(instances, self.budget, self.explain_batch)

    def explain_batch(
        self,
        instances: Sequence[Instance],
        after_method: Callable[[str, float], Any] = lambda name, seconds: None,
    ) -> list[Explanation]:
        """
        The instances as one batch. `after_method` is called with the name of each method that is
        through and the seconds it took.
        """
        batch = TextBatch.of(self.model, instances, self.budget)
        explanations, predicted = self._predict(batch, instances)
        target = self._targets(explanations, predicted)
        for name, interpreter in self.interpreters.items():
            start = time.perf_counter()
            rows = _explainable(explanations, name, interpreter)
            if len(rows) == len(batch):
                attribution = interpreter.attribute_batch(batch, target)
                _add(explanations, name, interpreter.signed, batch, attribution)
            elif rows:
                some = batch.rows(rows)
                attribution = interpreter.attribute_batch(some, target[rows])
                explained = [explanations[row] for row in rows]
                _add(explained, name, interpreter.signed, some, attribution)
            after_method(name, time.perf_counter() - start)
        return explanations

    def _targets(
        self, explanations: Sequence[Explanation], predicted: torch.Tensor
    ) -> torch.Tensor:
        """The explained class of each text, or the contrast. Shape: (batch,)"""
        labels = self.model.labels

        def indices(names: Sequence[str | None]) -> torch.Tensor:
            numbers = [-1 if name is None else labels.index(name) for name in names]
            return torch.tensor(numbers, device=predicted.device)

        given = [each.target for each in explanations]
        others = [each.contrast for each in explanations]
        target = predicted
        if any(given):
            classes = indices(given)
            target = torch.where(classes >= 0, classes, predicted)
        return contrast_with(target, indices(others), len(labels)) if any(others) else target

    def _predict(
        self, batch: TextBatch, instances: Sequence[Instance]
    ) -> tuple[list[Explanation], torch.Tensor]:
        """One explanation a text, still without scores, and the predicted classes."""
        with untouched(self.model, goes_back=False), torch.no_grad():
            embeddings = self.model.embed(batch.tokens)
            if self.model.lacks("attention") is None:
                logits, attention = self.model.with_attention(embeddings, batch.inputs)
                weights: list[Any] = batch.without_padding(attention)
            else:
                logits = self.model.logits(embeddings, batch.inputs)
                weights = [None] * len(batch)
            probs = probabilities(self.model, logits)
        check_finite(self.model, batch.ids, logits)
        predicted = probs.argmax(dim=-1)
        labels, distributions = predicted.tolist(), probs.tolist()
        explanations = [
            Explanation(
                id=batch.ids[row],
                tokens=batch.words[row],
                label=self.model.labels[labels[row]],
                labels=self.model.labels,
                probs=distributions[row],
                attention=weights[row],
                target=instance["metadata"].metadata.get("target", self.target),
                contrast=instance["metadata"].metadata.get("contrast", self.contrast),
                gold=instance["label"].label if "label" in instance.fields else None,
                rationale=instance["metadata"].metadata.get("rationale"),
                contrary=instance["metadata"].metadata.get("contrary"),
                fragments=instance["metadata"].metadata.get("fragments"),
                **_sides(instance["metadata"].metadata),
                unknown=unknown_words(
                    batch.words[row], instance["tokens"].token_indexers, self.model.vocab
                ),
            )
            for row, instance in enumerate(instances)
        ]
        return explanations, predicted


def _sides(known: dict[str, Any]) -> dict[str, Any]:
    """Of a pair, which of its texts gets scores, and the words of the other."""
    other = known.get("other", known.get("query"))
    return {} if other is None else {"side": known.get("side", PASSAGE), "other": other}


def _explainable(explanations: list[Explanation], name: str, interpreter: Interpreter) -> list[int]:
    """The rows of the texts that the method can explain; the others get the reason."""
    most = interpreter.max_tokens
    rows = []
    for row, explanation in enumerate(explanations):
        if most is not None and len(explanation.tokens) > most:
            reason = too_long(most)
        elif explanation.contrast == (explanation.target or explanation.label):
            reason = SAME_CLASS
        else:
            rows.append(row)
            continue
        explanation.signed[name] = interpreter.signed
        explanation.scores[name] = None
        explanation.skipped[name] = reason
    return rows


def _add(
    explanations: list[Explanation],
    name: str,
    signed: bool,
    batch: TextBatch,
    attribution: Attribution,
) -> None:
    """Gives each text its scores; a text with a score that is none gets the reason instead."""
    checks = {check: values.tolist() for check, values in attribution.checks.items()}
    for row, scores in enumerate(batch.without_padding(attribution.scores)):
        explanation = explanations[row]
        explanation.signed[name] = signed
        if checks:
            explanation.checks[name] = {check: values[row] for check, values in checks.items()}
        if all(map(math.isfinite, scores)):
            explanation.scores[name] = scores
        else:
            explanation.scores[name] = None
            explanation.skipped[name] = NOT_FINITE
