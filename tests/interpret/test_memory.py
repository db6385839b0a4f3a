"""Memory of long texts: no tensor grows with the square of the tokens, and pieces change nothing."""

import subprocess
import sys

import pytest
import torch
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves

from attention_explain import passes
from attention_explain.errors import InputError
from attention_explain.interpret.explainer import Explainer
from attention_explain.interpret.text_batch import PROGRAM, TextBatch, most_tokens
from tests.builders import ENCODERS, PROJECTIONS, TEXTS, instances, model, vocabulary
from tests.interpret.no_trace import interpreter

TOKENS = 70
# Of 70 rows of a text's pairs 40 at a time, if there is one number a pair.
PAIRS = 40 * TOKENS
WORDS = (" ".join(TEXTS).split() * 3)[:TOKENS]
# One text alone in its batch, and two of different lengths together.
LONG = [" ".join(WORDS)]
PADDED = [" ".join(WORDS[:20]), " ".join(WORDS[3:9])]

METHODS = {
    "attention": {},
    "gradient": {},
    "integrated-gradients": {"steps": 2},
    "smoothgrad": {"samples": 2},
    "gradient-shap": {"samples": 2},
    "lrp": {},
    "deeplift": {},
    "occlusion": {},
    "leave-one-out": {},
    "lime": {"samples": 16},
    "input-to-hidden": {},
}
OF_TRANSFORMERS = {
    "attention-rollout": {},
    "value-weighted-attention": {},
    "value-zeroing": {},
    "alti": {},
    "attn-lrp": {},
}
CASES = [(encoder, method) for encoder in ENCODERS for method in METHODS]
CASES += [("transformer", method) for method in OF_TRANSFORMERS]


class LargestTensor(TorchDispatchMode):
    """How many numbers the largest tensor has that any operation gives, those of passes back too."""

    numbers = 0

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        result = func(*args, **(kwargs or {}))
        for each in tree_leaves(result):
            # What torch's LSTM keeps for its way back is in bytes, many a token.
            if isinstance(each, torch.Tensor) and each.dtype != torch.uint8:
                self.numbers = max(self.numbers, each.numel())
        return result


def scores(classifier, method, texts, bounded=False):
    made = instances(texts, None, boundary_symbols=bounded)
    batch = TextBatch.of(classifier, made, budget=TOKENS)
    options = {**METHODS, **OF_TRANSFORMERS}[method]
    attribution = interpreter(method, classifier, **options).attribute_batch(batch, None)
    return attribution.scores


@pytest.mark.parametrize("encoder, method", CASES)
def test_nothing_is_as_large_as_all_pairs_of_tokens(encoder, method, monkeypatch):
    monkeypatch.setattr(passes, "PAIRS", PAIRS)
    classifier = model(encoder)
    with LargestTensor() as largest:
        scores(classifier, method, LONG)
    assert 0 < largest.numbers < TOKENS**2


@pytest.mark.parametrize("encoder, method", CASES)
@pytest.mark.parametrize("texts, bounded", [(LONG, False), (PADDED, True)])
def test_pieces_change_nothing(encoder, method, texts, bounded, monkeypatch):
    classifier = model(encoder, vocab=vocabulary(boundary_symbols=bounded)).double()
    whole = scores(classifier, method, texts, bounded)
    monkeypatch.setattr(passes, "PAIRS", PAIRS)
    pieces = scores(classifier, method, texts, bounded)
    torch.testing.assert_close(pieces, whole, atol=1e-9, rtol=1e-7, equal_nan=True)


@pytest.mark.parametrize("projection", PROJECTIONS)
@pytest.mark.parametrize("method", ["gradient", "lrp", "deeplift", "attention-rollout"])
def test_pieces_change_nothing_for_any_projection(projection, method, monkeypatch):
    config = {**ENCODERS["transformer"], "projection": PROJECTIONS[projection]}
    monkeypatch.setitem(ENCODERS, "this one", config)
    classifier = model("this one").double()
    whole = scores(classifier, method, LONG)
    monkeypatch.setattr(passes, "PAIRS", PAIRS)
    torch.testing.assert_close(scores(classifier, method, LONG), whole, atol=1e-9, rtol=1e-7)


