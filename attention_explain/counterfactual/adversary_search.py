"""
The search behind `instance-adversary`: weights far from the attention and from each other, with
nearly the same output, for all texts of a batch at once.
"""

from dataclasses import dataclass, field
from itertools import combinations
from typing import Tuple

import torch

from attention_explain.counterfactual.fixed_states import FixedStates
from attention_explain.modules.projections import jensen_shannon, total_variation

# The logit of what is no token of a text: its weight is 0, and so is its gradient, for ever.
NOWHERE = -1e4


@dataclass
class AdversaryLoss:
    """
    -JSD(a_k, a) + penalty relu(TVD - margin) - (mean over k, l of JSD(a_k, a_l)), summed over the
    sets k of a text, where a is the attention and TVD that of the output. The mean counts all K^2
    pairs, those of a set with itself included, as in Jain & Wallace's code.

    Its gradient is written out, which takes a fraction of the time of torch's: the derivative of
    JSD(a, b) by a_i is log(a_i / m_i) / 2, with m the mean of a and b.
    """

    texts: FixedStates
    sets: int
    penalty: float
    margin: float
    probs: torch.Tensor = field(init=False)

    def __post_init__(self) -> None:
        device = self.texts.attention.device
        self.probs = self.texts.probs(self.texts.attention).unsqueeze(1)
        self._attention = self.texts.attention.unsqueeze(1)
        self._nowhere = (~self.texts.attendable).to(self._attention).unsqueeze(1)
        self._voters = self.texts.votes.transpose(1, 2).contiguous()
        pairs = torch.tensor(list(combinations(range(self.sets), 2)), dtype=torch.long)
        self._first, self._second = pairs.view(-1, 2).T.to(device)

    def gradient(self, logits: torch.Tensor) -> torch.Tensor:
        """By the logits of the sets. Shape: (batch, sets, tokens)"""
        log_weights = torch.log_softmax(logits, dim=-1)
        weights = log_weights.exp()
        # By the weights first, of both divergences: the logarithms of the weights themselves ...
        pairs = self.sets**2
        slope = log_weights * -(1 / 2 + (self.sets - 1) / pairs)
        # ... and those of the means.
        slope += self._log_mean(weights, self._attention) / 2
        if self.sets > 1:
            apart = self._log_mean(weights[:, self._first], weights[:, self._second]) / pairs
            slope.index_add_(1, self._first, apart)
            slope.index_add_(1, self._second, apart)
        slope += self._penalty_slope(weights)
        # And through the softmax.
        return weights * (slope - (weights * slope).sum(dim=-1, keepdim=True))

    def _log_mean(self, first: torch.Tensor, second: torch.Tensor) -> torch.Tensor:
        # Where there is no token, the mean is 0: any finite number will do.
        return torch.log((first + second) / 2 + self._nowhere)

    def _penalty_slope(self, weights: torch.Tensor) -> torch.Tensor:
        probs = self.texts.probs(weights)
        too_far = total_variation(probs, self.probs).unsqueeze(-1) > self.margin
        by_probs = torch.sign(probs - self.probs) * too_far * (self.penalty / 2)
        by_logits = probs * (by_probs - (probs * by_probs).sum(dim=-1, keepdim=True))
        return torch.bmm(self.texts.slope(weights, by_logits), self._voters)


class Farthest:
    """Of all weights that are considered, those with the largest JSD whose output is close."""

    def __init__(self, texts: FixedStates, epsilon: float) -> None:
        self._texts = texts
        self._epsilon = epsilon
        self._probs = texts.probs(texts.attention).unsqueeze(1)
        # The attention itself, which is always close: JSD 0.
        self.weights = texts.attention
        self.jsd = torch.zeros_like(texts.attention[:, 0])

    def consider(self, logits: torch.Tensor) -> None:
        """Shape of logits: (batch, sets, tokens)"""
        weights = torch.softmax(logits, dim=-1)
        tvd = total_variation(self._texts.probs(weights), self._probs)
        jsd = jensen_shannon(weights, self._texts.attention.unsqueeze(1))
        jsd, best = jsd.masked_fill(tvd > self._epsilon, 0.0).max(dim=1)
        better = jsd > self.jsd
        rows = torch.arange(len(best), device=best.device)
        self.weights = torch.where(better.unsqueeze(1), weights[rows, best], self.weights)
        self.jsd = torch.where(better, jsd, self.jsd)


def descend(
    loss: AdversaryLoss,
    logits: torch.Tensor,
    steps: int,
    lr: float,
    farthest: Farthest,
    each_step: bool,
) -> None:
    """
    Adam with amsgrad, which treats each number apart, so that no text feels another. The weights
    are considered after the last step, or after each.
    """
    optimizer = torch.optim.Adam([logits], lr=lr, amsgrad=True, fused=True)
    for step in range(steps):
        logits.grad = loss.gradient(logits)
        optimizer.step()
        if each_step or step == steps - 1:
            farthest.consider(logits)


def start(texts: FixedStates, sets: int, spread: float, seed: int) -> torch.Tensor:
    """log(1/n) and normal noise. Shape: (batch, sets, tokens)"""

    def draw(generator: torch.Generator, attention: torch.Tensor) -> torch.Tensor:
        size: Tuple[int, int] = (sets, len(attention))
        noise = torch.randn(size, generator=generator, dtype=attention.dtype)
        return spread * noise - torch.tensor(float(len(attention))).log()

    return texts.drawn(seed, "instance-adversary", draw, elsewhere=NOWHERE)
