"""
`integrated-gradients` with as many steps as each text needs (`auto`) against the 50 that the papers
take, on models of the published size, trained a little on the planted corpus; and how far both are
from the integral.
"""

import time
from typing import Any

import torch
from allennlp.common import Params
from allennlp.data import Batch, DatasetReader, Instance, Vocabulary
from allennlp.models import Model

from attention_explain.interpret.integrated_gradients import IntegratedGradients
from attention_explain.interpret.text_batch import TextBatch
from attention_explain.predictors.saliency import SaliencyPredictor
from benchmarks.harness import Result, compare, one_thread

FIXED, EXACT = 50, 200
TEXTS = 24
EPOCHS, TEXTS_A_STEP = 3, 32
PLANTED = {"type": "planted", "sizes": {"train": 500, "dev": 10, "test": 24}}
ENCODERS: dict[str, dict[str, Any]] = {
    "bilstm": {"type": "lstm", "input_size": 100, "hidden_size": 128, "bidirectional": True},
    "cnn": {"type": "cnn", "input_dim": 100},
}


def main() -> list[Result]:
    reader = DatasetReader.from_params(Params(dict(PLANTED)))
    train, test = (indexed(reader, split) for split in ("train", "test"))
    vocab = Vocabulary.from_instances(train)
    with one_thread():
        return [one(encoder, reader, vocab, train, test[:TEXTS]) for encoder in ENCODERS]


def one(
    encoder: str,
    reader: DatasetReader,
    vocab: Vocabulary,
    train: list[Instance],
    texts: list[Instance],
) -> Result:
    model = trained(encoder, vocab, train)
    predictor = SaliencyPredictor(model, reader, interpreters=["attention"])
    batch = TextBatch.of(model, texts)
    target = torch.zeros(len(batch), dtype=torch.long)
    found = {
        steps: IntegratedGradients(predictor, steps=steps).attribute_batch(batch, target)
        for steps in ("auto", FIXED, EXACT)
    }
    exact = found[EXACT].scores
    error = {
        steps: ((found[steps].scores - exact).abs().sum(-1) / exact.abs().sum(-1)).median().item()
        for steps in ("auto", FIXED)
    }
    steps = found["auto"].checks["steps"].float()
    adaptive, fixed = (IntegratedGradients(predictor, steps=each) for each in ("auto", FIXED))
    return compare(
        f"integrated-gradients, {encoder}, {TEXTS} texts: {FIXED} steps / auto",
        lambda: adaptive.attribute_batch(batch, target),
        lambda: fixed.attribute_batch(batch, target),
        at_least=1.5,
        repeats=3,
        clock=time.process_time,
        note=f"steps {steps.mean():.0f} on average, {steps.max():.0f} at most; median error of a "
        f"text's scores {error['auto']:.1%}, with {FIXED} steps {error[FIXED]:.1%}; flagged "
        f"{int(found['auto'].checks['flagged'].sum())} and {int(found[FIXED].checks['flagged'].sum())}",
    )


def trained(encoder: str, vocab: Vocabulary, instances: list[Instance]) -> Model:
    torch.manual_seed(0)
    config = {
        "type": "attention_classifier",
        "text_field_embedder": {
            "token_embedders": {"tokens": {"type": "word_vectors", "embedding_dim": 100}}
        },
        "encoder": dict(ENCODERS[encoder]),
    }
    model = Model.from_params(Params(config), vocab=vocab)
    optimizer = torch.optim.Adam(model.parameters())
    for step in range(EPOCHS * len(instances) // TEXTS_A_STEP):
        first = step * TEXTS_A_STEP % len(instances)
        group = Batch(instances[first : first + TEXTS_A_STEP])
        group.index_instances(vocab)
        optimizer.zero_grad()
        model(**group.as_tensor_dict())["loss"].backward()
        optimizer.step()
    return model.eval()


def indexed(reader: DatasetReader, split: str) -> list[Instance]:
    instances = list(reader.read(split))
    for instance in instances:
        reader.apply_token_indexers(instance)
    return instances


if __name__ == "__main__":
    torch.set_num_threads(2)
    print(*main(), sep="\n")
