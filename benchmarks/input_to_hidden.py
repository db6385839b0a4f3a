"""
`input-to-hidden` against a loop of backward passes, one for each state, on a BiLSTM of the
published size: a text at a time, and of the whole batch at once. Of a whole batch of short texts
the loop is not bad, and 5 times its speed not to be had.
"""

import torch

from attention_explain.interpret.input_to_hidden import InputToHidden
from attention_explain.interpret.text_batch import TextBatch
from attention_explain.models import AttentionClassifier
from attention_explain.modules.projections import normalized_entropy
from attention_explain.passes import untouched
from benchmarks.harness import Result, compare
from benchmarks.lrp import TEXTS, predictor, single_texts

# Tokens of a text, texts that share a backward pass, runs of each way, ratio that is asked for.
CASES = ((20, 1, 3, 5), (20, TEXTS, 9, None), (180, TEXTS, 3, 5))


def state_by_state(model: AttentionClassifier, batch: TextBatch) -> torch.Tensor:
    """The entropies of `input-to-hidden`. Shape: (batch, tokens)"""
    with untouched(model):
        embeddings = model.embed(batch.tokens).detach().requires_grad_()
        norms = torch.linalg.vector_norm(model.encode(embeddings, batch.inputs), dim=-1)
        entropies = []
        for state in range(batch.length):
            (gradient,) = torch.autograd.grad(norms[:, state].sum(), embeddings, retain_graph=True)
            importance = torch.linalg.vector_norm(gradient, dim=-1)
            importance = importance / importance.sum(dim=-1, keepdim=True)
            entropies.append(normalized_entropy(importance, batch.mask))
        return torch.stack(entropies, dim=1)


def main() -> list[Result]:
    results = []
    for tokens, together, repeats, at_least in CASES:
        explainer, batch = predictor(tokens)
        method = InputToHidden(explainer)
        target = torch.zeros(len(batch), dtype=torch.long)
        parts = [batch] if together == TEXTS else single_texts(batch)

        def ours(method=method, batch=batch, target=target) -> torch.Tensor:
            return method.attribute_batch(batch, target).scores

        def loop(model=method.model, parts=parts) -> torch.Tensor:
            return torch.cat([state_by_state(model, part) for part in parts])

        difference = (ours() - loop()).abs().max().item()
        results.append(
            compare(
                f"input-to-hidden, BiLSTM, {TEXTS} texts of {tokens} tokens: "
                f"loop over states, {together} texts together / ours",
                ours,
                loop,
                repeats=repeats,
                at_least=at_least,
                note=f"largest difference {difference:.0e}",
            )
        )
    return results


if __name__ == "__main__":
    torch.set_num_threads(2)
    print(*main(), sep="\n")
