"""LIME: a linear model that is faithful near the text."""

import torch
from allennlp.interpret.saliency_interpreters import SaliencyInterpreter
from allennlp.predictors import Predictor

from attention_explain.errors import InputError
from attention_explain.interpret.coalitions import (
    CoalitionInterpreter,
    random_coalitions,
)
from attention_explain.interpret.interpreter import declared_passes


@SaliencyInterpreter.register("lime")
class Lime(CoalitionInterpreter):
    """
    The weights of a linear model of the class output, fitted to texts with random tokens absent
    (Ribeiro et al. 2016): how many are absent is uniform, a text counts by the paper's
    exp(-d^2 / width^2) with the cosine distance d to the whole text, and the fit is a ridge
    regression. Width and ridge are those of their package for text, which takes the root of the
    kernel: a `width` of 0.354 here is its 25. Each text reports its weighted R^2, `fit`: a low one says that no
    linear model describes the output near this text.

    Registered as a `SaliencyInterpreter` with name "lime".

    # Parameters

    samples : `int`, optional (default = `512`)
    width : `float`, optional (default = `0.25`)
        Of the kernel.
    ridge : `float`, optional (default = `1.0`)
        Strength of the regularisation.
    of : `str`, optional (default = `"probability"`)
        `probability` or `logit` of the class.
    baseline : `str`, optional (default = `"zero"`)
        What stands for an absent token: `zero`, or the embedding of a symbol, `pad`, `unk` or `mask`.
    seed : `int`, optional (default = `0`)
    """

    def __init__(
        self,
        predictor: Predictor,
        samples: int = 512,
        width: float = 0.25,
        ridge: float = 1.0,
        of: str = "probability",
        baseline: str = "zero",
        seed: int = 0,
    ) -> None:
        super().__init__(predictor, samples, of, baseline, seed)
        if not width > 0 or not ridge > 0:
            raise InputError(f"width and ridge must be above 0, but are {width} and {ridge}")
        self.width = width
        self.ridge = ridge
        self.passes = declared_passes("lime", samples=samples)

    def coalitions(self, tokens: int, generator: torch.Generator) -> torch.Tensor:
        # The text itself, and from 0 to all but one of its tokens.
        sizes = torch.randint(0, tokens, (self.samples - 1,), generator=generator)
        sizes = torch.cat([torch.tensor([tokens]), sizes])
        return random_coalitions(sizes, tokens, generator)

    def explain(
        self, present: torch.Tensor, outputs: torch.Tensor
    ) -> tuple[torch.Tensor, dict[str, float]]:
        # Half a second to load, and only LIME needs it.
        from sklearn.linear_model import Ridge

        # Cosine distance between a coalition of that size and the whole text, as 0/1 vectors.
        distance = 1 - present.double().mean(dim=-1).sqrt()
        closeness = torch.exp(-((distance / self.width) ** 2)).numpy()
        inputs, outputs = present.double().numpy(), outputs.numpy()
        linear = Ridge(alpha=self.ridge).fit(inputs, outputs, closeness)
        fit = linear.score(inputs, outputs, closeness)
        return torch.from_numpy(linear.coef_), {"fit": fit}