def test_in_training_nothing_is_computed_twice(monkeypatch):
    monkeypatch.setattr(passes, "PAIRS", 1)
    classifier = model("transformer").train()
    batch = TextBatch.of(classifier, instances(LONG, None))
    with LargestTensor() as largest:
        classifier.encode(classifier.embed(batch.tokens), batch.inputs)
    assert largest.numbers >= TOKENS**2


# Nothing but a text of this length or less fits into it.
LITTLE = {"kernel-shap": {"samples": 4, "memory": PROGRAM + 1e-4}}
LITTLE["attention-flow"] = LITTLE["decompx"] = {"memory": PROGRAM + 1e-4}
every_limited_method = pytest.mark.parametrize("method", LITTLE)


@every_limited_method
def test_a_text_that_is_too_long_is_skipped_with_its_reason_and_no_other(method):
    classifier = model("transformer")
    limited = interpreter(method, classifier, **LITTLE[method])
    assert 20 <= limited.max_tokens < TOKENS
    texts = [*PADDED, *LONG, PADDED[0]]
    methods = {"limited": limited, "attention": interpreter("attention", classifier)}
    alone = Explainer(classifier, methods).explain(instances(PADDED, None))
    explained = Explainer(classifier, methods).explain_batch(instances(texts, None))
    reason = f"more than {limited.max_tokens} tokens"
    assert [list(each.skipped) for each in explained] == [[], [], ["limited"], []]
    assert explained[2].skipped["limited"].startswith(reason)
    assert (
        explained[2].scores["limited"] is None and len(explained[2].scores["attention"]) == TOKENS
    )
    for ours, expected in zip(explained, alone):
        assert ours.scores["limited"] == pytest.approx(expected.scores["limited"], abs=1e-4)


@every_limited_method
def test_asked_for_one_text_that_is_too_long_it_rejects(method):
    limited = interpreter(method, model("transformer"), **LITTLE[method])
    with pytest.raises(InputError, match=f"text 2 has {TOKENS} tokens, more than"):
        limited.saliency_interpret_instances(instances([PADDED[0], *LONG], None))


def test_the_longest_text_that_fits():
    assert most_tokens(lambda tokens: tokens**2, 10, PROGRAM + 1e-6) == 10
    with pytest.raises(InputError, match="memory is 0.5, but must be above"):
        most_tokens(lambda tokens: tokens, 8, 0.5)


# Each in a process of its own, which knows the most memory that it ever had.
CHILD = """
import re
import sys
from pathlib import Path
import torch
from attention_explain.interpret.coalitions import BYTES, KernelShap
from attention_explain.interpret.transformer_attention import flow_from_source
from attention_explain.interpret.transformer_attention import FLOW_BYTES

torch.set_num_threads(1)

def flow(tokens):
    maps = torch.softmax(torch.randn(2, tokens, tokens), dim=-1).numpy()
    flow_from_source(maps[0, 0], maps, [0])

def shap(tokens):
    method = KernelShap.__new__(KernelShap)
    method.samples = 512
    present = method.coalitions(tokens, torch.Generator().manual_seed(0))
    present.unique(dim=0, return_inverse=True)
    method.explain(present, torch.rand(len(present), dtype=torch.double))

def taken():
    # Unlike ru_maxrss, this does not begin with the memory of the process that started this one.
    peak = re.search(r"VmHWM:\\s*(\\d+) kB", Path("/proc/self/status").read_text())
    return int(peak[1]) * 1024

work, tokens, declared = {"flow": (flow, 900, FLOW_BYTES), "shap": (shap, 1500, BYTES)}[sys.argv[1]]
# What is loaded at the first call is no part of it.
work(10)
before = taken()
work(tokens)
used = (taken() - before) / (2 * tokens**2)
print(used)
assert declared / 4 < used < declared, (used, declared)
"""


@pytest.mark.slow
@pytest.mark.parametrize("work", ["flow", "shap"])
def test_what_a_method_says_it_takes_is_not_too_little(work):
    subprocess.run([sys.executable, "-c", CHILD, work], check=True)
