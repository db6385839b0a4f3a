"""
Other attention weights for texts whose hidden states stay the same: uniform or random weights, weights
in another order, or the weights without some tokens.
"""

from collections.abc import Iterable, Mapping, Sequence

import numpy
import torch

from attention_explain.counterfactual.perturbation import FixedStates, Perturbation, percent
from attention_explain.data.attribution_scores import OtherAttention
from attention_explain.errors import InputError
from attention_explain.files.perturbations import Field
from attention_explain.modules.projections import jensen_shannon, total_variation


class Replacement(Perturbation):
    """
    A subclass gives the weights, and may say what they are called. The result has the `tvd` of the output, the `jsd` of the weights
    to the attention, whether the decision is another (`flip`), and the `probs`.
    """

    fields = {"tvd": Field.NUMBER, "jsd": Field.NUMBER, "flip": Field.FLAG, "probs": Field.LIST}
    called: str = "other weights"

    def weights(self, texts: FixedStates) -> torch.Tensor:
        """Shape: (batch, tokens)"""
        raise NotImplementedError

    def perturb(self, texts: FixedStates) -> dict[str, torch.Tensor]:
        return effect(texts, self.weights(texts))

    def found(self, results: Mapping[str, numpy.ndarray]) -> str:
        return (
            f"With {self.called} the model predicts another label for "
            f"{percent(results['flip'].mean())} of the texts; its output moves by "
            f"{results['tvd'].mean():.2f} on average (total variation)."
        )


def effect(texts: FixedStates, weights: torch.Tensor) -> dict[str, torch.Tensor]:
    """The fields of a replacement. Shape of weights: (batch, tokens)"""
    probs = texts.probs(weights)
    return {
        "tvd": total_variation(probs, texts.probs(texts.attention)),
        "jsd": jensen_shannon(weights, texts.attention),
        "flip": texts.logits(weights).argmax(dim=-1) != texts.predicted(),
        "probs": probs,
    }


@Perturbation.register("uniform")
class UniformAttention(Replacement):
    """
    Every token that attention sees gets the same weight. The model is not trained for it: for one
    that is, train with the projection `uniform`.

    Registered as a `Perturbation` with name "uniform".
    """

    called = "uniform weights"

    def weights(self, texts: FixedStates) -> torch.Tensor:
        seen = texts.attendable.to(texts.attention)
        return seen / seen.sum(dim=-1, keepdim=True)


@Perturbation.register("random")
class RandomAttention(Replacement):
    """
    Weights drawn from Dirichlet(1, ..., 1): any distribution over the tokens is as likely as any
    other.

    Registered as a `Perturbation` with name "random".

    # Parameters

    seed : `int`, optional (default = `0`)
        With the instance's id it decides the weights.
    """

    called = "random weights"

    def __init__(self, seed: int = 0) -> None:
        self.seed = seed

    def weights(self, texts: FixedStates) -> torch.Tensor:
        return texts.drawn(self.seed, "random attention", _dirichlet)


def _dirichlet(generator: torch.Generator, attention: torch.Tensor) -> torch.Tensor:
    numbers = torch.empty_like(attention).exponential_(generator=generator)
    return numbers / numbers.sum()


@Perturbation.register("other-model")
class OtherModelsAttention(Replacement):
    """
    The weights that a file has for the text of the same id and tokens. Each text must be there, with
    as many weights as it has tokens, none negative and of sum 1.

    Registered as a `Perturbation` with name "other-model".

    # Parameters

    file : `str`
        Written by `allennlp attribute`, with the method `attention`, or by `allennlp perturb`.
    column : `str`, optional (default = `"attention"`)
        Of the weights: also that of an adversary, `instance-adversary.attention`.
    """

    def __init__(self, file: str, column: str = "attention") -> None:
        self.file = file
        self.column = column
        self.reads = (file,)
        self.called = f"the weights of {file} ({column})"
        self._attention = OtherAttention(file, column)

    def check(self, texts: Iterable[tuple[str, Sequence[str]]]) -> None:
        for id_, tokens in texts:
            self._attention.weights(id_, tokens)

    def weights(self, texts: FixedStates) -> torch.Tensor:
        weights = torch.zeros(texts.attention.shape, dtype=texts.attention.dtype)
        for row, seen in enumerate(texts.attendable.cpu()):
            given = self._attention.weights(texts.ids[row], texts.words[row])
            own = torch.tensor(given, dtype=weights.dtype)
            weights[row, seen] = own / own.sum()
        return weights.to(texts.attention.device)


@Perturbation.register("permutation")
class PermutedAttention(Perturbation):
    """
    The weights of a text in another order, many times. The result has the `tvd` of the output for
    each permutation, their `median_tvd` (of an even number the mean of the middle two), `mean_tvd`
    and `max_tvd`, and the attention's largest weight `max_attention`, by which the paper bins.

    Registered as a `Perturbation` with name "permutation".

    # Parameters

    permutations : `int`, optional (default = `100`)
    seed : `int`, optional (default = `0`)
        With the instance's id it decides the permutations.
    """

    fields = {
        "tvd": Field.LIST,
        "median_tvd": Field.NUMBER,
        "mean_tvd": Field.NUMBER,
        "max_tvd": Field.NUMBER,
        "max_attention": Field.NUMBER,
    }

    def __init__(self, permutations: int = 100, seed: int = 0) -> None:
        if permutations < 1:
            raise InputError(f"permutations is {permutations}, but must be 1 or more")
        self.permutations = permutations
        self.seed = seed

    def perturb(self, texts: FixedStates) -> dict[str, torch.Tensor]:
        # Shape: (batch, permutations, tokens)
        permuted = texts.drawn(self.seed, "permutation", self._permuted)
        before = texts.probs(texts.attention).unsqueeze(1)
        # Shape: (batch, permutations)
        tvd = total_variation(texts.probs(permuted), before)
        return {
            "tvd": tvd,
            # torch's own median is the lower of the middle two.
            "median_tvd": tvd.quantile(0.5, dim=-1),
            "mean_tvd": tvd.mean(dim=-1),
            "max_tvd": tvd.amax(dim=-1),
            "max_attention": texts.attention.amax(dim=-1),
        }

    def found(self, results: Mapping[str, numpy.ndarray]) -> str:
        return (
            "With its weights in another order the output of a text moves by "
            f"{results['median_tvd'].mean():.2f} in the median permutation and by "
            f"{results['max_tvd'].mean():.2f} in the worst of {self.permutations} (total variation, "
            "mean over the texts)."
        )

    def _permuted(self, generator: torch.Generator, attention: torch.Tensor) -> torch.Tensor:
        keys = torch.rand(self.permutations, len(attention), generator=generator)
        return attention[keys.argsort(dim=-1)]


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
