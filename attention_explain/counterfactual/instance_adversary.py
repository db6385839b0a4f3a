"""How different could attention be, with the same output? Jain & Wallace 2019, section 4.2.2."""

import math
from typing import Dict, Mapping

import numpy
import torch

from attention_explain.counterfactual.adversary_search import (
    AdversaryLoss,
    Farthest,
    descend,
    start,
)
from attention_explain.counterfactual.fixed_states import FixedStates
from attention_explain.counterfactual.perturbation import Perturbation, percent
from attention_explain.counterfactual.replacement import effect
from attention_explain.errors import InputError
from attention_explain.files.perturbations import Field
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
    def perturb(self, texts: FixedStates) -> Dict[str, torch.Tensor]:
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
