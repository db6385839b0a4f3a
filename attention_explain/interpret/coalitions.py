"""
Methods that run the model on subsets of a text's tokens ("coalitions"), with the others replaced by a
baseline: Kernel SHAP and LIME.

Captum's versions draw samples one by one from torch's global generator, cannot enumerate all coalitions
of a short text, and keep the sum of SHAP values only by a weight of 10^6 in single precision.
"""

from collections.abc import Sequence

import torch
from allennlp.interpret.saliency_interpreters import SaliencyInterpreter
from allennlp.predictors import Predictor

from attention_explain.errors import InputError
from attention_explain.interpret.interpreter import Attribution, Interpreter, declared_passes
from attention_explain.interpret.text_batch import (
    BASELINES,
    MEMORY,
    OUTPUTS,
    TextBatch,
    baseline_vector,
    class_output,
    most_tokens,
)
from attention_explain.named_components import check_choice
from attention_explain.passes import generator_for, rows_at_once


class CoalitionInterpreter(Interpreter):
    """
    A method that explains each text by the model's output on coalitions of its tokens. A subclass
    implements `coalitions` and `explain`. Boundary symbols are in all coalitions.

    # Parameters

    samples : `int`
        Coalitions a text.
    of : `str`
        `probability` or `logit` of the class.
    baseline : `str`
        What stands for an absent token: `zero`, or the embedding of a symbol, `pad`, `unk` or `mask`.
    seed : `int`
    """

    signed = True
    deterministic = False
    goes_back = False

    def __init__(
        self, predictor: Predictor, samples: int, of: str, baseline: str, seed: int
    ) -> None:
        super().__init__(predictor)
        if samples < 2:
            raise InputError(f"samples must be at least 2, but is {samples}")
        self.samples = samples
        self.of = check_choice("of", of, OUTPUTS)
        self.baseline = check_choice("baseline", baseline, BASELINES)
        self.seed = seed

    def coalitions(self, tokens: int, generator: torch.Generator) -> torch.Tensor:
        """
        Those to run the model on, for a text of the given number of tokens, True where a token is present.
        Shape: (coalitions, tokens)
        """
        raise NotImplementedError

    def explain(
        self, present: torch.Tensor, outputs: torch.Tensor
    ) -> tuple[torch.Tensor, dict[str, float]]:
        """
        One score a token, Shape: (tokens,), and the checks, of one text, from its coalitions and
        the class output for each, float64. Shape: (coalitions, tokens), (coalitions,)
        """
        raise NotImplementedError

    @torch.no_grad()
    def attribute(self, batch: TextBatch, target: torch.Tensor) -> Attribution:
        drawn = [
            self.coalitions(
                int(seen.sum()), generator_for(self.seed, batch.ids[row], type(self).__name__)
            )
            for row, seen in enumerate(batch.seen)
        ]
        scores = torch.zeros(batch.seen.shape, dtype=torch.double)
        checks = []
        for row, (present, outputs) in enumerate(
            zip(drawn, self.outputs(batch, target, drawn), strict=True)
        ):
            scores[row, batch.seen[row]], text_checks = self.explain(present, outputs)
            checks.append(text_checks)
        return Attribution(
            scores.to(next(self.model.parameters())),
            {
                name: scores.new_tensor([text_checks[name] for text_checks in checks])
                for name in checks[0]
            },
        )

    def outputs(
        self, batch: TextBatch, target: torch.Tensor, coalitions: Sequence[torch.Tensor]
    ) -> list[torch.Tensor]:
        """
        The class output for the coalitions of each text, as float64 on the host. The texts share
        passes, and the host reads the outputs once.
        """
        embeddings = self.model.embed(batch.tokens)
        instead = baseline_vector(self.model, embeddings, self.baseline)
        # In a short text the same coalition is drawn again and again.
        distinct, positions = zip(*(each.unique(dim=0, return_inverse=True) for each in coalitions))
        numbers = [len(each) for each in distinct]
        texts = torch.arange(len(batch)).repeat_interleave(torch.tensor(numbers))
        # Boundary symbols are always there.
        absent = torch.zeros(len(texts), batch.length, dtype=torch.bool)
        for seen, rows, present in zip(batch.seen, absent.split(numbers), distinct, strict=True):
            rows[:, seen] = ~present
        device = batch.mask.device
        # Into one tensor: small tensors that stay, between large ones that go, leave holes in memory.
        outputs = embeddings.new_empty(len(texts))
        together = batch.rows_per_pass()
        for some, here, found in zip(
            texts.split(together), absent.split(together), outputs.split(together), strict=True
        ):
            some, here = some.to(device), here.to(device)
            inputs = batch.inputs.rows(some)
            replaced = inputs.at_positions(here).unsqueeze(-1)
            logits = self.model.logits(torch.where(replaced, instead, embeddings[some]), inputs)
            found.copy_(class_output(self.model, logits, target[some], self.of))
        each_text = outputs.double().cpu().split(numbers)
        return [values[position] for values, position in zip(each_text, positions, strict=True)]


def all_coalitions(tokens: int) -> torch.Tensor:
    """Shape: (2 ** tokens, tokens), the empty one first and the whole text last."""
    return (torch.arange(2**tokens).unsqueeze(-1) >> torch.arange(tokens)) % 2 == 1


def random_coalitions(sizes: torch.Tensor, tokens: int, generator: torch.Generator) -> torch.Tensor:
    """
    One of each size, any set of that size as likely as another. Shape: (len(sizes), tokens)
    """
    together = rows_at_once(tokens, "cpu")
    drawn = torch.empty(len(sizes), tokens, dtype=torch.bool)
    for some, rows in zip(sizes.split(together), drawn.split(together), strict=True):
        keys = torch.rand(len(some), tokens, generator=generator)
        torch.lt(keys.argsort(dim=-1).argsort(dim=-1), some.unsqueeze(-1), out=rows)
    return drawn


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
