"""
What methods share that run the model on subsets of a text's tokens ("coalitions"), the others
replaced by a baseline: Kernel SHAP and LIME.

Not captum's: there, samples come one by one from torch's global generator, all coalitions cannot be
had even where they are few, and the sum of SHAP values is kept by a weight of 10^6 in single
precision instead of exactly.
"""

from collections.abc import Sequence

import torch
from allennlp.predictors import Predictor

from attention_explain.errors import InputError
from attention_explain.interpret.baselines import BASELINES, baseline_vector
from attention_explain.interpret.interpreter import Attribution, Interpreter
from attention_explain.interpret.text_batch import OUTPUTS, TextBatch, class_output
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
        Those to run the model on, for a text of so many tokens, True where a token is present.
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
            found.copy_(class_output(logits, target[some], self.of))
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
