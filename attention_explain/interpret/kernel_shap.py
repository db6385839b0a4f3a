"""Kernel SHAP: Shapley values by weighted least squares."""

import torch
from allennlp.interpret.saliency_interpreters import SaliencyInterpreter
from allennlp.predictors import Predictor

from attention_explain.interpret.coalitions import (
    CoalitionInterpreter,
    all_coalitions,
    random_coalitions,
)
from attention_explain.interpret.interpreter import declared_passes
from attention_explain.interpret.memory import MEMORY, most_tokens

# For each token of each coalition, in the regression and before.
BYTES = 32.0


@SaliencyInterpreter.register("kernel-shap")
class KernelShap(CoalitionInterpreter):
    """
    The Shapley value of each token, in the game whose players are the tokens and whose value is the
    class output with only those present (Lundberg & Lee 2017, theorem 2). A text of n tokens with
    2^n <= `samples` gets its exact values. Otherwise coalitions are drawn by the Shapley kernel,
    each with its complement (Covert & Lee 2021), at least 2n of them, because fewer than n would
    not determine the values. The scores always sum to the output of the text less that of the
    baseline.

    Registered as a `SaliencyInterpreter` with name "kernel-shap".

    # Parameters

    samples : `int`, optional (default = `512`)
    of : `str`, optional (default = `"probability"`)
        `probability` or `logit` of the class.
    baseline : `str`, optional (default = `"zero"`)
        What stands for an absent token: `zero`, or the embedding of a symbol, `pad`, `unk` or `mask`.
    seed : `int`, optional (default = `0`)
    memory : `float`, optional (default = `2`)
        In GB. The coalitions of a long text do not fit into it: such a text is skipped.
    """

    sums_to = "output of the text - output of the baseline"

    def __init__(
        self,
        predictor: Predictor,
        samples: int = 512,
        of: str = "probability",
        baseline: str = "zero",
        seed: int = 0,
        memory: float = MEMORY,
    ) -> None:
        super().__init__(predictor, samples, of, baseline, seed)
        self.memory = memory
        self.max_tokens = most_tokens(
            lambda tokens: tokens * max(samples, 2 * tokens), BYTES, memory
        )
        self.passes = declared_passes("kernel-shap", samples=samples)

    def coalitions(self, tokens: int, generator: torch.Generator) -> torch.Tensor:
        """The empty one and the whole text first, and neither among the others."""
        ends = torch.tensor([[False], [True]]).expand(2, tokens)
        if self._tries_all(tokens):
            return torch.cat([ends, all_coalitions(tokens)[1:-1]])
        draws = max(self.samples // 2, tokens)
        drawn = torch.multinomial(_kernel(tokens), draws, replacement=True, generator=generator)
        one_half = random_coalitions(drawn + 1, tokens, generator)
        return torch.cat([ends, one_half, ~one_half])

    def explain(
        self, present: torch.Tensor, outputs: torch.Tensor
    ) -> tuple[torch.Tensor, dict[str, float]]:
        empty, whole = outputs[:2]
        present, tokens = present[2:], present.size(1)
        # Drawn by the kernel, they all count the same.
        weights = torch.ones(len(present), dtype=torch.double)
        if self._tries_all(tokens):
            size = present.sum(dim=-1)
            number = torch.bincount(size, minlength=tokens)
            weights = _kernel(tokens)[size - 1] / number[size]
        return shapley_regression(present, weights, outputs[2:] - empty, whole - empty), {}

    def _tries_all(self, tokens: int) -> bool:
        # The first test keeps huge powers away.
        return tokens < 63 and 2**tokens <= self.samples


def _kernel(tokens: int) -> torch.Tensor:
    """
    The Shapley kernel over all coalitions of each size from 1 to n - 1, up to a factor.
    Shape: (tokens - 1,)
    """
    sizes = torch.arange(1, tokens, dtype=torch.double)
    return 1 / (sizes * (tokens - sizes))


def shapley_regression(
    present: torch.Tensor, weights: torch.Tensor, values: torch.Tensor, total: torch.Tensor
) -> torch.Tensor:
    """
    The scores that minimise the weighted squares of (values - scores of those present) among all
    that sum to `total`. Shape: (coalitions, tokens), (coalitions,), (coalitions,), () -> (tokens,)
    """
    if present.size(1) == 1:
        return total.unsqueeze(0)
    # The last token's score is what the others leave of the total.
    last = present[:, -1:].double()
    root = weights.sqrt().unsqueeze(-1)
    # In position: of a long text this is what takes the memory.
    others = present[:, :-1].double().sub_(last).mul_(root)
    wanted = (values - last.squeeze(-1) * total).unsqueeze(-1)
    # gelsd takes the shortest solution where the coalitions leave a choice.
    scores = torch.linalg.lstsq(others, root * wanted, driver="gelsd").solution.squeeze(-1)
    return torch.cat([scores, (total - scores.sum()).unsqueeze(0)])
