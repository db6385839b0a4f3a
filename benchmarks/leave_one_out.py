"""
`leave-one-out` against the published way, on a BiLSTM of the published size: for a batch of texts of
one length, a full forward pass for each column that is deleted.

What there is to gain. Of a text of n tokens the published way runs n (n - 1) tokens through both
directions, and multiplies for each 2 x (100 + 128) x 512 numbers in the LSTM and 256 x 130 in attention
and decoder: 267,000. Each direction has to be run again from the deleted token to its own end only, which
is half of the steps; what the inputs add to the gates is known from the whole text; and of each new state
a half is new. That leaves n (n - 1) steps of 128 x 512 + 128 x 130 = 82,000 products, 3.2 times fewer,
and half of the sigmoids. So a program that runs all of these steps is not 4 times as fast, as
is asked for at 180 tokens. What is more than that comes from runs that end early: where the states
without the token are, but for rounding, those of the whole text. How early depends on the weights, so
that they are measured untrained; trained, on texts whose label is in some of the words; and with forget
gates that are open, so that no run ends early. Trained ones remember: a BiLSTM after five epochs on 1,000
reviews of IMDb, cut to 180 tokens, needs two thirds of the steps even if each run ended by itself, and
runs 0.94 of them where neighbours go on together (2.8 times as fast as the published way; after one epoch
0.27, and 6.8). Of our time two thirds are products of matrices.
"""

import time
from collections.abc import Callable, Iterator
from dataclasses import replace

import torch
from allennlp.common import Params
from allennlp.data import Vocabulary
from allennlp.data.tokenizers import WhitespaceTokenizer
from allennlp.models import Model

from attention_explain.data.question_passage import QuestionPassageReader
from attention_explain.interpret.occlusion import LeaveOneOut
from attention_explain.interpret.removal import logits_with_deleted_inputs, remove_tokens
from attention_explain.interpret.text_batch import TextBatch
from attention_explain.models import AttentionClassifier, AttentionPairClassifier
from attention_explain.modules.text_inputs import TextInputs
from attention_explain.passes import untouched
from benchmarks.harness import Result, compare, one_thread
from benchmarks.lrp import TEXTS, predictor

# Tokens of a text, what is done to the weights, runs of each way, and the ratio that is asked for.
SIZES = (
    (20, "untrained", 9, 2),
    (180, "untrained", 1, 4),
    (180, "trained", 1, 2),
    (180, "forgets nothing", 1, 2),
)
# Texts of the training, 8 epochs of batches of 32, and how many kinds of words speak for a label.
TRAINING = 128
TELLING = 40

# Of a story of bAbI's second task, on average.
PASSAGE = 94


def column_by_column(model: AttentionClassifier, batch: TextBatch) -> torch.Tensor:
    """The scores of `leave-one-out`. Shape: (batch, tokens)"""
    ids = batch.tokens["tokens"]["tokens"]

    def probabilities(ids: torch.Tensor) -> torch.Tensor:
        mask = torch.ones_like(ids, dtype=torch.bool)
        embeddings = model.embed({"tokens": {"tokens": ids}})
        return model.logits(embeddings, TextInputs(mask, mask)).softmax(dim=-1)

    with untouched(model), torch.no_grad():
        whole = probabilities(ids)
        without = [
            probabilities(torch.cat([ids[:, :column], ids[:, column + 1 :]], dim=1))
            for column in range(batch.length)
        ]
        return torch.stack([(whole - other).abs().sum(dim=-1) / 2 for other in without], dim=1)


@torch.no_grad()
def forget_nothing(model: AttentionClassifier) -> None:
    """Opens the forget gates."""
    for name, parameter in model.encoder.named_parameters():
        if "bias_hh" in name:
            parameter[128:256] += 10


def train(model: AttentionClassifier, tokens: int) -> float:
    """
    On texts of random words, of which one in ten speaks for the label; its accuracy on these.
    """
    chance = torch.Generator().manual_seed(0)
    words = model.vocab.get_vocab_size("tokens")
    labels = torch.arange(TRAINING) % 2
    ids = torch.randint(2 + 2 * TELLING, words, (TRAINING, tokens), generator=chance)
    telling = torch.randint(0, TELLING, ids.shape, generator=chance)
    tells = torch.rand(ids.shape, generator=chance) < 0.1
    ids = torch.where(tells, 2 + telling + TELLING * labels.unsqueeze(-1), ids)
    optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
    model.train()
    for _ in range(8):
        right = 0
        for batch in torch.randperm(TRAINING, generator=chance).split(32):
            output = model(tokens={"tokens": {"tokens": ids[batch]}}, label=labels[batch])
            optimizer.zero_grad()
            output["loss"].backward()
            optimizer.step()
            right += int((output["probs"].argmax(dim=-1) == labels[batch]).sum())
    model.eval()
    return right / TRAINING


def stories(tokens: int) -> tuple[AttentionPairClassifier, TextBatch]:
    """A model of pairs as published for bAbI, untrained, and stories of the given number of words."""
    reader = QuestionPassageReader(tokenizer=WhitespaceTokenizer())
    texts = [
        reader.text_to_instance(
            tokens=[f"word-{(7 * text + position) % 40}" for position in range(tokens)],
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
        ours = remove_tokens(model, batch, embeddings).without
        difference = (ours - logits_with_deleted_inputs(model, batch, embeddings)).abs().max()

        def run(way: Callable[..., object]) -> Callable[[], object]:
            return torch.no_grad()(lambda: way(model, batch, embeddings))

        return compare(
            f"leave-one-out of pairs, BiLSTM, {TEXTS} passages of {PASSAGE} tokens: batched / ours",
            run(remove_tokens),
            run(logits_with_deleted_inputs),
            repeats=5,
            clock=time.process_time,
            at_least=1.5,
            note=f"largest difference {difference.item():.0e}",
        )


def single(tokens: int, weights: str, repeats: int, at_least: float) -> Result:
    explainer, batch = predictor(tokens)
    method = LeaveOneOut(explainer)
    if weights == "trained":
        accuracy = train(method.model, tokens)
        weights = f"trained to an accuracy of {accuracy:.2f}"
    elif weights == "forgets nothing":
        forget_nothing(method.model)
    target = torch.zeros(len(batch), dtype=torch.long)
    scores: dict[str, torch.Tensor] = {}

    def ours() -> None:
        scores["ours"] = method.attribute_batch(batch, target).scores

    def other() -> None:
        scores["other"] = column_by_column(method.model, batch)

    result = compare(
        f"leave-one-out, BiLSTM ({weights}), {TEXTS} texts of {tokens} tokens: column by column / ours",
        ours,
        other,
        repeats=repeats,
        clock=time.process_time,
        at_least=at_least,
        warm_up=repeats > 1,
    )
    difference = (scores["ours"] - scores["other"]).abs().max().item()
    return replace(result, note=f"largest difference {difference:.0e}")


def main() -> Iterator[Result]:
    with one_thread():
        yield pairs()
        for size in SIZES:
            yield single(*size)


if __name__ == "__main__":
    print(*main(), sep="\n")
