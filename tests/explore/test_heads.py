"""Heads that are switched off, and what each attends to, against models that are really without them."""

from copy import deepcopy

import pytest
import torch
from transformers import AutoModelForSequenceClassification, AutoTokenizer

from attention_explain.errors import InputError
from attention_explain.explore.open_model import OpenModel
from attention_explain.interpret.text_batch import TextBatch
from tests.builders import instances
from tests.explore.opened import given, opened, opened_folder
from tests.tiny_transformers import FAMILIES, save_tiny_transformer

TEXT = ("the", "acting", "was", "superb", "fine")
HEADS = 2


@pytest.fixture(scope="module", params=["own", *FAMILIES])
def layered(request, tmp_path_factory) -> OpenModel:
    """Two layers of two heads."""
    if request.param == "own":
        return opened("transformer", ["attention"])
    folder = tmp_path_factory.mktemp("heads") / request.param
    return opened_folder(save_tiny_transformer(folder, request.param), ["attention"])


def output_layer(model: torch.nn.Module, layer: int) -> torch.nn.Linear:
    layers = model.family.layers() if hasattr(model, "family") else model.encoder.layers
    return layers[layer].self_attention.output_layer


def really_without(layered: OpenModel, off) -> OpenModel:
    """A copy whose output layers have no weights for these heads."""
    copied = OpenModel("copy", deepcopy(layered.model), layered.reader, ["attention"])
    if hasattr(copied.model, "family"):
        copied.model.family = type(copied.model.family)(copied.model.transformer)
    for layer, head in off:
        weight = output_layer(copied.model, layer).weight.data
        size = weight.size(1) // HEADS
        weight[:, head * size : (head + 1) * size] = 0
    return copied


@pytest.mark.parametrize("off", [[[0, 1]], [[1, 0]], [[0, 0], [1, 1]], [[0, 0], [0, 1]]])
def test_a_head_that_is_off_brings_nothing(layered, off):
    before = layered.explain(given(TEXT))["probs"]
    found = layered.without_heads(given(TEXT), off)["probs"]
    expected = really_without(layered, off).explain(given(TEXT))["probs"]
    assert found == pytest.approx(expected, abs=1e-5)
    assert found != pytest.approx(before, abs=1e-4)
    # And is on again.
    layered._texts.clear()
    assert layered.explain(given(TEXT))["probs"] == before


def test_no_head_off_is_the_model(layered):
    expected = layered.explain(given(TEXT))["probs"]
    assert layered.without_heads(given(TEXT), [])["probs"] == pytest.approx(expected, abs=1e-5)


@pytest.mark.parametrize("off", [[[9, 0]], [[0, 9]], [[-1, 0]], [[0]], [0], [["0", "1"]]])
def test_heads_that_are_none(layered, off):
    with pytest.raises(InputError, match="is no head"):
        layered.without_heads(given(TEXT), off)


def test_the_first_symbol_attends_as_transformers_says(tmp_path):
    folder = save_tiny_transformer(tmp_path / "bert")
    found = opened_folder(folder, ["attention"]).head_weights(given([*TEXT, "actingfine"]))
    tokenizer = AutoTokenizer.from_pretrained(folder)
    eager = AutoModelForSequenceClassification.from_pretrained(
        folder, attn_implementation="eager"
    ).eval()
    inputs = tokenizer([[*TEXT, "actingfine"]], is_split_into_words=True, return_tensors="pt")
    with torch.no_grad():
        maps = eager(**inputs, output_attentions=True).attentions
    assert found["reader"].startswith("by the first symbol")
    words = inputs.word_ids()
    for layer, heads in zip(maps, found["weights"], strict=True):
        for head, weights in enumerate(heads):
            first = layer[0, head, 0].tolist()
            expected = [
                max(weight for weight, of in zip(first, words) if of == word) for word in range(6)
            ]
            assert weights == pytest.approx(expected, abs=1e-5)


def test_words_attend_as_the_model_attends_to_them():
    tiny = opened("transformer", ["attention"])
    found = tiny.head_weights(given(TEXT))
    (instance,) = instances([" ".join(TEXT)], None)
    batch = TextBatch.of(tiny.model, [instance])
    attention = tiny.explain(given(TEXT))["attention"]
    with torch.no_grad():
        states = tiny.model.encoder.input_layer(tiny.model.embed(batch.tokens))
        states = states + tiny.model.encoder._position_vectors(states)
        for layer, heads in zip(tiny.model.encoder.layers, found["weights"], strict=True):
            maps = layer.self_attention.maps(states, batch.mask)[0]
            states = layer(states, batch.mask)
            for head, weights in zip(maps, heads, strict=True):
                expected = sum(
                    share * row for share, row in zip(attention, head, strict=True)
                ).tolist()
                assert weights == pytest.approx(expected, abs=1e-5)
