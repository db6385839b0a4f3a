"""How different could attention be, with the same output? Jain & Wallace 2019, section 4.2.2."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import combinations

import numpy
import torch

from attention_explain.counterfactual.perturbation import FixedStates, Perturbation, percent
from attention_explain.counterfactual.replacement import effect
from attention_explain.errors import InputError
from attention_explain.files.perturbations import Field
from attention_explain.modules.projections import jensen_shannon, total_variation
from attention_explain.named_components import check_choice

KEEPS = ("last", "best")


@Perturbation.register("instance-adversary")
class InstanceAdversary(Perturbation):
    """
    Several sets of weights a text move away from the attention and from each other, while the
    output is to stay. Of those whose output is within `epsilon` the one with the largest JSD counts:
    `max_jsd`, its `tvd`, `flip` and `attention`. Where none is that close, `success` is 0, the
    attention itself stands for it, and `max_jsd` is 0, as published; so leave these texts out, or
    count them, knowingly. A text of one token has no other attention, and no success.

    Registered as a `Perturbation` with name "instance-adversary".

    # Parameters

    sets : `int`, optional (default = `5`)
    steps : `int`, optional (default = `500`)
    lr : `float`, optional (default = `0.01`)
        Of Adam with amsgrad.
    penalty, margin : `float`, optional (default = `500`, `0.01`)
        The loss grows by `penalty` times what the output's TVD has above the margin.
    spread : `float`, optional (default = `3`)
        Standard deviation of the logits at the start, around log(1/n).
    epsilon : `float`, optional (default = `0.05`)
        How far the output may move, as TVD.
    keep : `str`, optional (default = `"last"`)
        Which weights can count: `last`, those after the last step, as published; or `best`, those
        after any step, which can only be farther away.
    seed : `int`, optional (default = `0`)
        With the instance's id it decides where the search starts.
    """

    fields = {
        "max_jsd": Field.NUMBER,
        "tvd": Field.NUMBER,
        "success": Field.FLAG,
        "flip": Field.FLAG,
        "attention": Field.TOKENS,
    }

    def __init__(
        self,
        sets: int = 5,
        steps: int = 500,
        lr: float = 0.01,
        penalty: float = 500.0,
        margin: float = 0.01,
        spread: float = 3.0,
        epsilon: float = 0.05,
        keep: str = "last",
        seed: int = 0,
    ) -> None:
        for name, number in (("sets", sets), ("steps", steps)):
            if number < 1:
                raise InputError(f"{name} is {number}, but must be 1 or more")
        for name, value in (("lr", lr), ("epsilon", epsilon)):
            if not value > 0:
                raise InputError(f"{name} is {value}, but must be above 0")
        check_choice("keep", keep, KEEPS)
        self.sets = sets
        self.steps = steps
        self.lr = lr
        self.penalty = penalty
        self.margin = margin
        self.spread = spread
        self.epsilon = epsilon
        self.keep = keep
        self.seed = seed

    @torch.no_grad()
    def perturb(self, texts: FixedStates) -> dict[str, torch.Tensor]:
        farthest = Farthest(texts, self.epsilon)
        descend(
            AdversaryLoss(texts, self.sets, self.penalty, self.margin),
            start(texts, self.sets, self.spread, self.seed),
            self.steps,
            self.lr,
            farthest,
            each_step=self.keep == "best",
        )
        after = effect(texts, farthest.weights)
        return {
            "max_jsd": farthest.jsd,
            "tvd": after["tvd"],
            "success": farthest.jsd > 0,
            "flip": after["flip"],
            "attention": farthest.weights,
        }

    def found(self, results: Mapping[str, numpy.ndarray]) -> str:
        success = results["success"] == 1
        if not success.any():
            return f"For no text other weights give the same output (to within {self.epsilon:g})."
        return (
            f"For {percent(success.mean())} of the texts other weights give the same output (to "
            f"within {self.epsilon:g}), {results['max_jsd'][success].mean():.2f} away from the "
            f"attention on average (Jensen-Shannon divergence, at most {math.log(2):.2f})."
        )


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
        size: tuple[int, int] = (sets, len(attention))
        noise = torch.randn(size, generator=generator, dtype=attention.dtype)
        return spread * noise - torch.tensor(float(len(attention))).log()

    return texts.drawn(seed, "instance-adversary", draw, elsewhere=NOWHERE)
