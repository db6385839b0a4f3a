"""
`input-to-hidden` against a loop of backward passes, one for each state (of the whole batch at
once), on a BiLSTM of the published size.
"""

from typing import List

import torch

from attention_explain.interpret.input_to_hidden import InputToHidden
from attention_explain.interpret.outputs import untouched
from attention_explain.interpret.text_batch import TextBatch
from attention_explain.models import AttentionClassifier
from attention_explain.modules.distributions import normalized_entropy
from benchmarks.harness import Result, compare
from benchmarks.lrp import TEXTS, predictor

# Tokens of a text, and runs of each way.
SIZES = ((20, 9), (180, 3))


def state_by_state(model: AttentionClassifier, batch: TextBatch) -> torch.Tensor:
    """The entropies of `input-to-hidden`. Shape: (batch, tokens)"""
    with untouched(model):
        embeddings = model.embed(batch.tokens).detach().requires_grad_()
        norms = torch.linalg.vector_norm(model.encode(embeddings, batch.mask), dim=-1)
        entropies = []
        for state in range(batch.length):
            (gradient,) = torch.autograd.grad(norms[:, state].sum(), embeddings, retain_graph=True)
            importance = torch.linalg.vector_norm(gradient, dim=-1)
            importance = importance / importance.sum(dim=-1, keepdim=True)
            entropies.append(normalized_entropy(importance, batch.mask))
        return torch.stack(entropies, dim=1)


def main() -> List[Result]:
    results = []
    for tokens, repeats in SIZES:
        explainer, batch = predictor(tokens)
        method = InputToHidden(explainer)
        target = torch.zeros(len(batch), dtype=torch.long)
        scores = method.attribute_batch(batch, target).scores
        difference = (scores - state_by_state(method.model, batch)).abs().max().item()
        results.append(
            compare(
                f"input-to-hidden, BiLSTM, {TEXTS} texts of {tokens} tokens: state by state / ours",
                lambda method=method, batch=batch, target=target: method.attribute_batch(
                    batch, target
                ),
                lambda method=method, batch=batch: state_by_state(method.model, batch),
                repeats=repeats,
                at_least=5,
                note=f"largest difference {difference:.0e}",
            )
        )
    return results


if __name__ == "__main__":
    torch.set_num_threads(2)
    print(*main(), sep="\n")
