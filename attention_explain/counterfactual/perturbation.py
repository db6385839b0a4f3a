"""
What a trained model predicts with other attention weights: the texts that perturbations are given, the
base class of perturbations, and the run of several of them over a batch.
"""

import math
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar

import numpy
import torch
from allennlp.common import Registrable
from allennlp.data import Instance
from allennlp.models import Model

from attention_explain.counterfactual.self_attending import SelfAttending
from attention_explain.errors import InputError
from attention_explain.files.perturbations import Field, PerturbedText
from attention_explain.interpret.text_batch import TextBatch, budget_for, check_finite
from attention_explain.model_outputs import SOFTMAX, head_of
from attention_explain.models import AttentionClassifier
from attention_explain.models.classifier import check_needs, check_texts_are_independent
from attention_explain.named_components import ComponentKind
from attention_explain.passes import generator_for, in_batches, untouched


@dataclass(frozen=True)
class FixedStates:
    """
    A batch of texts after a single pass through the model, in double precision, because a search
    of hundreds of steps makes small differences large.

    ids, words : of each text; the words without boundary symbols.
    attendable : True at the tokens that attention sees. Shape: (batch, tokens)
    attention : the model's weights, 0 at all other tokens. Shape: (batch, tokens)
    votes : what the decoder makes of each state alone, as far as it is linear: logits, in a model of
        single texts. Shape: (batch, tokens, votes)
    bias : the decoder's, which is part of every vote. Shape: (votes,)
    finish : from the mean of votes to logits, where these are not the same: in a model of pairs, in
        the light of the query. Shape: (batch, ..., votes) -> (batch, ..., labels)

    Weights sum to 1, so what the decoder makes of the mean state is the weighted mean of the votes:
    its linear part is applied once, and not again for each of the weights that are tried. Of weights
    that do not sum to 1, as next to a point at which a gradient is taken, the votes are not enough:
    the model adds its bias once, whatever they sum to.
    """

    needs: ClassVar[tuple[str, ...]] = ("stages",)

    ids: list[str]
    words: list[list[str]]
    attendable: torch.Tensor
    attention: torch.Tensor
    votes: torch.Tensor
    bias: torch.Tensor
    finish: Callable[[torch.Tensor], torch.Tensor] | None = None

    @classmethod
    @torch.no_grad()
    def of(cls, model: AttentionClassifier, batch: TextBatch) -> "FixedStates":
        """The states, attention and outputs of a model for a batch."""
        query, decoder = batch.inputs.query, model.decoder
        states = model.encode(model.embed(batch.tokens), batch.inputs)
        attention = model.attend(states, batch.inputs).double()
        return cls(
            ids=batch.ids,
            words=batch.words,
            attendable=batch.attendable,
            attention=attention / attention.sum(dim=-1, keepdim=True),
            votes=decoder.votes(states).double(),
            bias=decoder.vote_bias.detach().double(),
            finish=None if query is None else partial(decoder.finish, query=query),
        )

    def logits(self, weights: torch.Tensor) -> torch.Tensor:
        """
        For other weights instead of the attention, one set per text or several.
        Shape: (batch, tokens) -> (batch, labels) or (batch, sets, tokens) -> (batch, sets, labels)
        """
        if weights.dim() == 2:
            return self.logits(weights.unsqueeze(1)).squeeze(1)
        return self.finished(torch.bmm(weights, self.votes))

    def finished(self, votes: torch.Tensor) -> torch.Tensor:
        """Logits from the mean of votes. Shape: (batch, ..., votes) -> (batch, ..., labels)"""
        return votes if self.finish is None else self.finish(votes)

    def slope(self, weights: torch.Tensor, by_logits: torch.Tensor) -> torch.Tensor:
        """
        From what something changes by with the logits to what it changes by with the mean of votes.
        Shape: (batch, sets, tokens), (batch, sets, labels) -> (batch, sets, votes)
        """
        if self.finish is None:
            return by_logits
        mean = torch.bmm(weights, self.votes).requires_grad_()
        with torch.enable_grad():
            (by_votes,) = torch.autograd.grad(self.finish(mean), mean, by_logits)
        return by_votes

    def probs(self, weights: torch.Tensor) -> torch.Tensor:
        """Shape: as of `logits`"""
        return torch.softmax(self.logits(weights), dim=-1)

    def own_logits(self) -> torch.Tensor:
        """With the model's attention. Shape: (batch, labels)"""
        return self.logits(self.attention)

    def own_probs(self) -> torch.Tensor:
        """With the model's attention. Shape: (batch, labels)"""
        return self.probs(self.attention)

    def predicted(self) -> torch.Tensor:
        """Shape: (batch,)"""
        return self.logits(self.attention).argmax(dim=-1)

    def lengths(self) -> torch.Tensor:
        """How many tokens attention sees. Shape: (batch,)"""
        return self.attendable.sum(dim=-1)

    def drawn(
        self,
        seed: int,
        purpose: str,
        draw: Callable[[torch.Generator, torch.Tensor], torch.Tensor],
        elsewhere: float = 0.0,
    ) -> torch.Tensor:
        """
        Random numbers that belong to each text alone, in the positions of its tokens. `draw` gets the
        text's generator and the attention of its n tokens, both on the CPU, and returns numbers of
        shape (..., n). Shape: (batch, ..., tokens)
        """
        rows = []
        for id_, seen, weights in zip(self.ids, self.attendable.cpu(), self.attention.cpu()):
            numbers = draw(generator_for(seed, id_, purpose), weights[seen])
            row = numbers.new_full((*numbers.shape[:-1], len(seen)), elsewhere)
            row[..., seen] = numbers
            rows.append(row)
        return torch.stack(rows).to(self.attention.device)

    def keys(self, seed: int, purpose: str) -> torch.Tensor:
        """
        A random number for each token, to put tokens in order by; -1 where attention sees none.
        Shape: (batch, tokens)
        """
        return self.drawn(seed, purpose, _uniform, elsewhere=-1.0)


