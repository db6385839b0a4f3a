"""
`leave-one-out` against the published way, on a BiLSTM of the published size: for a batch of texts
of one length, a full forward pass for each column that is deleted. The longer an LSTM remembers a
token, the less is gained on long texts: these weights are untrained, and one that forgets nothing
is measured beside them.
"""

import time
from typing import List

import torch

from attention_explain.interpret.erasing import LeaveOneOut
from attention_explain.interpret.text_batch import TextBatch
from attention_explain.models import AttentionClassifier
from attention_explain.models.reading import Reading
from attention_explain.untouched import untouched
from benchmarks.harness import Result, compare, one_thread
from benchmarks.lrp import TEXTS, predictor

# What is added to the forget gates' bias, tokens of a text, runs of each way, and the ratio that is
# asked for.
SIZES = (
    ("BiLSTM", 0.0, 20, 9, 2),
    ("BiLSTM", 0.0, 180, 2, 4),
    ("BiLSTM that forgets nothing", 10.0, 180, 1, 2),
)


def column_by_column(model: AttentionClassifier, batch: TextBatch) -> torch.Tensor:
    """The scores of `leave-one-out`. Shape: (batch, tokens)"""
    ids = batch.tokens["tokens"]["tokens"]

    def probabilities(ids: torch.Tensor) -> torch.Tensor:
        mask = torch.ones_like(ids, dtype=torch.bool)
        embeddings = model.embed({"tokens": {"tokens": ids}})
        return model.logits(embeddings, Reading(mask, mask)).softmax(dim=-1)

    with untouched(model), torch.no_grad():
        whole = probabilities(ids)
        without = [
            probabilities(torch.cat([ids[:, :column], ids[:, column + 1 :]], dim=1))
            for column in range(batch.length)
        ]
        return torch.stack([(whole - other).abs().sum(dim=-1) / 2 for other in without], dim=1)


@torch.no_grad()
def remember(model: AttentionClassifier, added: float) -> None:
    """Opens the forget gates."""
    for name, parameter in model.encoder.named_parameters():
        if "bias_hh" in name:
            parameter[128:256] += added


@one_thread()
def main() -> List[Result]:
    results = []
    for name, remembers, tokens, repeats, at_least in SIZES:
        explainer, batch = predictor(tokens)
        method = LeaveOneOut(explainer)
        remember(method.model, remembers)
        target = torch.zeros(len(batch), dtype=torch.long)
        scores = method.attribute_batch(batch, target).scores
        difference = (scores - column_by_column(method.model, batch)).abs().max().item()
        results.append(
            compare(
                f"leave-one-out, {name}, {TEXTS} texts of {tokens} tokens: column by column / ours",
                lambda method=method, batch=batch, target=target: method.attribute_batch(
                    batch, target
                ),
                lambda method=method, batch=batch: column_by_column(method.model, batch),
                repeats=repeats,
                clock=time.process_time,
                at_least=at_least,
                note=f"largest difference {difference:.0e}",
            )
        )
    return results


if __name__ == "__main__":
    print(*main(), sep="\n")
