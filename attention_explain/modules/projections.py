"""
Projections: from one score a token to one weight a token, a point on the probability simplex; and
numbers about such distributions, batched and masked.

Every projection is masked: weights of hidden positions are exactly 0, and they change nothing.
Which scores go in is the business of `scorers`; this file knows nothing of hidden states.
"""

import math
from collections.abc import Callable

import torch
from allennlp.common import Registrable
from entmax import entmax15, entmax_bisect, sparsemax

from attention_explain.errors import InputError


class Projection(torch.nn.Module, Registrable):
    """
    A map from scores to weights on the simplex, over the last dimension.

    `forward` treats the mask; a subclass implements `project`, which sees `-inf` at the positions
    that must get no weight.
    """

    default_implementation = "softmax"

    # Whether the weights depend on the scores at all. If not, no scorer need be trained.
    uses_scores: bool = True

    def forward(self, scores: torch.Tensor, mask: torch.Tensor | None = None) -> torch.Tensor:
        """
        # Parameters

        scores : `torch.Tensor`
            Shape: (..., tokens)
        mask : `torch.BoolTensor`, optional
            Shape: broadcastable to (..., tokens). True where a weight may be given.

        # Returns

        weights : `torch.Tensor`
            Shape: (..., tokens). They sum to 1 and are exactly 0 where `mask` is False.
        """
        if mask is None:
            return self.project(scores)
        check_no_empty_row(mask)
        weights = self.project(scores.masked_fill(~mask, -math.inf))
        return weights.masked_fill(~mask, 0.0)

    def project(self, scores: torch.Tensor) -> torch.Tensor:
        """Weights from scores, which are `-inf` at hidden positions. Shape: (..., tokens)"""
        raise NotImplementedError


EMPTY_ROW = (
    "attention over a fully masked row is undefined: an instance has no token it can attend to; "
    "drop empty texts before they reach the model"
)


def check_no_empty_row(mask: torch.Tensor) -> None:
    """
    No distribution exists over no token: an all-masked row is an error, never NaN. A GPU finds it by
    itself, later, since asking it would let the host wait at every projection of every layer.
    """
    none_empty = mask.any(dim=-1).all()
    if not on_host(mask):
        torch._assert_async(none_empty, EMPTY_ROW)
    elif not bool(none_empty):
        raise InputError(EMPTY_ROW)


def on_host(values: torch.Tensor) -> bool:
    """Whether the host can look at them without waiting for a device."""
    return values.device.type == "cpu"


def _sorted(project: Callable[..., torch.Tensor], scores: torch.Tensor) -> torch.Tensor:
    """
    A projection that sorts. It raises for a score that is NaN or infinite: such a row has NaN weights, as
    with softmax.
    """
    bad = (scores.isnan() | scores.isposinf()).any(dim=-1, keepdim=True)
    return project(scores.masked_fill(bad, 0.0), dim=-1).masked_fill(bad, math.nan)


@Projection.register("softmax")
class Softmax(Projection):
    """
    exp(z) normalised: every token gets a weight above 0.

    Registered as a `Projection` with name "softmax".
    """

    def project(self, scores: torch.Tensor) -> torch.Tensor:
        return torch.softmax(scores, dim=-1)


@Projection.register("sparsemax")
class Sparsemax(Projection):
    """
    The Euclidean projection on the simplex: argmin_p ||p - z||^2 (Martins & Astudillo 2016).

    Registered as a `Projection` with name "sparsemax".
    """

    def project(self, scores: torch.Tensor) -> torch.Tensor:
        return _sorted(sparsemax, scores)


@Projection.register("entmax15")
class Entmax15(Projection):
    """
    alpha-entmax with alpha = 1.5, exact (Peters, Niculae & Martins 2019).

    Registered as a `Projection` with name "entmax15".
    """

    def project(self, scores: torch.Tensor) -> torch.Tensor:
        return _sorted(entmax15, scores)


