"""
The Python interface against direct calls of the same methods on the same instances: reading, batches, tables and
metadata included. Asked for: at most 5 % more time.
"""

import random
import time

import attention_explain as ax
from attention_explain.interpret.explainer import Explainer
from attention_explain.interpret.interpreter import build_interpreters
from benchmarks.harness import Result, compare
from benchmarks.lrp import WORDS, predictor

TEXTS = 24
TOKENS = 30
METHODS = [{"type": "integrated-gradients", "steps": 16}]


def main() -> list[Result]:
    saliency, _ = predictor(TOKENS, TEXTS)
    model, reader = saliency._model, saliency._dataset_reader
    chance = random.Random(0)
    texts = [" ".join(f"w{chance.randrange(WORDS)}" for _ in range(TOKENS)) for _ in range(TEXTS)]
    loaded = ax.load(model, dataset_reader=reader)

    def direct() -> None:
        instances = [
            reader.text_to_instance(text=text, id=f"text-{number}")
            for number, text in enumerate(texts, 1)
        ]
        for instance in instances:
            reader.apply_token_indexers(instance)
        Explainer(model, build_interpreters(METHODS, saliency)).explain(instances)

    return [
        compare(
            "explain texts, direct calls / Python interface",
            lambda: loaded.attribute(texts, METHODS, progress=False),
            direct,
            at_least=1 / 1.05,
            clock=time.process_time,
        )
    ]


if __name__ == "__main__":
    print(*main(), sep="\n")
