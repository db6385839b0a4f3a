"""
What methods share that run the model on subsets of a text's tokens ("coalitions"), the others
replaced by a baseline: Kernel SHAP and LIME.

Not captum's: there, samples come one by one from torch's global generator, all coalitions cannot be
had even where they are few, and the sum of SHAP values is kept by a weight of 10^6 in single
precision instead of exactly.
"""

from typing import Callable, Dict, Tuple

import torch
from allennlp.common.checks import ConfigurationError
from allennlp.predictors import Predictor

from attention_explain.interpret.baselines import baseline_embeddings, check_baseline
from attention_explain.interpret.interpreter import Attribution, Interpreter
from attention_explain.interpret.outputs import (
    check_output,
    class_output,
    logits_from_embeddings,
)
from attention_explain.interpret.seeds import generator_for
from attention_explain.interpret.text_batch import TextBatch

# From coalitions, (samples, tokens) and True where present, to the output, (samples,).
Game = Callable[[torch.Tensor], torch.Tensor]


class CoalitionInterpreter(Interpreter):
    """
    A method that explains each text by the model's output on coalitions of its tokens. A subclass
    implements `explain`. Boundary symbols are in all coalitions.

    # Parameters

    samples : `int`
        Coalitions a text.
    of : `str`
        `probability` or `logit` of the class.
    baseline : `str`
        What stands for an absent token: `zero`, or the embedding of the `pad` or the `unk` symbol.
    seed : `int`
    """

    signed = True
    deterministic = False

    def __init__(
        self, predictor: Predictor, samples: int, of: str, baseline: str, seed: int
    ) -> None:
        super().__init__(predictor)
        if samples < 2:
            raise ConfigurationError(f"samples must be at least 2, but is {samples}")
        self.samples = samples
        self.of = check_output(of)
        self.baseline = check_baseline(baseline)
        self.seed = seed

    def explain(
        self, tokens: int, game: Game, generator: torch.Generator
    ) -> Tuple[torch.Tensor, Dict[str, float]]:
        """One score a token, Shape: (tokens,), and the checks, of one text."""
        raise NotImplementedError

    def attribute(self, batch: TextBatch, target: torch.Tensor) -> Attribution:
        scores = torch.zeros(batch.mask.shape, dtype=torch.double, device=batch.mask.device)
        checks = []
        for row, text in enumerate(batch.one_by_one()):
            found, text_checks = self.explain(
                tokens=int(text.attendable.sum()),
                game=self.game(text, target[row : row + 1]),
                generator=generator_for(self.seed, text.ids[0], type(self).__name__),
            )
            scores[row, batch.attendable[row]] = found.to(scores)
            checks.append(text_checks)
        return Attribution(
            scores.to(next(self.model.parameters()).dtype),
            {
                name: scores.new_tensor([text_checks[name] for text_checks in checks])
                for name in checks[0]
            },
        )

    def game(self, text: TextBatch, target: torch.Tensor) -> Game:
        """The output for a coalition of this one text's tokens, as float64 on the CPU."""
        embeddings = self.model.embed(text.tokens).detach()
        baseline = baseline_embeddings(self.model, text, embeddings, self.baseline)
        (seen,) = text.attendable

        @torch.no_grad()
        def outputs(present: torch.Tensor) -> torch.Tensor:
            # In a short text the same coalition is drawn again and again.
            present, place = present.to(seen.device).unique(dim=0, return_inverse=True)
            found = []
            for some in present.split(text.rows_per_pass()):
                kept = torch.ones(len(some), text.length, dtype=torch.bool, device=seen.device)
                kept[:, seen] = some
                logits = logits_from_embeddings(
                    self.model,
                    torch.where(kept.unsqueeze(-1), embeddings, baseline),
                    text.mask.expand(len(some), -1),
                    text.attendable.expand(len(some), -1),
                )
                found.append(class_output(logits, target.expand(len(some)), self.of))
            return torch.cat(found)[place].double().cpu()

        return outputs


def all_coalitions(tokens: int) -> torch.Tensor:
    """Shape: (2 ** tokens, tokens), the empty one first and the whole text last."""
    return (torch.arange(2**tokens).unsqueeze(-1) >> torch.arange(tokens)) % 2 == 1


def random_coalitions(sizes: torch.Tensor, tokens: int, generator: torch.Generator) -> torch.Tensor:
    """
    One of each size, any set of that size as likely as another. Shape: (len(sizes), tokens)
    """
    ranks = torch.rand(len(sizes), tokens, generator=generator).argsort(dim=-1).argsort(dim=-1)
    return ranks < sizes.unsqueeze(-1)
