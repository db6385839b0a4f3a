"""
`faithfulness`, comprehensiveness, sufficiency and curves of 8 methods on 256 texts by a BiLSTM of the
published size: against a loop over methods, texts and sizes with a pass each, and against the passes
of the distinct token sets alone; and the memory that a text of 5,000 tokens takes. The texts are
those of SST where the data are, and else planted; longer ones are made of random words.
"""

import os
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy
import torch
from allennlp.common import Params
from allennlp.data import DatasetReader, Instance, Vocabulary
from allennlp.data.tokenizers import WhitespaceTokenizer
from allennlp.models import Model

from attention_explain.data.attention_text import AttentionTextReader
from attention_explain.faithfulness.evaluator import (
    RankedText,
    measure_rankings,
    outputs_along_rankings,
    sizes_of,
)
from attention_explain.faithfulness.faithfulness import MEASURES
from attention_explain.faithfulness.permutations import (
    SamplingOptions,
    choose_sampling,
    word_effects,
)
from attention_explain.faithfulness.removal import ERASURES, RemovalOutputs
from attention_explain.faithfulness.search import Search
from attention_explain.interpret.text_batch import TextBatch, budget_for
from attention_explain.models import AttentionClassifier
from attention_explain.modules.text_inputs import TextInputs
from attention_explain.passes import random_ranks, rows_by_length
from attention_explain.settings import DATA_VARIABLE
from benchmarks.harness import Result, compare, one_thread

TEXTS = 256
METHODS = 8
RANDOM_ORDERS = 10
NAMES = ("comprehensiveness", "sufficiency", "deletion_curve", "insertion_curve")
# The loop is timed on this number of texts, since it takes minutes.
LOOPED = 16
# And random orders and search on this number.
SEARCHED = 64
# Of words, for their relevance.
PERMUTATIONS = 32
# Of a text as long as a film review or a post, all sets of each size are searched in steps.
MIDDLING, MIDDLING_TOKENS = 2, 150
LONG = 5000
# Beyond one pass over it: its sets, and what a pass leaves behind.
MOST_MB = 64.0
# The argument of the process that measures it.
MEMORY = "memory"


