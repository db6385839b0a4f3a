"""
LRP against gradient x input, which is one forward and one backward pass of torch's own LSTM. Asked
for: at most 4 times its time.
"""

import random

import torch
from allennlp.common import Params
from allennlp.data import Vocabulary
from allennlp.data.tokenizers import WhitespaceTokenizer
from allennlp.models import Model

from attention_explain.data.attention_text import AttentionTextReader
from attention_explain.interpret.gradient import GradientXInput
from attention_explain.interpret.lrp import LayerwiseRelevance
from attention_explain.interpret.text_batch import TextBatch
from attention_explain.predictors.saliency import SaliencyPredictor
from benchmarks.harness import Result, compare

TEXTS = 32
WORDS = 2000
# Tokens per text.
LENGTHS = (30, 180)


def predictor(tokens: int, texts: int = TEXTS) -> tuple:
    """A BiLSTM of 128 per direction over 100-dimensional vectors, and a batch of texts."""
    chance = random.Random(0)
    reader = AttentionTextReader(tokenizer=WhitespaceTokenizer())
    instances = []
    for number in range(texts):
        text = " ".join(f"w{chance.randrange(WORDS)}" for _ in range(tokens))
        instances.append(
            reader.text_to_instance(text=text, label=str(number % 2), id=f"text-{number}")
        )
        reader.apply_token_indexers(instances[-1])
    torch.manual_seed(0)
    lstm = {"type": "lstm", "input_size": 100, "hidden_size": 128, "bidirectional": True}
    embedder = {"tokens": {"type": "embedding", "embedding_dim": 100}}
    model = Model.from_params(
        Params(
            {
                "type": "attention_classifier",
                "text_field_embedder": {"token_embedders": embedder},
                "encoder": lstm,
            }
        ),
        vocab=Vocabulary.from_instances(instances),
    )
    return SaliencyPredictor(model.eval(), reader), TextBatch.of(model, instances)


def single_texts(batch: TextBatch) -> list[TextBatch]:
    """A batch for each text, for ways that take one text at a time."""
    return [batch.rows([row]) for row in range(len(batch))]


def main() -> list[Result]:
    results = []
    for tokens in LENGTHS:
        explainer, batch = predictor(tokens)
        target = torch.zeros(len(batch), dtype=torch.long)
        lrp, gradient = LayerwiseRelevance(explainer), GradientXInput(explainer)
        worst = lrp.attribute_batch(batch, target).checks["conservation_error"].max().item()
        results.append(
            compare(
                f"lrp, BiLSTM, {TEXTS} texts of {tokens} tokens: gradient-x-input / lrp",
                lambda lrp=lrp, batch=batch, target=target: lrp.attribute_batch(batch, target),
                lambda gradient=gradient, batch=batch, target=target: gradient.attribute_batch(
                    batch, target
                ),
                repeats=9,
                at_least=1 / 4,
                note=f"largest conservation error {worst:.0e}",
            )
        )
    return results


if __name__ == "__main__":
    torch.set_num_threads(2)
    print(*main(), sep="\n")
