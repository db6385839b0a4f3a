"""
`integrated-gradients` against captum's, at the same 50 steps and the same rule, on a BiLSTM of the
published size; and the memory that it takes for long texts under two budgets.
"""

import random
import subprocess
import sys
from pathlib import Path

import torch
from allennlp.common import Params
from allennlp.data import Instance, Vocabulary
from allennlp.data.tokenizers import WhitespaceTokenizer
from allennlp.models import Model
from captum.attr import IntegratedGradients as Captum

from attention_explain.data.attention_text import AttentionTextReader
from attention_explain.interpret.integrated_gradients import IntegratedGradients
from attention_explain.interpret.text_batch import TextBatch
from attention_explain.models import AttentionClassifier
from attention_explain.modules.text_inputs import TextInputs
from attention_explain.passes import untouched
from attention_explain.predictors.saliency import SaliencyPredictor
from benchmarks.harness import Result, compare

STEPS = 50
TEXTS, TOKENS = 32, 30
LONG_TEXTS, LONG_TOKENS = 8, 400
BUDGETS = (4096, 16384)


def build(texts: int, tokens: int) -> tuple[AttentionClassifier, SaliencyPredictor, list[Instance]]:
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


def main() -> list[Result]:
    model, predictor, instances = build(TEXTS, TOKENS)
    batch = TextBatch.of(model, instances)
    target = torch.zeros(len(batch), dtype=torch.long)
    ours = IntegratedGradients(predictor, steps=STEPS)

    scores = ours.attribute_batch(batch, target).scores
    difference = (scores - captums_scores(model, batch, target)).abs().max().item()
    result = compare(
        f"integrated-gradients, {STEPS} steps, {TEXTS} texts of {TOKENS} tokens: captum / ours",
        # Ours includes the convergence delta; captum's would cost more passes.
        lambda: ours.attribute_batch(batch, target),
        lambda: captums_scores(model, batch, target),
        at_least=1.0,
        note=f"largest difference {difference:.1e}",
    )
    return [result, memory()]


def captums_scores(
    model: AttentionClassifier, batch: TextBatch, target: torch.Tensor
) -> torch.Tensor:
    """All steps of all texts in one pass, which is captum's default."""

    def probabilities(embeddings: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        return model.logits(embeddings, TextInputs(mask, mask)).softmax(dim=-1)

    with untouched(model):
        scores = Captum(probabilities).attribute(
            model.embed(batch.tokens).detach(),
            target=target,
            additional_forward_args=batch.mask,
            n_steps=STEPS,
            method="gausslegendre",
        )
    return scores.sum(dim=-1)


def memory() -> Result:
    """
    What a batch of long texts takes at most, above what the process takes without it, in a process
    of its own each: for captum, which puts all steps into one pass, and for us.
    """
    ours = {budget: peak_megabytes("ours", budget) for budget in BUDGETS}
    note = ", ".join(f"{used:.0f} MB at {budget} tokens a pass" for budget, used in ours.items())
    return Result(
        f"integrated-gradients, peak memory, {LONG_TEXTS} texts of {LONG_TOKENS} tokens: captum / ours",
        max(ours.values()),
        peak_megabytes("captum", 0),
        at_least=4.0,
        note=note,
        unit="MB",
    )


def peak_megabytes(way: str, budget: int) -> float:
    call = f"measured({way!r}, {budget}, {LONG_TEXTS}, {LONG_TOKENS})"
    code = f"from benchmarks.integrated_gradients import *; print({call})"
    command = [sys.executable, "-c", code]
    finished = subprocess.run(command, capture_output=True, text=True, check=True)
    # Nothing is divided by 0.
    return max(1.0, float(finished.stdout.split()[-1]))


def measured(way: str, budget: int, texts: int, tokens: int) -> float:
    """Runs in its own process: how far the resident size rises above where it was, in MB."""
    torch.set_num_threads(1)
    model, predictor, instances = build(texts, tokens)
    method = IntegratedGradients(predictor, steps=STEPS)
    # One short pass first, so that libraries that load late are not counted.
    method.saliency_interpret_instances(instances[:1], budget=tokens)
    # Forgets the largest size so far, which importing may have had (Linux).
    Path("/proc/self/clear_refs").write_text("5")
    before = resident_megabytes("VmRSS")
    if way == "ours":
        method.saliency_interpret_instances(instances, budget=budget)
    else:
        batch = TextBatch.of(model, instances)
        target = torch.zeros(len(batch), dtype=torch.long)
        captums_scores(model, batch, target)
    return resident_megabytes("VmHWM") - before


def resident_megabytes(field: str) -> float:
    """`VmRSS`, now, or `VmHWM`, at most."""
    (line,) = [line for line in Path("/proc/self/status").read_text().splitlines() if field in line]
    return int(line.split()[1]) / 1024


if __name__ == "__main__":
    torch.set_num_threads(2)
    print(*main(), sep="\n")
