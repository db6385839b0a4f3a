"""A measure without removal: the effects of edits that people made, for texts read by `counterfactual_pairs`."""

from collections.abc import Sequence

import numpy
import torch

from attention_explain.data.any_reader import instance_of
from attention_explain.data.counterfactual_pairs import Edit
from attention_explain.errors import InputError
from attention_explain.faithfulness.effects import NO_CHANGE, chances_of_top, tau
from attention_explain.faithfulness.faithfulness import (
    Faithfulness,
    MeasureInputs,
    ScoreMeasure,
    TextScores,
    Undefined,
    Value,
    Values,
)
from attention_explain.files.faithfulness import RANDOM, SEARCH
from attention_explain.interpret.text_batch import TextBatch
from attention_explain.model_outputs import probabilities
from attention_explain.passes import ranked, rows_by_length

NOT_A_PAIR = Undefined("the text is not one of a pair (reader `counterfactual_pairs`)")
ONE_EDIT = Undefined("the text has fewer than two edits")
NO_EFFECT = Undefined("no edit changes the probability")
TAU = "edit_effect_tau"


@Faithfulness.register("edit_effect")
class EditEffect(ScoreMeasure):
    """
    Whether the edit whose words have the highest scores is the one that changes the output most: higher
    is better. Each edit of a text is applied alone, all others undone; its effect is the change of
    probability p(c|x) - p(c|x with this edit), and its mass the sum of the scores of its words (of an
    insertion: of the words next to it). The value is the effect of the edit with the largest mass, of tied
    ones the mean. If scores are ranked by magnitude, so are effects. All texts stay natural.

    `random` is the mean effect, `search` the largest one. `edit_effect_tau` is Kendall's tau-b between mass
    and effect over the edits. Undefined for texts with fewer than two edits.

    Registered as a `Faithfulness` with name "edit_effect".
    """

    name = "edit_effect"
    higher_is_better = True
    equation = "p(c|x) - p(c|x with the edit whose words have the largest sum of scores)"

    def forms(self) -> dict[str, bool]:
        return {self.name: True, TAU: True}

    def measure(self, inputs: MeasureInputs) -> list[Values]:
        edits = [
            [edit for edit in instance["metadata"].metadata.get("edits") or () if edit.apply(words)]
            for instance, words in zip(inputs.instances, inputs.batch.words, strict=True)
        ]
        several = [row for row, of_text in enumerate(edits) if len(of_text) > 1]
        probs = iter(
            self._probs(
                inputs,
                [
                    edited
                    for row in several
                    for edited in _versions(inputs.batch.words[row], edits[row])
                ],
            )
        )
        results: list[Values] = []
        for row, (text, instance) in enumerate(zip(inputs.texts, inputs.instances, strict=True)):
            if row not in several:
                pair = "edits" in instance["metadata"].metadata
                reason = ONE_EDIT if pair else NOT_A_PAIR
                results.append(
                    {
                        method: dict.fromkeys(self.forms(), reason)
                        for method in (*text.scores, RANDOM, SEARCH)
                    }
                )
                continue
            before = next(probs)[text.target]
            effects = numpy.array([before - next(probs)[text.target] for _ in edits[row]])
            results.append(edit_values(text, edits[row], effects, inputs.by))
        return results

    def _probs(self, inputs: MeasureInputs, texts: Sequence[Sequence[str]]) -> list[numpy.ndarray]:
        """The probabilities for other texts. Shape: (labels,) each"""
        reader = inputs.methods.reader
        if reader is None:
            raise InputError(f"the measure '{self.name}' needs the model's dataset reader")
        instances = []
        for number, words in enumerate(texts):
            instance = instance_of(reader, {"tokens": list(words), "id": f"edited-{number}"})
            reader.apply_token_indexers(instance)
            instance.index_fields(inputs.model.vocab)
            instances.append(instance)
        found: dict[int, numpy.ndarray] = {}
        lengths = [len(instance["tokens"]) for instance in instances]
        with torch.no_grad():
            for rows in rows_by_length(lengths, inputs.batch.budget):
                batch = TextBatch.of(inputs.model, [instances[row] for row in rows])
                logits = inputs.model.logits(inputs.model.embed(batch.tokens), batch.inputs)
                probs = probabilities(inputs.model, logits.double()).cpu().numpy()
                found.update(zip(rows, probs, strict=True))
        return [found[row] for row in range(len(instances))]


def _versions(words: Sequence[str], edits: Sequence[Edit]) -> list[list[str]]:
    """The text itself, read like the others, and with each edit alone."""
    return [list(words), *(edit.apply(words) for edit in edits)]


def edit_values(text: TextScores, edits: Sequence[Edit], effects: numpy.ndarray, by: str) -> Values:
    """The values of each method, from the effect of each edit. Shape: (edits,)"""
    effects = ranked(effects, by)
    marked = numpy.zeros((len(edits), text.tokens))
    for row, edit in enumerate(edits):
        marked[row, list(edit.marked(text.tokens))] = 1
    if not numpy.abs(effects).max() > NO_CHANGE:
        values: dict[str, Value] = {EditEffect.name: NO_EFFECT, TAU: NO_EFFECT}
        return dict.fromkeys((*text.scores, RANDOM, SEARCH), values)
    masses = {method: marked @ ranked(scores, by) for method, scores in text.scores.items()}
    taus = tau([*masses.values(), effects], effects)
    found: dict[str, dict[str, Value]] = {
        method: {EditEffect.name: float(chances_of_top(mass, 1) @ effects), TAU: value}
        for (method, mass), value in zip(masses.items(), taus, strict=False)
    }
    best = taus[-1]
    chance = best if isinstance(best, Undefined) else 0.0
    found[RANDOM] = {EditEffect.name: float(effects.mean()), TAU: chance}
    found[SEARCH] = {EditEffect.name: float(effects.max()), TAU: best}
    return found
