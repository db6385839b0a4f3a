"""Does the largest weight matter more than another one? Serrano & Smith 2019, section 4."""

from collections.abc import Mapping

import numpy
import torch

from attention_explain.counterfactual.fixed_states import FixedStates
from attention_explain.counterfactual.perturbation import Perturbation, percent
from attention_explain.counterfactual.replacement import effect
from attention_explain.files.perturbations import Field
from attention_explain.modules.projections import jensen_shannon


@Perturbation.register("drop-top")
class DropTop(Perturbation):
    """
    The largest weight set to 0 and the rest renormalised, against the same with one of the other
    tokens at random. For each of the two (`top_` and `random_`) the `weight` that was dropped, and
    `tvd`, `jsd` and `flip` of the output. All are undefined where nothing is left: for a text of one
    token, or one with all weight on one.

    Registered as a `Perturbation` with name "drop-top".

    # Parameters

    seed : `int`, optional (default = `0`)
        With the instance's id it decides which other token is dropped.
    """

    fields = {
        f"{dropped}_{name}": Field.FLAG if name == "flip" else Field.NUMBER
        for dropped in ("top", "random")
        for name in ("weight", "tvd", "jsd", "flip")
    }

    def __init__(self, seed: int = 0) -> None:
        self.seed = seed

    def perturb(self, texts: FixedStates) -> dict[str, torch.Tensor]:
        # Shape: (batch, 1) each
        top = texts.attention.argmax(dim=-1, keepdim=True)
        keys = texts.keys(self.seed, "drop-top")
        other = keys.scatter(1, top, -1.0).argmax(dim=-1, keepdim=True)
        defined = texts.attention.gather(1, top).squeeze(1) < 1
        result = {
            **_dropped(texts, top, "top"),
            **_dropped(texts, other, "random"),
        }
        return {name: torch.where(defined, value, torch.nan) for name, value in result.items()}

    def found(self, results: Mapping[str, numpy.ndarray]) -> str:
        top, other = (numpy.nanmean(results[f"{name}_flip"]) for name in ("top", "random"))
        return (
            f"Without its largest weight the model predicts another label for {percent(top)} of the "
            f"texts, without another weight at random for {percent(other)}."
        )


def _dropped(texts: FixedStates, position: torch.Tensor, name: str) -> dict[str, torch.Tensor]:
    left = texts.attention.scatter(1, position, 0.0)
    after = effect(texts, left / left.sum(dim=-1, keepdim=True))
    return {
        f"{name}_weight": texts.attention.gather(1, position).squeeze(1),
        f"{name}_tvd": after["tvd"],
        f"{name}_jsd": jensen_shannon(after["probs"], texts.probs(texts.attention)),
        f"{name}_flip": after["flip"],
    }