@Projection.register("entmax")
class Entmax(Projection):
    """
    alpha-entmax: softmax at alpha = 1, sparsemax at alpha = 2, sparser as alpha grows.

    With `learned`, alpha = 1 + sigmoid(a) is trained with the model and stays between 1 and 2
    (Correia, Niculae & Martins 2019).

    Registered as a `Projection` with name "entmax".

    # Parameters

    alpha : `float`, optional (default = `1.5`)
        Fixed value, or the start value where it is learned.
    learned : `bool`, optional (default = `False`)
    """

    def __init__(self, alpha: float = 1.5, learned: bool = False) -> None:
        super().__init__()
        if alpha < 1:
            raise InputError(f"entmax is defined for alpha >= 1, but alpha is {alpha}")
        if learned and not 1 < alpha < 2:
            raise InputError(f"a learned alpha stays between 1 and 2 and cannot start at {alpha}")
        self._fixed_alpha = None if learned else alpha
        if learned:
            start = math.log((alpha - 1) / (2 - alpha))
            self.alpha_logit = torch.nn.Parameter(torch.tensor(start))

    @property
    def alpha(self) -> torch.Tensor:
        """The current alpha, as a scalar tensor where it is learned and a float where not."""
        if self._fixed_alpha is not None:
            return self._fixed_alpha
        return 1 + torch.sigmoid(self.alpha_logit)

    def project(self, scores: torch.Tensor) -> torch.Tensor:
        # The exact algorithms are faster than bisection and have no tolerance.
        if self._fixed_alpha == 1:
            return torch.softmax(scores, dim=-1)
        if self._fixed_alpha == 1.5:
            return _sorted(entmax15, scores)
        if self._fixed_alpha == 2:
            return _sorted(sparsemax, scores)
        return entmax_bisect(scores, alpha=self.alpha, dim=-1)


@Projection.register("sparsegen")
class Sparsegen(Projection):
    """
    sparsegen-lin: argmin_p ||p - z||^2 - lambda ||p||^2 = sparsemax(z / (1 - lambda)), sparser as
    lambda grows towards 1; lambda = 0 is sparsemax (Laha et al. 2018).

    Registered as a `Projection` with name "sparsegen"; in configs its parameter is `lambda_`.

    # Parameters

    lambda_ : `float`, optional (default = `0.0`)
        Below 1; negative values are denser than sparsemax.
    """

    def __init__(self, lambda_: float = 0.0) -> None:
        super().__init__()
        if not lambda_ < 1:
            raise InputError(f"sparsegen is defined for lambda_ < 1, but it is {lambda_}")
        self.lambda_ = lambda_

    def project(self, scores: torch.Tensor) -> torch.Tensor:
        return _sorted(sparsemax, scores / (1 - self.lambda_))


@Projection.register("uniform")
class Uniform(Projection):
    """
    The same weight for every token, whatever its score (Wiegreffe & Pinter 2019, section 3.1).

    Registered as a `Projection` with name "uniform".
    """

    uses_scores = False

    def forward(self, scores: torch.Tensor, mask: torch.Tensor | None = None) -> torch.Tensor:
        if mask is None:
            return torch.full_like(scores, 1 / scores.size(-1))
        check_no_empty_row(mask)
        seen = mask.expand_as(scores).to(scores.dtype)
        return seen / seen.sum(dim=-1, keepdim=True)


@Projection.register("guide")
class Guide(Projection):
    """
    Weights that are given with the instance, as they are: instead of scores they come in
    (Wiegreffe & Pinter 2019, section 3.4). The dataset reader's option `guide` names their file.

    Registered as a `Projection` with name "guide".
    """

    uses_scores = False

    def project(self, scores: torch.Tensor) -> torch.Tensor:
        return scores


def entropy(weights: torch.Tensor) -> torch.Tensor:
    """
    Shannon entropy in nats over the last dimension, with 0 log 0 = 0. Shape: (..., n) -> (...)
    """
    return torch.special.entr(weights).sum(dim=-1)


def normalized_entropy(weights: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
    """
    Entropy divided by log n, its largest value over n tokens: 1 is uniform, 0 is a single token.
    Undefined (NaN) for a text of one token. Shape: (batch, tokens) -> (batch,)
    """
    tokens = mask.sum(dim=-1)
    value = entropy(weights) / tokens.to(weights.dtype).log()
    return torch.where(tokens > 1, value, torch.nan)


def zero_share(weights: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
    """
    The share of the tokens that get no weight at all. Shape: (batch, tokens) -> (batch,)
    """
    zeros = (weights == 0) & mask
    return zeros.sum(dim=-1) / mask.sum(dim=-1)


def total_variation(first: torch.Tensor, second: torch.Tensor) -> torch.Tensor:
    """
    Half the sum of the absolute differences: for two classes the difference of the probability.
    Shape: (..., n) -> (...)
    """
    return (first - second).abs().sum(dim=-1) / 2


def jensen_shannon(first: torch.Tensor, second: torch.Tensor) -> torch.Tensor:
    """
    Divergence in nats, at most log 2, with 0 log 0 = 0. Shape: (..., n) -> (...)
    """
    middle = (first + second) / 2
    # Rounding can make the difference of entropies negative for distributions that are nearly one.
    return (entropy(middle) - (entropy(first) + entropy(second)) / 2).clamp(min=0)