def _uniform(generator: torch.Generator, attention: torch.Tensor) -> torch.Tensor:
    return torch.rand(len(attention), generator=generator, dtype=attention.dtype)


class Perturbation(Registrable):
    """
    An experiment on the attention of a trained model. A subclass implements `perturb` for a batch,
    declares the fields of its result, and has its options as attributes.
    """

    fields: Mapping[str, Field]
    # What `perturb` takes: states under other attention, or a model whose layers attend otherwise.
    takes: type[FixedStates | SelfAttending] = FixedStates
    # Files that it reads, which decide the result as its options do.
    reads: Sequence[str] = ()

    def check_model(self, model: Model) -> None:
        """Says before any work what the model has not."""
        check_needs(model, self.takes.needs, "what can be perturbed is the attention of")

    def check(self, texts: Iterable[tuple[str, Sequence[str]]]) -> None:
        """
        Says before any work what is wrong for the texts to come.

        # Parameters

        texts : `Iterable[Tuple[str, Sequence[str]]]`
            The id of each text and its tokens.
        """

    def perturb(self, texts: Any) -> dict[str, torch.Tensor]:
        """From texts of the kind in `takes`: the fields, each of the shape that its kind has."""
        raise NotImplementedError

    def found(self, results: Mapping[str, numpy.ndarray]) -> str | None:
        """
        What it found over all texts, in a sentence; None where there is nothing to say.

        # Parameters

        results : `Mapping[str, numpy.ndarray]`
            Its numbers and flags (1 or 0), one a text, NaN where undefined; no field is undefined
            for all texts.
        """
        return None


def attention_of(model: Model) -> type[FixedStates | SelfAttending]:
    """What perturbations of this model take: its layers, if it has no attention over hidden states."""
    only_layers = model.lacks("stages") is not None and model.lacks("layers") is None
    return SelfAttending if only_layers else FixedStates


def percent(share: float) -> str:
    """A share as a percentage."""
    return f"{100 * share:.0f} %"


PERTURBATIONS = ComponentKind(
    noun="perturbation",
    registry=Perturbation,
    base=Perturbation,
    # Columns are called `name.field`; these have no dot.
    reserved=(),
)


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
        if head_of(model) != SOFTMAX:
            raise InputError(
                "a perturbation compares distributions over classes, which a multi-label or regression "
                "head does not have"
            )
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
