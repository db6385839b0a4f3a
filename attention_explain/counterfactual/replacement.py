"""Replace the attention of each text by other weights and measure the change of the output."""

from collections.abc import Iterable, Mapping, Sequence

import numpy
import torch

from attention_explain.counterfactual.fixed_states import FixedStates
from attention_explain.counterfactual.perturbation import Perturbation, percent
from attention_explain.data.attribution_scores import OtherAttention
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
