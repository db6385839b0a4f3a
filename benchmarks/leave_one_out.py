"""
`leave-one-out` against the published way, on a BiLSTM of the published size: for a batch of texts
of one length, a full forward pass for each column that is deleted. The longer an LSTM remembers a
token, the less is gained on long texts: these weights are untrained, and one that forgets nothing
is measured beside them.
"""

import time
from typing import Callable, List, Tuple

import torch
from allennlp.common import Params
from allennlp.data import Vocabulary
from allennlp.data.tokenizers import WhitespaceTokenizer
from allennlp.models import Model

from attention_explain.data.question_passage import QuestionPassageReader
from attention_explain.interpret.erasing import LeaveOneOut
from attention_explain.interpret.erasure.logits import erase_tokens, logits_with_deleted_inputs
from attention_explain.interpret.text_batch import TextBatch
from attention_explain.models import AttentionClassifier, AttentionPairClassifier
from attention_explain.models.reading import Reading
from attention_explain.passes import untouched
from benchmarks.harness import Result, compare, one_thread
from benchmarks.lrp import TEXTS, predictor

# What is added to the forget gates' bias, tokens of a text, runs of each way, and the ratio that is
# asked for.
SIZES = (
    ("BiLSTM", 0.0, 20, 9, 2),
    ("BiLSTM", 0.0, 180, 2, 4),
    ("BiLSTM that forgets nothing", 10.0, 180, 1, 2),
)

# Of a story of bAbI's second task, on average.
PASSAGE = 94


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


def stories(tokens: int) -> Tuple[AttentionPairClassifier, TextBatch]:
    """A model of pairs as published for bAbI, untrained, and stories of so many words."""
    reader = QuestionPassageReader(tokenizer=WhitespaceTokenizer())
    texts = [
        reader.text_to_instance(
            tokens=[f"word-{(7 * text + place) % 40}" for place in range(tokens)],
            query="where is word-3 ?",
            label=str(text % 6),
        )
        for text in range(TEXTS)
    ]
    for text in texts:
        reader.apply_token_indexers(text)
    embedder = {"token_embedders": {"tokens": {"type": "embedding", "embedding_dim": 50}}}
    encoder = {"type": "lstm", "input_size": 50, "hidden_size": 32, "bidirectional": True}
    config = {
        "type": "attention_pair_classifier",
        "text_field_embedder": embedder,
        "encoder": dict(encoder),
        "query_encoder": {"encoder": dict(encoder)},
    }
    torch.manual_seed(1)
    model = Model.from_params(Params(config), vocab=Vocabulary.from_instances(texts)).eval()
    return model, TextBatch.of(model, texts)


def pairs() -> Result:
    """Against a pass for each word, as many together as a pass holds."""
    model, batch = stories(PASSAGE)
    with torch.no_grad():
        embeddings = model.embed(batch.tokens)
        ours = erase_tokens(model, batch, embeddings).without
        difference = (ours - logits_with_deleted_inputs(model, batch, embeddings)).abs().max()

        def run(way: Callable[..., object]) -> Callable[[], object]:
            return torch.no_grad()(lambda: way(model, batch, embeddings))

        return compare(
            f"leave-one-out of pairs, BiLSTM, {TEXTS} passages of {PASSAGE} tokens: batched / ours",
            run(erase_tokens),
            run(logits_with_deleted_inputs),
            repeats=5,
            clock=time.process_time,
            at_least=1.5,
            note=f"largest difference {difference.item():.0e}",
        )


@one_thread()
def main() -> List[Result]:
    results = [pairs()]
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