def texts(number: int = TEXTS) -> tuple:
    """The reader, and the given number of texts of the test set."""
    data = Path(os.environ.get(DATA_VARIABLE, "data")) / "sst" / "jw_preprocessed" / "test.jsonl.gz"
    config: dict[str, Any] = {"type": "planted"}
    source = "test"
    if data.exists():
        config = {"type": "attention_text", "tokenizer": "just_spaces", "min_tokens": 6}
        source = str(data)
    reader = DatasetReader.from_params(Params(config))
    instances = list(reader.read(source))
    instances = [instances[position * len(instances) // number] for position in range(number)]
    for instance in instances:
        reader.apply_token_indexers(instance)
    return "SST" if data.exists() else "planted", instances


def classifier(instances: Sequence[Instance]) -> AttentionClassifier:
    """A BiLSTM of 128 per direction over 100-dimensional vectors."""
    torch.manual_seed(0)
    lstm = {"type": "lstm", "input_size": 100, "hidden_size": 128, "bidirectional": True}
    embedder = {"tokens": {"type": "embedding", "embedding_dim": 100}}
    config = {
        "type": "attention_classifier",
        "text_field_embedder": {"token_embedders": embedder},
        "encoder": lstm,
        "min_label_count": 1,
    }
    return Model.from_params(Params(config), vocab=Vocabulary.from_instances(instances)).eval()


class PlainOutputs(RemovalOutputs):
    def fast_reader(self) -> None:
        return None


class JudgedTexts:
    """The texts in batches, with orders of eight methods and some by chance."""

    def __init__(self, model: AttentionClassifier, instances: Sequence[Instance], erasure: str):
        self.model = model
        self.instances = instances
        self.measures = MEASURES.build(NAMES)
        self.erasure = ERASURES.build([erasure])[erasure]
        lengths = [len(instance["tokens"]) for instance in instances]
        groups = rows_by_length(lengths, budget_for(model))
        self.batches = [TextBatch.of(model, [instances[row] for row in rows]) for rows in groups]
        self.distinct: list[list[numpy.ndarray]] = []

    def outputs(self, batch: TextBatch) -> RemovalOutputs:
        return RemovalOutputs(self.model, batch, self.model.embed(batch.tokens), self.erasure)

    def ordered(self, batch: TextBatch, chance: int = RANDOM_ORDERS) -> list[RankedText]:
        made = []
        for words, text_id in zip(batch.words, batch.ids, strict=True):
            drawn = random_ranks(len(words), METHODS + chance, 0, text_id)
            ranks = {f"method-{number}": drawn[number] for number in range(METHODS)}
            made.append(RankedText(0, ranks, drawn[METHODS:]))
        return made

    @torch.no_grad()
    def methods_alone(self) -> None:
        """What the loop computes."""
        for batch in self.batches:
            ordered = self.ordered(batch, chance=0)
            outputs = self.outputs(batch)
            for keeps in (False, True):
                outputs_along_rankings(
                    outputs, ordered, sizes_of(self.measures, ordered, keeps), keeps
                )

    @torch.no_grad()
    def with_both_ends(self) -> None:
        self.distinct = []
        for batch in self.batches:
            outputs = self.outputs(batch)
            measure_rankings(self.measures, outputs, "", self.ordered(batch), Search())
            self.distinct.append(outputs.known_sets())

    @torch.no_grad()
    def passes_alone(self) -> float:
        """Seconds in the model, a plain pass for all distinct sets of like length at once."""
        spent = [0.0]
        with timed(self.model, spent):
            for batch, sets in zip(self.batches, self.distinct, strict=True):
                embeddings = self.model.embed(batch.tokens)
                PlainOutputs(self.model, batch, embeddings, self.erasure)(sets)
        return spent[0]

    @torch.no_grad()
    def loop(self, texts: int) -> None:
        """A pass for each method, size and text, of some texts that are spread over all."""
        positions = [(batch, row) for batch in self.batches for row in range(len(batch))]
        for step in range(texts):
            batch, row = positions[step * len(positions) // texts]
            ids = batch.tokens["tokens"]["tokens"][row, : len(batch.words[row])]
            text = self.ordered(batch, chance=0)[row]
            for measure in self.measures.values():
                for ranks in text.ranks.values():
                    for size in measure.sizes(text.tokens):
                        first = torch.from_numpy(ranks < size)
                        kept = ids[first if measure.keeps else ~first].unsqueeze(0)
                        if kept.numel():
                            mask = torch.ones_like(kept, dtype=torch.bool)
                            embeddings = self.model.embed({"tokens": {"tokens": kept}})
                            self.model.logits(embeddings, TextInputs(mask, mask)).softmax(-1)


@contextmanager
def timed(model: AttentionClassifier, spent: list[float]) -> Iterator[None]:
    """Adds up the time that the stages of a model take."""
    stages = {name: getattr(model, name) for name in ("encode", "attend", "decode")}

    def counted(stage: Callable) -> Callable:
        def run(*given: Any) -> Any:
            start = time.process_time()
            result = stage(*given)
            spent[0] += time.process_time() - start
            return result

        return run

    for name, stage in stages.items():
        setattr(model, name, counted(stage))
    try:
        yield
    finally:
        for name in stages:
            delattr(model, name)


def random_texts(number: int, tokens: int) -> list[Instance]:
    """Of random words, and one word more, so that there are two labels."""
    chance = numpy.random.default_rng(0)
    reader = AttentionTextReader(tokenizer=WhitespaceTokenizer())
    texts = [
        " ".join(f"w{word}" for word in chance.integers(0, 2000, tokens)) for _ in range(number)
    ]
    instances = [
        reader.text_to_instance(text=text, label=str(int(text == "w1")), id=str(position))
        for position, text in enumerate([*texts, "w1"])
    ]
    for instance in instances:
        reader.apply_token_indexers(instance)
    return instances


def memory_of_a_long_text(tokens: int) -> float:
    """
    MB that the measures of a text of that length take beyond what one pass over it does: few sets,
    since each takes a pass of its own.
    """
    instances = random_texts(1, tokens)
    judged = JudgedTexts(classifier(instances), instances[:1], "delete")
    (batch,) = judged.batches
    text = RankedText(
        0, {"method": random_ranks(tokens, 1, 0, "0")[0]}, random_ranks(tokens, 2, 1, "0")
    )
    measures = MEASURES.build([{"type": name, "bins": [0.1, 0.5]} for name in NAMES[:2]])
    outputs = judged.outputs(batch)
    outputs([numpy.ones((1, tokens), dtype=bool)])
    before = peak()
    measure_rankings(measures, outputs, "", [text], Search(width=1, singles=16))
    return peak() - before


def peak() -> float:
    """Of this process, in MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def main() -> list[Result]:
    corpus, instances = texts()
    judged = JudgedTexts(classifier(instances), instances, "delete")
    name = f"faithfulness, BiLSTM, {METHODS} methods, {TEXTS} texts ({corpus})"
    with one_thread():
        loop = compare(
            f"{name}: a pass for each method and size / ours",
            judged.methods_alone,
            lambda: judged.loop(LOOPED),
            repeats=1,
            at_least=8,
            clock=time.process_time,
        )
        loop.other *= TEXTS / LOOPED
        some = JudgedTexts(judged.model, instances[:: TEXTS // SEARCHED], "delete")
        ends = both_ends(f"the same, {SEARCHED} texts", some)
        instances = random_texts(MIDDLING, MIDDLING_TOKENS)
        middling = JudgedTexts(classifier(instances), instances[:MIDDLING], "zero")
        longer = both_ends(f"the same, {MIDDLING} texts of {MIDDLING_TOKENS} tokens", middling)
        effects = relevance(f"relevance, BiLSTM, {SEARCHED} texts ({corpus})", some, ends.ours)
    return [loop, ends, longer, effects, _memory()]


def relevance(name: str, judged: JudgedTexts, search: float) -> Result:
    """The relevance of words, with pilot texts, against the search: twice what trained models need."""
    start = time.process_time()
    options = SamplingOptions(permutations=PERMUTATIONS)
    sampling = choose_sampling(judged.model, judged.instances, judged.erasure, options)
    word_effects(judged.model, judged.instances, judged.erasure, sampling)
    ours = time.process_time() - start
    note = f"{sampling.permutations} permutations"
    return Result(f"{name}: measures with random orders and search / ours", ours, search, 2.0, note)


def both_ends(name: str, judged: JudgedTexts) -> Result:
    """Random orders and search too."""
    start = time.process_time()
    judged.with_both_ends()
    ours = time.process_time() - start
    passes = judged.passes_alone()
    number = sum(len(sets) for of_batch in judged.distinct for sets in of_batch)
    name = f"{name}, random and search too: passes of the distinct sets alone / ours"
    return Result(name, ours, passes, 1 / 1.5, f"{number} sets")


def _memory() -> Result:
    """In a process of its own, which has not had more before."""
    command = [sys.executable, "-m", "benchmarks.faithfulness", MEMORY, str(LONG)]
    said = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    name = f"faithfulness, BiLSTM, a text of {LONG} tokens: {MOST_MB} MB / what it takes"
    return Result(name, float(said.split()[-1]), MOST_MB, 1.0, unit="MB")


if __name__ == "__main__":
    if sys.argv[1:2] == [MEMORY]:
        # Nothing is divided by 0.
        print(max(1.0, memory_of_a_long_text(int(sys.argv[2]))))
    else:
        print(*main(), sep="\n")
