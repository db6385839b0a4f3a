"""
`integrated-gradients` against captum's, at the same 50 steps and the same rule, on a BiLSTM of the
published size; and the memory that it takes for long texts under two budgets.
"""

import random
import resource
import subprocess
import sys
from typing import List, Tuple

import torch
from allennlp.common import Params
from allennlp.data import Instance, Vocabulary
from allennlp.data.tokenizers import WhitespaceTokenizer
from allennlp.models import Model
from captum.attr import IntegratedGradients as Captum

from attention_explain.data.attention_text import AttentionTextReader
from attention_explain.interpret.integrated_gradients import IntegratedGradients
from attention_explain.interpret.outputs import logits_from_embeddings, untouched
from attention_explain.interpret.text_batch import TextBatch
from attention_explain.models import AttentionClassifier
from attention_explain.predictors.saliency import SaliencyPredictor
from benchmarks.harness import Result, compare

STEPS = 50
TEXTS, TOKENS = 32, 30
LONG_TEXTS, LONG_TOKENS = 8, 400
BUDGETS = (4096, 16384)


def build(texts: int, tokens: int) -> Tuple[AttentionClassifier, SaliencyPredictor, List[Instance]]:
    """BiLSTM 128 x 2, 100-dimensional vectors; texts of equal length, as captum needs them."""
    torch.manual_seed(0)
    chance = random.Random(0)
    reader = AttentionTextReader(tokenizer=WhitespaceTokenizer())
    instances = [
        reader.text_to_instance(
            tokens=[f"w{chance.randrange(3000)}" for _ in range(tokens)],
            label=str(number % 2),
            id=str(number),
        )
        for number in range(texts)
    ]
    for instance in instances:
        reader.apply_token_indexers(instance)
    config = {
        "type": "attention_classifier",
        "text_field_embedder": {
            "token_embedders": {"tokens": {"type": "embedding", "embedding_dim": 100}}
        },
        "encoder": {"type": "lstm", "input_size": 100, "hidden_size": 128, "bidirectional": True},
    }
    model = Model.from_params(Params(config), vocab=Vocabulary.from_instances(instances))
    return model, SaliencyPredictor(model, reader), instances


def main() -> List[Result]:
    model, predictor, instances = build(TEXTS, TOKENS)
    batch = TextBatch.of(model, instances)
    target = torch.zeros(len(batch), dtype=torch.long)
    ours = IntegratedGradients(predictor, steps=STEPS)

    def probabilities(embeddings: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        return logits_from_embeddings(model, embeddings, mask, mask).softmax(dim=-1)

    def captum() -> torch.Tensor:
        with untouched(model):
            return Captum(probabilities).attribute(
                model.embed(batch.tokens).detach(),
                target=target,
                additional_forward_args=batch.mask,
                n_steps=STEPS,
                method="gausslegendre",
            )

    scores = ours.attribute_batch(batch, target).scores
    difference = (scores - captum().sum(dim=-1)).abs().max().item()
    result = compare(
        f"integrated-gradients, {STEPS} steps, {TEXTS} texts of {TOKENS} tokens: captum / ours",
        # Ours includes the convergence delta; captum's would cost more passes.
        lambda: ours.attribute_batch(batch, target),
        captum,
        at_least=1.0,
        note=f"largest difference {difference:.1e}",
    )
    return [result, memory()]


def memory() -> Result:
    """
    What a batch of long texts takes at most, above what the process takes without it, in a process
    of its own each: for captum, which puts all steps into one pass, and for us. Given as MB in place
    of seconds.
    """
    ours = {budget: peak_megabytes("ours", budget) for budget in BUDGETS}
    note = ", ".join(f"{used:.0f} MB at {budget} tokens a pass" for budget, used in ours.items())
    return Result(
        f"peak memory (MB), {LONG_TEXTS} texts of {LONG_TOKENS} tokens: captum / ours",
        max(ours.values()),
        peak_megabytes("captum", 0),
        at_least=4.0,
        note=note,
    )


def peak_megabytes(way: str, budget: int) -> float:
    code = f"from benchmarks.integrated_gradients import *; print(measured({way!r}, {budget}))"
    command = [sys.executable, "-c", code]
    finished = subprocess.run(command, capture_output=True, text=True, check=True)
    return float(finished.stdout.split()[-1])


def measured(way: str, budget: int) -> float:
    """Runs in its own process: the growth of the largest resident size, in MB."""
    model, predictor, instances = build(LONG_TEXTS, LONG_TOKENS)
    method = IntegratedGradients(predictor, steps=STEPS)
    # One short pass first, so that libraries that load late are not counted.
    method.saliency_interpret_instances(instances[:1], budget=LONG_TOKENS)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    if way == "ours":
        method.saliency_interpret_instances(instances, budget=budget)
    else:
        batch = TextBatch.of(model, instances)
        target = torch.zeros(len(batch), dtype=torch.long)
        with untouched(model):
            Captum(
                lambda embeddings, mask: logits_from_embeddings(model, embeddings, mask, mask)
            ).attribute(
                model.embed(batch.tokens).detach(),
                target=target,
                additional_forward_args=batch.mask,
                n_steps=STEPS,
            )
    return (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024


if __name__ == "__main__":
    torch.set_num_threads(2)
    print(*main(), sep="\n")
