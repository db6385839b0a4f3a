"""How much must go until the decision flips? Serrano & Smith 2019, section 5."""

from collections.abc import Mapping

import numpy
import torch

from attention_explain.counterfactual.fixed_states import FixedStates
from attention_explain.counterfactual.perturbation import Perturbation, percent
from attention_explain.files.perturbations import Field

ORDERS = ("attention", "gradient", "gradient_x_attention", "random")


@Perturbation.register("removal-order")
class RemovalOrder(Perturbation):
    """
    Weights are set to 0 one after the other and the rest is renormalised, from the first of an
    order to its last: by attention, by the gradient of the predicted class's probability with
    respect to the weight, by their product, and at random; the largest first, of equals the
    earlier token.

    For each order, `ORDER_fraction` is the share of the text's tokens that are gone at the first
    other decision, and `ORDER_flipped` whether there is one. If there is none as long as any weight
    is left, all tokens have to go: the fraction is 1. (The paper leaves such texts out, and those
    of one token.) Tokens without weight count like any other.

    Registered as a `Perturbation` with name "removal-order".

    # Parameters

    seed : `int`, optional (default = `0`)
        With the instance's id it decides the random order.
    """

    fields = {
        f"{order}_{name}": kind
        for order in ORDERS
        for name, kind in (("fraction", Field.NUMBER), ("flipped", Field.FLAG))
    }

    def __init__(self, seed: int = 0) -> None:
        self.seed = seed

    def perturb(self, texts: FixedStates) -> dict[str, torch.Tensor]:
        gradient = decision_gradient(texts)
        importance = {
            "attention": texts.attention,
            "gradient": gradient,
            "gradient_x_attention": gradient * texts.attention,
            "random": texts.keys(self.seed, "removal-order"),
        }
        result = {}
        for order in ORDERS:
            removed = removed_at_flip(texts, importance[order])
            flipped = removed < texts.lengths()
            result[f"{order}_fraction"] = removed / texts.lengths()
            result[f"{order}_flipped"] = flipped
        return result

    def found(self, results: Mapping[str, numpy.ndarray]) -> str:
        gone = {order: percent(results[f"{order}_fraction"].mean()) for order in ORDERS}
        return (
            f"Until it predicts another label, {gone['attention']} of a text's tokens must go in the "
            f"order of attention, {gone['gradient']} by gradient, {gone['gradient_x_attention']} by "
            f"gradient x attention, {gone['random']} at random (means; 100 % where it never does)."
        )


def decision_gradient(texts: FixedStates) -> torch.Tensor:
    """
    Of the predicted class's probability p_c, by each weight: by the logits l it is p_c (1_c - p_l),
    and a weight moves them by the votes of its token, without the bias, which no weight moves.
    Shape: (batch, tokens)
    """
    weights = texts.attention.unsqueeze(1)
    probs = texts.probs(weights)
    own = torch.nn.functional.one_hot(probs.argmax(dim=-1), probs.size(-1)).to(probs)
    by_logits = (own * probs).sum(dim=-1, keepdim=True) * (own - probs)
    by_votes = texts.slope(weights, by_logits)
    return torch.bmm(texts.votes - texts.bias, by_votes.transpose(1, 2)).squeeze(-1)


def removed_at_flip(texts: FixedStates, importance: torch.Tensor) -> torch.Tensor:
    """
    How many tokens are gone when the decision first is another one, the most important first; all
    of them if it never is. Shape: (batch,)
    """
    order = importance.masked_fill(~texts.attendable, -torch.inf)
    order = order.argsort(dim=-1, descending=True, stable=True)
    weights = texts.attention.gather(1, order)
    votes = texts.votes.gather(1, order.unsqueeze(-1).expand_as(texts.votes))
    # What is left after each number of removals is a sum from there to the end: all prefixes at
    # once. Shape: (batch, tokens, votes)
    left = (weights.unsqueeze(-1) * votes).flip(1).cumsum(dim=1).flip(1)
    total = weights.flip(1).cumsum(dim=1).flip(1)
    any_left = total > 0
    if texts.finish is not None:
        # Of logits, renormalising would divide all by one number, which changes no decision.
        left = texts.finish(left / torch.where(any_left, total, 1.0).unsqueeze(-1))
    flips = (left.argmax(dim=-1) != texts.predicted().unsqueeze(1)) & any_left
    # Nothing is removed at 0, which may differ by rounding alone.
    flips[:, 0] = False
    first = flips.to(torch.uint8).argmax(dim=-1)
    return torch.where(flips.any(dim=-1), first, texts.lengths())
