"""
Texts whose hidden states stay as they are while other weights take the attention's position: what
every post hoc counterfactual asks the model.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import ClassVar

import torch

from attention_explain.interpret.text_batch import TextBatch
from attention_explain.models import AttentionClassifier
from attention_explain.passes import generator_for


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
