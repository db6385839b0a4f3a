"""The parts that the adapters name, put together again, are the model."""

import pytest
import torch
from transformers import AutoModelForSequenceClassification

from attention_explain.pretrained.families import layer_inputs
from attention_explain.pretrained.folders import TransformerFolder
from tests.tiny_transformers import FAMILIES

IDS = torch.tensor([[2, 9, 10, 11, 12, 3], [2, 9, 13, 3, 1, 1]])
MASK = torch.tensor([[1, 1, 1, 1, 1, 1], [1, 1, 1, 1, 0, 0]], dtype=torch.bool)


@pytest.fixture(params=FAMILIES)
def name(request):
    return request.param


@pytest.fixture
def family(folders, name):
    folder = TransformerFolder.opened(folders[name])
    return folder.family(folder.classifier().eval())


def composed(family, states):
    """All layers and the head, from their parts alone. Shape: (1, positions, hidden_dim) -> (labels,)"""
    whole = torch.ones(states.shape[:2], dtype=torch.bool)
    for layer in family.layers():
        own = layer.self_attention
        mixed = own.maps(states, whole) @ own.split_heads(own.value_layer(states))
        attended = own.output_layer(mixed.transpose(1, 2).flatten(start_dim=2))
        states = layer.attention_norm(states + attended)
        fed = layer.outer(layer.activation(layer.inner(states)))
        states = layer.feedforward_norm(states + fed)
    logits = states[0, 0]
    for step in family.head():
        logits = step(logits)
    return logits


@torch.no_grad()
def test_layers_and_head_are_the_model(family):
    ids = IDS[:1]
    logits, inputs = layer_inputs(family, lambda: family.model(ids).logits)
    torch.testing.assert_close(composed(family, inputs[0]), logits[0])


@torch.no_grad()
def test_maps_are_those_that_transformers_gives(family, folders, name):
    eager = AutoModelForSequenceClassification.from_pretrained(
        folders[name], attn_implementation="eager"
    ).eval()
    expected = eager(IDS, attention_mask=MASK.long(), output_attentions=True).attentions
    _, inputs = layer_inputs(family, lambda: family.model(IDS, attention_mask=MASK.long()))
    for layer, states, maps in zip(family.layers(), inputs, expected, strict=True):
        whole = layer.self_attention.maps(states, MASK)
        torch.testing.assert_close(whole[0], maps[0])
        torch.testing.assert_close(whole[1, :, :4, :4], maps[1, :, :4, :4])
        torch.testing.assert_close(
            layer.self_attention.maps(states, MASK, slice(1, 3)), whole[:, :, 1:3]
        )


def test_no_hook_stays(family):
    def fails():
        raise RuntimeError("in the middle")

    with pytest.raises(RuntimeError, match="in the middle"):
        layer_inputs(family, fails)
    assert not any(layer.module._forward_pre_hooks for layer in family.layers())


@torch.no_grad()
def test_the_embeddings_of_pieces_are_all_that_the_model_reads(family):
    embeddings = family.model.get_input_embeddings()(IDS)
    torch.testing.assert_close(
        family.model(inputs_embeds=embeddings, attention_mask=MASK.long()).logits,
        family.model(IDS, attention_mask=MASK.long()).logits,
    )
