"""
`instance-adversary` for a batch of texts against one text at a time; and against the
straightforward way to do that, each step a pass through the model's decoder for every set, and
torch's own gradients.
"""

import time

import torch

from attention_explain.counterfactual.instance_adversary import Farthest, InstanceAdversary, start
from attention_explain.counterfactual.perturbation import FixedStates
from attention_explain.interpret.text_batch import TextBatch
from attention_explain.models import AttentionClassifier
from attention_explain.modules.projections import jensen_shannon, total_variation
from benchmarks.harness import Result, compare, one_thread
from benchmarks.lrp import predictor, single_texts

TEXTS = 64
TOKENS = 180
# Every step takes the same time, so fewer than the published 500 give the same ratio.
STEPS = 50


def one_by_one(
    method: InstanceAdversary, model: AttentionClassifier, batch: TextBatch
) -> torch.Tensor:
    """The largest JSD of each text. Shape: (batch,)"""
    return torch.cat([_farthest(method, model, text) for text in single_texts(batch)])


def _farthest(
    method: InstanceAdversary, model: AttentionClassifier, text: TextBatch
) -> torch.Tensor:
    with torch.no_grad():
        states = model.encode(model.embed(text.tokens), text.inputs)
        attention = model.attend(states, text.inputs)
        before = model.decode(states, attention).softmax(dim=-1)
    states = states.expand(method.sets, -1, -1)
    fixed = FixedStates.of(model, text)
    logits = start(fixed, method.sets, method.spread, method.seed)[0].float().requires_grad_()
    optimizer = torch.optim.Adam([logits], lr=method.lr, amsgrad=True)
    for _ in range(method.steps):
        weights = logits.softmax(dim=-1)
        after = model.decode(states, weights).softmax(dim=-1)
        too_far = torch.relu(total_variation(after, before) - method.margin)
        loss = (method.penalty * too_far - jensen_shannon(weights, attention)).sum()
        loss = loss - jensen_shannon(weights.unsqueeze(0), weights.unsqueeze(1)).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    farthest = Farthest(fixed, method.epsilon)
    farthest.consider(logits.detach().double().unsqueeze(0))
    return farthest.jsd


@one_thread()
def main() -> list[Result]:
    explainer, batch = predictor(TOKENS, TEXTS)
    model: AttentionClassifier = explainer._model
    model.requires_grad_(False)
    method = InstanceAdversary(steps=STEPS)

    def together() -> torch.Tensor:
        return method.perturb(FixedStates.of(model, batch))["max_jsd"]

    def alone() -> torch.Tensor:
        texts = [FixedStates.of(model, text) for text in single_texts(batch)]
        return torch.cat([method.perturb(text)["max_jsd"] for text in texts])

    def straightforward() -> torch.Tensor:
        return one_by_one(method, model, batch)

    setting = f"BiLSTM, {TEXTS} texts of {TOKENS} tokens, {method.sets} sets, {STEPS} steps"
    results = [
        compare(
            f"instance-adversary, {setting}: {name} / in a batch",
            together,
            other,
            repeats=3,
            at_least=3,
            note=f"largest difference of JSD {(together() - other()).abs().max().item():.0e}",
            clock=time.process_time,
        )
        for name, other in (
            ("one text at a time", alone),
            ("one text at a time by torch's gradients", straightforward),
        )
    ]
    return results


if __name__ == "__main__":
    print(*main(), sep="\n")
